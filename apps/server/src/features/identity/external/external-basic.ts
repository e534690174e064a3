import { createHmac, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { normalAddress } from "#platform/address.ts";
import type { Ctx } from "#platform/context.ts";
import { forbidden, tooMany, unauthenticated, unavailable } from "#platform/errors.ts";
import { fetchLimited } from "#platform/http/fetch-limited.ts";
import type { Authenticator } from "#platform/http/authenticator.ts";
import { signInLimits } from "../password/attempt-limits.ts";
import { readAuthorization, TOKEN_USER } from "../sessions/read-authorization.ts";
import { assertSameSite } from "../sessions/request-origin.ts";
import { whoIs } from "./external-kratos.ts";

/** How long a session made here, and a refusal, is believed (server-endpoints section 2). */
const SESSION_MS = 30 * 60 * 1000;
const FAILURE_MS = 60 * 1000;

const Begun = z.object({ id: z.string().max(200) });
const SignedIn = z.object({ session_token: z.string().min(1).max(4096) });

const refused = () => unauthenticated("Authorization Error");

/** Says who asks with `Authorization: Basic` and a password, which the Kratos that stands in is asked about. */
export function createExternalBasicAuthenticator(ctx: Ctx, identityUrl: string): Authenticator {
  const limits = ctx.service(signInLimits);
  const secret = randomBytes(32);
  const tokens = new LRUCache<string, string>({ max: 5_000, ttl: SESSION_MS });
  const failures = new LRUCache<string, true>({ max: 20_000, ttl: FAILURE_MS });
  /** Of many requests at once, one signs in. */
  const underWay = new Map<string, Promise<string>>();

  async function begin(mark: string, ip: string, user: string, password: string): Promise<string> {
    const wait = limits.take(ip, user);
    if (wait > 0)
      throw tooMany(`Too many failed attempts to sign in. Try again in ${wait} seconds.`);
    const token = await signIn(identityUrl, user, password).catch((error: unknown) => {
      limits.giveBack(ip, user);
      throw unavailable("The identity service does not answer. Please try again.", error);
    });
    if (token === undefined) {
      failures.set(mark, true);
      ctx.log.info({ ip }, "sign-in refused");
      throw refused();
    }
    limits.giveBack(ip, user);
    tokens.set(mark, token);
    return token;
  }

  return async (request) => {
    const given = readAuthorization(request);
    if (given?.scheme === "unreadable") throw refused();
    if (given?.scheme !== "basic" || given.user === TOKEN_USER) return undefined;
    // Browsers remember Basic credentials and send them whoever made them send.
    assertSameSite(request, ctx.config);
    const user = given.user.trim();
    const address = normalAddress(user);
    // That service may take it for an address that it is not, and attempts on that would be counted apart.
    if (user.includes("@") && address === undefined) throw refused();
    const mark = createHmac("sha256", secret)
      .update(JSON.stringify([address ?? user, given.password]))
      .digest("hex");
    const ask = (token: string) =>
      whoIs(ctx, identityUrl, { headers: { "x-session-token": token } });
    const known = tokens.get(mark);
    const actor = known === undefined ? undefined : await ask(known);
    if (actor) return actor;
    tokens.delete(mark);
    if (failures.has(mark)) throw refused();
    let signingIn = underWay.get(mark);
    if (!signingIn) {
      signingIn = begin(mark, request.ip, user, given.password).finally(() =>
        underWay.delete(mark),
      );
      underWay.set(mark, signingIn);
    }
    const signedIn = await ask(await signingIn);
    if (signedIn) return signedIn;
    tokens.delete(mark);
    throw forbidden(
      "This account is deactivated, or has a second factor, which cannot be shown with a password alone. Use an access token.",
    );
  };
}

/** A program's sign-in; nothing when the service refuses it, and a failure when it does not say. */
async function signIn(
  identityUrl: string,
  identifier: string,
  password: string,
): Promise<string | undefined> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const path = `${identityUrl}/self-service/login`;
  const begun = await fetchLimited(`${path}/api`, { headers: { accept: headers.accept } });
  if (!begun.ok) throw new Error(`beginning to sign in was answered with ${begun.status}`);
  const { id } = Begun.parse(await begun.json());
  const reply = await fetchLimited(`${path}?${new URLSearchParams({ flow: id }).toString()}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ method: "password", identifier, password }),
  });
  if ([400, 401, 403].includes(reply.status)) return undefined;
  if (!reply.ok) throw new Error(`signing in was answered with ${reply.status}`);
  return SignedIn.parse(await reply.json()).session_token;
}
