import type { Language } from "../language.ts";
import type { Mapping } from "../values.ts";

/** Names as CEL has them, without those of members (`results.json`): nothing stands between a member and its point. */
const names = /(?<![\w)\]}"']\.)(?<!\w)[A-Za-z_]\w*/g;

/**
 * What of a context a script can see. Expressions reach a variable by its name alone, so that others need not be sent: the
 * same rows often stand in a context under several names. Other languages can look through all that there is.
 */
export function mentionedOf(context: Mapping, language: Language, script: string): Mapping {
  if (language !== "cel" && language !== "expr") return context;
  const mentioned = new Set(script.match(names));
  const entries = Object.entries(context);
  const seen = entries.filter(([name]) => mentioned.has(name));
  return seen.length === entries.length ? context : Object.fromEntries(seen);
}
