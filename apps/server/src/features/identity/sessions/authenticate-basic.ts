import { createHmac, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { normalAddress } from "#platform/address.ts";
import type { Actor, Ctx } from "#platform/context.ts";
import { forbidden, tooMany, unauthenticated, unavailable } from "#platform/errors.ts";
import type { Authenticator } from "#platform/http/authenticator.ts";
import { signInLimits } from "../password/attempt-limits.ts";
import { credentialTypes, secondFactorTypes } from "../credentials.ts";
import { GateFull } from "#platform/gate.ts";
import { findPassword } from "../password/password-method.ts";
import { MAX_PASSWORD_BYTES, verifyPassword } from "../password/passwords.ts";
import { createExternalBasicAuthenticator } from "../external/external-basic.ts";
import { readAuthorization, TOKEN_USER } from "./read-authorization.ts";
import { recordSignIn } from "./record-sign-in.ts";
import { assertSameSite } from "./request-origin.ts";
import { createSession, findSession, lacksSecondFactor } from "./sessions.ts";

/** As long as a session made here lasts, the slow hash is paid once (server-endpoints section 2). */
const SESSION_MS = 30 * 60 * 1000;
/** What was wrong is known to be wrong for so long, without being looked at again. */
const FAILURE_MS = 60 * 1000;

interface Known {
  token: string;
  /** Of the password it was made with: a new one ends it. */
  hashed: string;
}

const refused = () => unauthenticated("Authorization Error");

/**
 * Says who asks with `Authorization: Basic` and a password, for programs that know nothing better. Attempts count
 * together with those at the form. Whoever has a second factor cannot show it here, and is refused.
 */
export function createBasicAuthenticator(ctx: Ctx): Authenticator {
  const { db, clock, config, log } = ctx;
  if (config.identityUrl !== undefined)
    return createExternalBasicAuthenticator(ctx, config.identityUrl);
  const limits = ctx.service(signInLimits);
  const secret = randomBytes(32);
  const find = (user: string) => {
    const address = normalAddress(user);
    return address === undefined ? undefined : findPassword(db, address);
  };
  const markOf = (user: string, password: string) =>
    createHmac("sha256", secret)
      .update(JSON.stringify([normalAddress(user) ?? user, password]))
      .digest("hex");
  const successes = new LRUCache<string, Known>({ max: 5_000, ttl: SESSION_MS });
  const failures = new LRUCache<string, true>({ max: 20_000, ttl: FAILURE_MS });
  /** Of many requests at once, one signs in. */
  const underWay = new Map<string, Promise<Actor>>();

  async function recall(mark: string, user: string): Promise<Actor | undefined> {
    const known = successes.get(mark);
    if (!known) return undefined;
    const [session, stored] = await Promise.all([findSession(ctx, known.token), find(user)]);
    const isSame = stored?.hashed_password === known.hashed;
    if (session && isSame && !lacksSecondFactor(session)) return toActor(session);
    successes.delete(mark);
    return undefined;
  }

  async function signIn(
    mark: string,
    user: string,
    password: string,
    request: FastifyRequest,
  ): Promise<Actor> {
    const wait = limits.take(request.ip, user);
    if (wait > 0)
      throw tooMany(`Too many failed attempts to sign in. Try again in ${wait} seconds.`);
    const isPossible = Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
    const stored = isPossible ? await find(user) : undefined;
    const isRight = await verifyPassword(stored?.hashed_password, isPossible ? password : "").catch(
      (error: unknown) => {
        if (!(error instanceof GateFull)) throw error;
        limits.giveBack(request.ip, user);
        throw unavailable(
          "Too many people are signing in at the moment. Try again in a few seconds.",
        );
      },
    );
    if (!stored || !isRight) {
      failures.set(mark, true);
      log.info({ ip: request.ip }, "sign-in refused");
      throw refused();
    }
    limits.giveBack(request.ip, user);
    if (stored.state !== "active")
      throw forbidden("This account is deactivated. Ask an administrator to activate it.");
    const types = await credentialTypes(db, stored.id);
    if (secondFactorTypes.some((type) => types.has(type)))
      throw forbidden(
        "This account has a second factor, which cannot be shown with a password alone. Use an access token.",
      );
    return await begin(mark, stored, request);
  }

  async function begin(
    mark: string,
    stored: { id: string; hashed_password: string },
    request: FastifyRequest,
  ): Promise<Actor> {
    const now = clock.now();
    const { token } = await ctx.tx(async (tx) => {
      await recordSignIn(tx, stored.id, now);
      return await createSession(tx, {
        identityId: stored.id,
        method: "password",
        device: {
          ip_address: request.ip,
          user_agent: (request.headers["user-agent"] ?? "").slice(0, 512),
          location: "",
        },
        now,
        lifespanMs: Math.min(SESSION_MS, config.sessionLifespan),
      });
    });
    const session = await findSession(ctx, token);
    if (!session) throw refused();
    successes.set(mark, { token, hashed: stored.hashed_password });
    return toActor(session);
  }

  return async (request) => {
    const given = readAuthorization(request);
    if (given?.scheme === "unreadable") throw refused();
    if (given?.scheme !== "basic" || given.user === TOKEN_USER) return undefined;
    // Browsers remember Basic credentials and send them whoever made them send.
    assertSameSite(request, config);
    const user = given.user.trim();
    const mark = markOf(user, given.password);
    const known = await recall(mark, user);
    if (known) return known;
    if (failures.has(mark)) throw refused();
    let signingIn = underWay.get(mark);
    if (!signingIn) {
      signingIn = signIn(mark, user, given.password, request).finally(() => underWay.delete(mark));
      underWay.set(mark, signingIn);
    }
    return await signingIn;
  };
}

function toActor(session: NonNullable<Awaited<ReturnType<typeof findSession>>>): Actor {
  const { person, roles, id } = session;
  return { kind: "person", ...person, roles, sessionId: id };
}
