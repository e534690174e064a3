/** How much a line matters, the least first. A line that does not say has none. */
export const lineLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LineLevel = (typeof lineLevels)[number];

/**
 * What programs write for a level: the names of log4j, Python, Go, Java, and of RFC 5424 (section 6.2.1), besides ours.
 */
const synonyms: Readonly<Record<string, LineLevel>> = {
  verbose: "trace",
  finest: "trace",
  finer: "trace",
  dbg: "debug",
  fine: "debug",
  config: "debug",
  information: "info",
  informational: "info",
  inf: "info",
  notice: "info",
  warning: "warn",
  wrn: "warn",
  err: "error",
  severe: "error",
  crit: "fatal",
  critical: "fatal",
  alert: "fatal",
  emerg: "fatal",
  emergency: "fatal",
  panic: "fatal",
};

const isLevel = (word: string): word is LineLevel =>
  (lineLevels as readonly string[]).includes(word);

/** The level that a word means, in any case; nothing for a word that means none. */
export function lineLevelOf(word: string): LineLevel | undefined {
  const lower = word.trim().toLowerCase();
  if (isLevel(lower)) return lower;
  return Object.hasOwn(synonyms, lower) ? synonyms[lower] : undefined;
}

/** Every spelling of a level, for backends that compare words: in lower case, the level's own first. */
export const spellingsOf = (level: LineLevel): string[] => [
  level,
  ...Object.keys(synonyms).filter((word) => synonyms[word] === level),
];
