import { ApiError } from "../errors.ts";

/** What `Prefer` asks for. */
export interface Preferences {
  returns?: "representation" | "minimal" | "headers-only";
  count?: "exact" | "planned" | "estimated";
  handling?: "strict" | "lenient";
  /** What to do with a row whose key is taken. */
  resolution?: "merge-duplicates" | "ignore-duplicates";
  missing?: "default" | "null";
  /** How the transaction ends, where the program lets the client choose. */
  tx?: "commit" | "rollback";
  timezone?: string;
  maxAffected?: number;
}

/** What a request does, for which of its preferences count. */
export type Doing = "read" | "insert" | "update" | "delete" | "call";

/** The parts that were followed, for `Preference-Applied`. A read has nothing to return but its rows. */
export function appliedPreferences(preferences: Preferences, doing: Doing): string {
  const { returns, count, handling, resolution, missing, tx, timezone, maxAffected } = preferences;
  const isWrite = doing === "insert" || doing === "update" || doing === "delete";
  const applied = [
    resolution && doing === "insert" ? `resolution=${resolution}` : "",
    missing && (doing === "insert" || doing === "update") ? `missing=${missing}` : "",
    returns && isWrite ? `return=${returns}` : "",
    count ? `count=${count}` : "",
    tx ? `tx=${tx}` : "",
    handling ? `handling=${handling}` : "",
    timezone !== undefined ? `timezone=${timezone}` : "",
    maxAffected !== undefined && handling === "strict" && doing !== "read" && doing !== "insert"
      ? `max-affected=${maxAffected}`
      : "",
  ];
  return applied.filter((part) => part !== "").join(", ");
}

const known: Record<string, readonly string[]> = {
  return: ["representation", "minimal", "headers-only"],
  count: ["exact", "planned", "estimated"],
  handling: ["strict", "lenient"],
  resolution: ["merge-duplicates", "ignore-duplicates"],
  missing: ["default", "null"],
  tx: ["commit", "rollback"],
};

export interface PreferenceRules {
  /** Whether the client may say how the transaction ends. */
  tx: boolean;
}

const nothing: Preferences = {};

/** Reads `Prefer`. The first of each kind counts; what is unknown is ignored, unless `handling=strict` asks otherwise. */
export function parsePreferences(header: string | undefined, rules: PreferenceRules): Preferences {
  if (header === undefined || header === "") return nothing;
  const chosen = new Map<string, string>();
  const unknown: string[] = [];
  for (const part of header.split(",")) {
    const text = part.trim();
    const [name = "", value = ""] = text.split("=").map((side) => side.trim());
    const isKnown =
      known[name]?.includes(value) ||
      (name === "max-affected" && /^-?\d{1,15}$/.test(value)) ||
      (name === "timezone" && isPossibleTimezone(value));
    if (!isKnown) {
      if (text !== "") unknown.push(text);
    } else if (!chosen.has(name)) {
      chosen.set(name, value);
    }
  }
  if (chosen.get("handling") === "strict" && unknown.length > 0) {
    throw new ApiError(400, "PGRST122", "Invalid preferences given with handling=strict", {
      details: `Invalid preferences: ${unknown.join(", ")}`,
    });
  }
  const maxAffected = chosen.get("max-affected");
  return {
    returns: chosen.get("return") as Preferences["returns"],
    count: chosen.get("count") as Preferences["count"],
    handling: chosen.get("handling") as Preferences["handling"],
    resolution: chosen.get("resolution") as Preferences["resolution"],
    missing: chosen.get("missing") as Preferences["missing"],
    tx: rules.tx ? (chosen.get("tx") as Preferences["tx"]) : undefined,
    timezone: chosen.get("timezone"),
    maxAffected: maxAffected === undefined ? undefined : Number(maxAffected),
  };
}

/** What is longer may overrun the place for it in a PostgreSQL before 18.6 (CVE-2026-14669). */
const longestTimezone = 24;

/** Whether there is such a zone the database says itself, and refuses the request when there is none. */
function isPossibleTimezone(name: string): boolean {
  const isShort = name.length <= longestTimezone && /^[\x20-\x7e]*$/.test(name);
  if (isShort || isNamedZone(name)) return true;
  throw new ApiError(
    400,
    "PGRST129",
    `The timezone preference is longer than ${longestTimezone} characters`,
  );
}

/** The language has the same table of zones as the database; some of their names are longer. */
function isNamedZone(name: string): boolean {
  if (!/^[\w+/-]{1,64}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
