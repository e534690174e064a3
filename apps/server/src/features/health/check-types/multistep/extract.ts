import type { MultistepStep } from "@mainstay/contract";
import { RE2JS } from "re2js";
import type { CookieJar } from "#platform/outbound/http/cookies.ts";
import type { Exchange } from "#platform/outbound/http/exchange.ts";
import { selectText } from "../http/json-path.ts";

type Extract = NonNullable<MultistepStep["extract"]>[number];

/** Of a value that later requests carry. */
const longestValue = 16_384;

/** The value that a step takes out of its answer; throws a sentence when it is not there. */
export function extractValue(
  { name, jsonPath, regex, header, cookie }: Extract,
  { answer, text, json, jar }: { answer: Exchange; text: string; json: unknown; jar: CookieJar },
): string {
  const [value, where] = found();
  if (value === undefined) throw new Error(`${name} is not there: ${where}`);
  if (value.length > longestValue)
    throw new Error(`${name} is longer than ${longestValue} characters`);
  return value;

  function found(): [value: string | undefined, where: string] {
    if (jsonPath !== undefined) {
      if (json === undefined) return [undefined, "the body is not JSON"];
      return [selectText(json, jsonPath)[0], `nothing is at ${jsonPath}`];
    }
    if (regex !== undefined) {
      const matcher = RE2JS.compile(regex).matcher(text);
      if (!matcher.find()) return [undefined, "nothing in the body matches"];
      return [matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? undefined, "its group is empty"];
    }
    if (header !== undefined)
      return [answer.headers[header.toLowerCase()], `the answer has no header ${header}`];
    return [jar.value(cookie!), `no cookie ${cookie} was set`];
  }
}
