import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { type Address, normalAddress } from "#platform/address.ts";
import type { Clock } from "#platform/clock.ts";
import { forbidden, unauthenticated, unavailable } from "#platform/errors.ts";
import { fetchLimited } from "#platform/http/fetch-limited.ts";

/** Clocks may differ by so much. */
const SKEW_SECONDS = 30;
/** Keys that a provider publishes are believed for so long, and asked for again when an unknown one is used. */
const KEYS_MS = 10 * 60 * 1000;
/** Unknown keys, which anybody can invent, make us ask at most this often. */
const ASK_AGAIN_MS = 5_000;
/** Only what proves who made it: no secret of ours could sign for the provider, and "none" is nobody's. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

export interface HostedProvider {
  issuer: string;
  clientId: string;
  organization: string;
}

/** What a valid token says. */
export interface HostedClaims {
  subject: string;
  sessionId?: string;
  isAdmin: boolean;
  email?: Address;
  /** Of that address, by who told it. */
  isEmailVerified?: boolean;
  name?: string;
  avatar?: string;
}

export interface HostedTokens {
  /** Throws when the token is not the provider's, not for this server, or of another organization. */
  validate(token: string): Promise<HostedClaims>;
  /** What the provider says about the token's owner; nothing when it says nothing. */
  userInfo(token: string): Promise<Partial<HostedClaims>>;
}

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
});

interface Options extends HostedProvider {
  clock: Clock;
  /** For tests: as `ASK_AGAIN_MS`. */
  askAgainMs?: number;
}

/** Checks bearer tokens of a provider by the keys that it publishes. */
export function createHostedTokens(options: Options): HostedTokens {
  const { issuer, clock, askAgainMs = ASK_AGAIN_MS } = options;
  let discovered: Promise<Provider> | undefined;
  const provider = () =>
    (discovered ??= discover(issuer, askAgainMs).catch((error: unknown) => {
      discovered = undefined;
      throw away(error);
    }));

  return {
    async validate(token) {
      const { keys } = await provider();
      const now = clock.now();
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        algorithms,
        clockTolerance: SKEW_SECONDS,
        currentDate: now,
        requiredClaims: ["sub", "exp", "iat"],
      }).catch(refuse);
      return readClaims(payload, now, options);
    },
    async userInfo(token) {
      const { userinfo } = await provider();
      if (!userinfo) return {};
      // Asked once, at first sight: they would be without name and address for good.
      const reply = await fetchLimited(userinfo, {
        headers: { authorization: `Bearer ${token}` },
      }).catch((error: unknown) => {
        throw away(error);
      });
      // Nobody is kept out for want of a name: the provider vouched for them by the token.
      const body: unknown = reply.ok ? await reply.json().catch(() => undefined) : undefined;
      return typeof body === "object" && body !== null ? readProfile(body as JWTPayload) : {};
    },
  };
}

interface Provider {
  keys: ReturnType<typeof createRemoteJWKSet>;
  userinfo: string | undefined;
}

async function discover(issuer: string, askAgainMs: number): Promise<Provider> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const reply = await fetchLimited(address);
  if (!reply.ok) throw new Error(`${address} answered ${reply.status}`);
  const found = Discovery.parse(await reply.json());
  if (found.issuer !== issuer)
    throw new Error(`${address} says that it is ${found.issuer}, not HOSTED_ISSUER`);
  const keys = createRemoteJWKSet(new URL(found.jwks_uri), {
    cooldownDuration: askAgainMs,
    cacheMaxAge: KEYS_MS,
    [customFetch]: (url, init) =>
      fetchLimited(url, init).catch((cause: unknown) => {
        throw new Unreachable(cause);
      }),
  });
  return { keys, userinfo: found.userinfo_endpoint };
}

const away = (cause: unknown) =>
  unavailable("The sign-in provider cannot be reached at the moment. Please try again.", cause);

class Unreachable extends Error {
  constructor(cause: unknown) {
    super("the provider's keys cannot be read", { cause });
  }
}

function refuse(error: unknown): never {
  if (error instanceof errors.JWTExpired) throw unauthenticated("Session Expired");
  // The library's base class is what it throws when the keys' address answers with another status than 200.
  const isProviders =
    error instanceof Unreachable ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    (error as Error).constructor === errors.JOSEError;
  if (isProviders) throw away(error);
  // The signature, the claims, the algorithm or the key are not as they must be.
  throw unauthenticated("Unauthorized");
}

function readClaims(payload: JWTPayload, now: Date, provider: HostedProvider): HostedClaims {
  const { sub, sid, iat = 0 } = payload;
  const seconds = now.getTime() / 1000;
  if (!sub || sub.length > 255) throw unauthenticated("Unauthorized");
  if (iat > seconds + SKEW_SECONDS) throw unauthenticated("Unauthorized");
  if (!isForUs(payload, provider.clientId)) throw unauthenticated("Unauthorized");
  const { organization, role } = organizationOf(payload);
  // Signing in again would not help: it is a refusal, not a question who asks.
  if (organization !== provider.organization)
    throw forbidden(
      "This server belongs to another organization. Choose it in the console, or ask its administrators to add you.",
    );
  return {
    subject: sub,
    ...(typeof sid === "string" ? { sessionId: sid } : {}),
    isAdmin: role === "admin" || role === "org:admin",
    ...readProfile(payload),
  };
}

/** Made out to us, or, where a provider names no audience, asked for by us. */
function isForUs({ aud, azp }: JWTPayload, clientId: string): boolean {
  if (aud === undefined) return azp === clientId;
  return [aud].flat().includes(clientId);
}

/** Written out, or in the short form of some providers. */
function organizationOf(payload: JWTPayload): { organization?: string; role?: string } {
  const short = Organization.safeParse(payload.o).data;
  const { org_id: id, org_role: role } = payload;
  return {
    ...(typeof id === "string"
      ? { organization: id }
      : short?.id
        ? { organization: short.id }
        : {}),
    ...(typeof role === "string" ? { role } : short?.rol ? { role: short.rol } : {}),
  };
}

const Organization = z.object({ id: z.string().optional(), rol: z.string().optional() });

function readProfile(payload: JWTPayload): Partial<HostedClaims> {
  const text = (value: unknown) =>
    typeof value === "string" &&
    value.trim() !== "" &&
    value.isWellFormed() &&
    !value.includes("\0")
      ? value.trim().slice(0, 320)
      : undefined;
  const email = normalAddress(text(payload.email) ?? "");
  const [name, avatar] = [text(payload.name), text(payload.picture)];
  return {
    ...(email
      ? {
          email,
          isEmailVerified: payload.email_verified === true || payload.email_verified === "true",
        }
      : {}),
    ...(name ? { name } : {}),
    ...(avatar?.startsWith("https://") ? { avatar } : {}),
  };
}
