import { beyondLimit } from "../errors.ts";
import { limits } from "../limits.ts";

export type Pair = readonly [key: string, value: string];

/** Splits a raw query string. Empty parts (`?&`, `&&`, a trailing `&`) do not matter; `+` is a space. */
export function parseQueryString(query: string): Pair[] {
  if (query.length > limits.queryLength)
    throw beyondLimit("characters in the query string", limits.queryLength);
  const pairs: Pair[] = [];
  for (const part of query.replace(/^\?/, "").split("&")) {
    if (part === "") continue;
    if (pairs.length === limits.parameters) throw beyondLimit("parameters", limits.parameters);
    const equals = part.indexOf("=");
    pairs.push(
      equals < 0
        ? [decode(part), ""]
        : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))],
    );
  }
  return pairs;
}

/** Percent-decoding that leaves a `%` that starts nothing as it is: people type per cent signs into search boxes. */
export function decode(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  const spaced = text.replaceAll("+", " ");
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}
