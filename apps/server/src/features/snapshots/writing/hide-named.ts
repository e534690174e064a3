import { namesSecret, secretPlaceholder } from "@mainstay/contract";

/**
 * Snapshots are handed on, so what a system wrote into its own texts and settings is hidden as well where a name says
 * that it is secret. What is lost too much is there for who may read it in the console.
 */

/**
 * `name: `, `"name": ` and `name=`, anywhere in a text; also in a text within a text, with its quotes escaped.
 * Begun at the beginnings of words alone: from each letter, a long text without an end would take a hundred times as long.
 */
const named = /(?<!\w)(\w[\w.-]{0,127})\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}/g;
const valueAmongOthers = /\\{0,3}"[^"\n]*"?|'[^'\n]*'?|[^\s,;&"'{}[\]<>]+/y;
/** Of a setting on a line of its own, everything. */
const valueOfLine = /[^\r\n]+/y;
const lineStart = /^[+\- \t]*(?:export[ \t]+)?["']?$/;
/** What stands before the secret itself, as in `Authorization: Bearer abc`. */
const scheme = /\b(Bearer|Basic|Token)[ \t]+[\w.~+/=-]{6,}/gi;
const userInfo =
  /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@]{0,256}:)[^\s/?#@]{1,1024}@/gi;
const privateKey =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

export const hideInText = (text: string): string =>
  hideNamed(
    text
      .replaceAll(privateKey, secretPlaceholder)
      .replaceAll(userInfo, (_, before: string) => `${before}${secretPlaceholder}@`)
      .replaceAll(scheme, (_, word: string) => `${word} ${secretPlaceholder}`),
  );

function hideNamed(text: string): string {
  let made = "";
  let told = 0;
  named.lastIndex = 0;
  for (let match = named.exec(text); match; match = named.exec(text)) {
    if (!namesSecret(match[1]!)) continue;
    const before = text.slice(Math.max(0, match.index - 128), match.index);
    const value = lineStart.test(before.slice(before.lastIndexOf("\n") + 1))
      ? valueOfLine
      : valueAmongOthers;
    value.lastIndex = named.lastIndex;
    if (!value.test(text)) continue;
    made += text.slice(told, named.lastIndex) + secretPlaceholder;
    told = value.lastIndex;
    named.lastIndex = told;
  }
  return made + text.slice(told);
}

/** Values of such names in JSON, and of pairs such as `{"name": "PASSWORD", "value": …}`; texts as above. */
export function hideInJson(value: unknown): unknown {
  if (typeof value === "string") return hideInText(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(hideInJson);
  const map = value as Record<string, unknown>;
  const told = typeof map.name === "string" ? map.name : typeof map.key === "string" ? map.key : "";
  return Object.fromEntries(
    Object.entries(map).map(([key, inner]) => [
      key,
      namesSecret(key) || ((key === "value" || key === "text") && namesSecret(told))
        ? hidden(inner)
        : hideInJson(inner),
    ]),
  );
}

/** All texts and numbers in it. */
function hidden(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? value : secretPlaceholder;
  if (typeof value === "number" || typeof value === "bigint") return secretPlaceholder;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(hidden);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner)]));
}
