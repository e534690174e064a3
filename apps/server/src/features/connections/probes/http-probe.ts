import { type Exchange, type HttpRequest } from "#platform/outbound/http/exchange.ts";
import { placeOf } from "#platform/outbound/http/address.ts";
import type { Connection } from "../connection.ts";
import type { Probe } from "./probe.ts";

/** A harmless request that only succeeds for whoever may use the service. */
export interface Call extends Omit<HttpRequest, "url"> {
  url: string;
  /** Where the answer itself says whether it is one: services that answer 200 to everything. */
  refusal?(answer: unknown): string | undefined;
  /** Codes that are fine besides 200 to 299. */
  fine?: readonly number[];
}

const mostBody = 1024 * 1024;

/** A probe of one request. */
export const httpProbe =
  (callOf: (connection: Connection) => Call): Probe =>
  async ({ connection, send }) => {
    await call(send, callOf(connection), connection);
  };

/** Sends a call and judges its answer; the parsed body comes back, if it is one. */
export async function call(
  send: (request: HttpRequest) => Promise<Exchange>,
  { url: text, refusal, fine = [], ...request }: Call,
  { insecureTls }: Pick<Connection, "insecureTls">,
): Promise<unknown> {
  if (!URL.canParse(text)) throw new Error("The address cannot be read: expected https://host.");
  const url = new URL(text);
  const answer = await send({
    url,
    mostBody,
    ...(insecureTls && { tls: { insecureSkipVerify: true } }),
    ...request,
  });
  const body = jsonOf(answer.body);
  const place = placeOf(url);
  const isFine = (answer.code >= 200 && answer.code < 300) || fine.includes(answer.code);
  if (!isFine) throw new Error(`${place} answered ${answer.code}${reasonIn(body)}.`);
  const refused = refusal?.(body);
  if (refused !== undefined) throw new Error(`${place} refused: ${refused}`);
  return body;
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

const told = ["error_description", "message", "description", "msg", "error", "detail"];

/** What the service itself says of a refusal. */
function reasonIn(body: unknown): string {
  let found: unknown = body;
  for (let depth = 0; depth < 3 && typeof found === "object" && found !== null; depth += 1) {
    const part: Record<string, unknown> = found as Record<string, unknown>;
    found = told.map((key) => part[key]).find((value) => value !== undefined);
  }
  return typeof found === "string" && found !== ""
    ? `: ${found.slice(0, 300).replace(/\.+$/, "")}`
    : "";
}

/** An address with a path added to it. */
export function below(base: string, path: string): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  const [name = "", query] = path.split("?");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${name}`;
  if (query !== undefined) url.search = query;
  return url.href;
}

export const basic = ({ username = "", password = "" }: Connection): Pick<Call, "auth"> =>
  username === "" && password === "" ? {} : { auth: { kind: "basic", username, password } };

export const bearer = (token: string | undefined): Pick<Call, "auth"> =>
  token === undefined || token === "" ? {} : { auth: { kind: "bearer", token } };
