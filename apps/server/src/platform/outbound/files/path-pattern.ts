import { RE2JS } from "re2js";

/** A path with wildcards: the folder to begin in, and what the names below it must look like. */
export interface PathPattern {
  root: string;
  /** Absent where the path is a plain one. */
  matches?: (relative: string) => boolean;
  /** Folders inside each other that the pattern reaches; endless with `**`. */
  levels: number;
}

const special = /[\\^$.|+()]/g;

/** One part of a path: `*` and `?` stop at slashes, `[a-z]`, `[!a]` and `{a,b}` are as in shells. */
function partPattern(part: string): string {
  let pattern = "";
  let open = 0;
  for (let at = 0; at < part.length; at += 1) {
    const char = part[at]!;
    const end = char === "[" ? part.indexOf("]", at + 2) : -1;
    if (char === "*") pattern += "[^/]*";
    else if (char === "?") pattern += "[^/]";
    else if (end > 0) {
      const inside = part
        .slice(at + 1, end)
        .replaceAll("\\", "\\\\")
        .replaceAll("[", "\\[");
      pattern += `[${inside.replace(/^[!^]/, "^")}]`;
      at = end;
    } else if (char === "{" && part.includes("}", at)) {
      pattern += "(?:";
      open += 1;
    } else if (char === "}" && open > 0) {
      pattern += ")";
      open -= 1;
    } else if (char === "," && open > 0) pattern += "|";
    else
      pattern += char.replaceAll(special, String.raw`\$&`).replaceAll(/[[\]{}]/g, String.raw`\$&`);
  }
  return pattern + ")".repeat(open);
}

/** The pattern as a regular expression; `**` stands for any number of folders, also for none. */
function compile(parts: readonly string[]): RE2JS {
  const last = parts.length - 1;
  const text = parts
    .map((part, index) => {
      if (part === "**") return index === last ? ".*" : "(?:[^/]+/)*";
      return partPattern(part) + (index === last ? "" : "/");
    })
    .join("");
  return RE2JS.compile(`^(?s:${text})$`);
}

const isWild = (part: string) => /[*?]/.test(part);

/**
 * Splits a path with `*`, `?` or `**` into the folder before them and the pattern behind it. `recursive` reads what a
 * pattern without `**` matches as folders, too.
 */
export function readPathPattern(path: string, recursive: boolean): PathPattern {
  const parts = path.split("/");
  const first = parts.findIndex(isWild);
  if (first === -1) return { root: path, levels: recursive ? Number.POSITIVE_INFINITY : 0 };
  const root = parts.slice(0, first).join("/") || (path.startsWith("/") ? "/" : "");
  const wild = parts.slice(first).filter((part) => part !== "");
  const own = compile(wild);
  const isDeep = wild.includes("**");
  const below = recursive && !isDeep ? compile([...wild, "**"]) : undefined;
  return {
    root,
    matches: (relative) => own.matches(relative) || below?.matches(relative) === true,
    levels: isDeep || recursive ? Number.POSITIVE_INFINITY : wild.length - 1,
  };
}
