import { CompactSign } from "jose";
import type { CorpusRequest } from "./corpus.ts";

export const jwtSecret = "a secret of more than thirty-two characters";
export const jwtAudience = "shop";

type Claims = Record<string, unknown>;

const bytes = (text: string) => new TextEncoder().encode(text);
const part = (text: string) => Buffer.from(text).toString("base64url");

/** What `Authorization` holds: `payload` may be no claims at all. */
async function bearer(
  payload: Claims | string,
  header: { alg?: string; kid?: string } = {},
  secret = jwtSecret,
): Promise<string> {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const token = await new CompactSign(bytes(text))
    .setProtectedHeader({ alg: "HS256", ...header })
    .sign(bytes(secret));
  return `Bearer ${token}`;
}

const now = Math.floor(Date.now() / 1000);
const farAway = 9_999_999_999;
const role = "roles_clerk";
const own = await bearer({ role });
const [head, body, signature] = own.slice("Bearer ".length).split(".");

/** `Authorization` of those whom the requests are asked as; what each may do is in `roles.sql`. */
export const people: Readonly<Record<string, string | undefined>> = {
  nobody: undefined,
  clerk: await bearer({ role, exp: farAway }),
  reader: await bearer({ role: "roles_reader", aud: jwtAudience }),
  ann: await bearer({ role: "roles_tenant", sub: "ann" }),
  bob: await bearer({ role: "roles_tenant", sub: "bob", iat: 1_000, nbf: 1_000 }),
  stranger: await bearer({ role: "roles_stranger" }),
  outsider: await bearer({ role: "roles_outsider" }),
};

/** `Authorization` that says a role in another way, or is to be refused. */
export const otherTokens: Readonly<Record<string, string>> = {
  "odd name": await bearer({ role: 'roles "odd" name' }),
  "anonymous role": await bearer({ role: "roles_anon" }),
  "login role": await bearer({ role: "roles_login" }),
  "no role": await bearer({ sub: "ann", about: { café: ["a'b", '"c"', "\\", 1.5, null] } }),
  "no claims": await bearer({}),
  "role null": await bearer({ role: null }),
  "role empty": await bearer({ role: "" }),
  "role none": await bearer({ role: "none" }),
  "role a number": await bearer({ role: 5 }),
  "role a list": await bearer({ role: [role] }),
  "role unknown": await bearer({ role: "roles_nobody" }),
  "role not lent": await bearer({ role: "roles_unlent" }),
  "role that injects": await bearer({ role: "roles_anon'; drop table shop.goods; --" }),
  "role in upper case": await bearer({ role: "ROLES_CLERK" }),
  "exact numbers": await bearer('{"role":"roles_clerk","n":12345678901234567890,"m":0.10}'),
  "key named": await bearer({ role }, { kid: "another" }),
  "scheme in lower case": own.replace("Bearer", "bearer"),
  "scheme in upper case": own.replace("Bearer", "BEARER"),
  "two spaces": own.replace(" ", "  "),
  "another scheme": "Basic YTpi",
  "no scheme": own.replace("Bearer ", ""),
  "scheme alone": "Bearer",
  "scheme and a space": "Bearer ",
  HS384: await bearer({ role }, { alg: "HS384" }),
  HS512: await bearer({ role }, { alg: "HS512" }),
  expired: await bearer({ role, exp: 1_000 }),
  "expired a moment ago": await bearer({ role, exp: now - 10 }),
  "expired a minute ago": await bearer({ role, exp: now - 60 }),
  "not yet": await bearer({ role, nbf: farAway }),
  "in a moment": await bearer({ role, nbf: now + 20 }),
  "in a minute": await bearer({ role, nbf: now + 90 }),
  "issued in the future": await bearer({ role, iat: farAway }),
  "issued in a moment": await bearer({ role, iat: now + 20 }),
  "exp in words": await bearer({ role, exp: "soon" }),
  "exp null": await bearer({ role, exp: null }),
  "exp a fraction": await bearer({ role, exp: farAway + 0.5 }),
  "exp negative": await bearer({ role, exp: -1 }),
  "nbf in words": await bearer({ role, nbf: "soon" }),
  "iat in words": await bearer({ role, iat: "soon" }),
  "for others": await bearer({ role, aud: "other" }),
  "for several": await bearer({ role, aud: ["other", jwtAudience] }),
  "for several others": await bearer({ role, aud: ["other", "others"] }),
  "for no one": await bearer({ role, aud: [] }),
  "for null": await bearer({ role, aud: null }),
  "for a number": await bearer({ role, aud: 5 }),
  "expired and for others": await bearer({ role, exp: 1_000, aud: "other" }),
  "wrong secret": await bearer({ role }, {}, `${jwtSecret}!`),
  "wrong secret and expired": await bearer({ role, exp: 1_000 }, {}, `${jwtSecret}!`),
  "not signed": `Bearer ${part('{"alg":"none"}')}.${body}.`,
  "signature cut": own.slice(0, -4),
  "another payload": `Bearer ${head}.${part('{"role":"roles_clerk","sub":"x"}')}.${signature}`,
  "claims a list": await bearer('["roles_clerk"]'),
  "claims a text": await bearer('"roles_clerk"'),
  "claims no JSON": await bearer("roles_clerk"),
  "one part": "Bearer abc",
  "two parts": "Bearer abc.def",
  "four parts": `${own}.abc`,
  "five parts": `${own}.abc.def`,
  "bad parts": "Bearer a.b.c",
  "header no JSON": `Bearer ${part("x")}.${body}.${signature}`,
  "algorithm unknown": `Bearer ${part('{"alg":"XX1"}')}.${body}.${signature}`,
};

/** The request with what it is sent with. */
export function authorized({ as = "nobody", ...request }: CorpusRequest): CorpusRequest {
  const authorization = people[as] ?? otherTokens[as];
  if (authorization === undefined) return request;
  return { ...request, headers: { ...request.headers, authorization } };
}
