import type { IncomingMessage } from "node:http";
import type { DataApiResponse } from "../respond.ts";

const exposed =
  "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit";

/** Headers that let pages of other origins read an answer: of all origins, or of those that are named. */
export function corsHeaders(
  { method, headers }: IncomingMessage,
  allowed: readonly string[] | undefined,
): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined) return {};
  const shown: Record<string, string> =
    method === "OPTIONS" ? {} : { "access-control-expose-headers": exposed };
  if (allowed === undefined) return { "access-control-allow-origin": "*", ...shown };
  if (!allowed.includes(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    ...shown,
    vary: "Origin",
  };
}

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" &&
  headers.origin !== undefined &&
  headers["access-control-request-method"] !== undefined;

/** What a browser asks before it sends a request of another origin. */
export function preflight({ headers }: IncomingMessage): DataApiResponse {
  const asked = headers["access-control-request-headers"];
  const wanted = ["Authorization", asked, "Accept", "Accept-Language", "Content-Language"];
  return {
    status: 200,
    headers: {
      "access-control-allow-methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD",
      "access-control-allow-headers": wanted.filter((name) => name !== undefined).join(", "),
      "access-control-max-age": "86400",
    },
    body: "",
  };
}
