import type { FastifyRequest } from "fastify";

/** What a request says of itself in `Authorization`; nothing is ever read from its address. */
export type Authorization =
  | { scheme: "bearer"; token: string }
  | { scheme: "basic"; user: string; password: string }
  /** Basic, and not readable. */
  | { scheme: "unreadable" };

/** The user name of Basic that says that the password is an access token. */
export const TOKEN_USER = "token";

export function readAuthorization(request: FastifyRequest): Authorization | undefined {
  const [, scheme = "", value = ""] =
    /^(bearer|basic) +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  if (scheme === "") return undefined;
  if (scheme.toLowerCase() === "bearer") return { scheme: "bearer", token: value };
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) return { scheme: "unreadable" };
  return { scheme: "basic", user: text.slice(0, colon), password: text.slice(colon + 1) };
}
