import { ApiError } from "../errors.ts";

export interface Preferences {
  returns?: "representation" | "minimal" | "headers-only";
  count?: "exact" | "planned" | "estimated";
  handling?: "strict" | "lenient";
  /** What an insert does with a row whose key is taken. */
  resolution?: "merge-duplicates" | "ignore-duplicates";
  missing?: "default" | "null";
}

/** The parts that were followed, for `Preference-Applied`. A read has nothing to return but its rows. */
export function appliedPreferences(
  { returns, count, handling, resolution }: Preferences,
  isWrite: boolean,
): string {
  const applied = [
    resolution && isWrite ? `resolution=${resolution}` : "",
    returns && isWrite ? `return=${returns}` : "",
    count ? `count=${count}` : "",
    handling ? `handling=${handling}` : "",
  ];
  return applied.filter((part) => part !== "").join(", ");
}

const known: Record<string, readonly string[]> = {
  return: ["representation", "minimal", "headers-only"],
  count: ["exact", "planned", "estimated"],
  handling: ["strict", "lenient"],
  resolution: ["merge-duplicates", "ignore-duplicates"],
  missing: ["default", "null"],
};

/** Reads `Prefer`. The first of each kind counts; what is unknown is ignored, unless `handling=strict` asks otherwise. */
export function parsePreferences(header: string | undefined): Preferences {
  const chosen = new Map<string, string>();
  const unknown: string[] = [];
  for (const part of (header ?? "").split(",")) {
    const text = part.trim();
    const [name = "", value = ""] = text.split("=").map((side) => side.trim());
    if (!known[name]?.includes(value)) {
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
  return {
    returns: chosen.get("return") as Preferences["returns"],
    count: chosen.get("count") as Preferences["count"],
    handling: chosen.get("handling") as Preferences["handling"],
    resolution: chosen.get("resolution") as Preferences["resolution"],
    missing: chosen.get("missing") as Preferences["missing"],
  };
}
