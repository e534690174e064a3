import { isHarmlessHeader, namesSecret } from "@mainstay/contract";
import { readJson } from "#platform/outbound/http/read-json.ts";
import type { ReceivedCall } from "./check-types/index.ts";

/** Headers that are kept, and characters of one. */
const mostHeaders = 50;
const longestHeader = 1000;

/** What checks may see of a call: its body, and the headers that carry no credentials. */
export function receivedCall(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: unknown,
): ReceivedCall {
  const kept = Object.entries(headers)
    .filter(([name]) => isHarmlessHeader(name) || (!namesSecret(name) && name !== "cookie"))
    .slice(0, mostHeaders)
    .map(([name, value]) => [name, String(value ?? "").slice(0, longestHeader)]);
  const call = { headers: Object.fromEntries(kept) as Record<string, string> };
  const text = typeof body === "string" ? body : "";
  const json = /\bjson\b/i.test(call.headers["content-type"] ?? "") ? readJson(text) : undefined;
  return json === undefined ? { ...call, content: text } : { ...call, json };
}
