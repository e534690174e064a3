import { RE2JS } from "re2js";

/** Where results lie: a folder, and which of the files below it. */
export interface ResultPlace {
  folder: string;
  /** Of a path below the folder. */
  isResult(path: string): boolean;
}

const wildcards = /[*?[{]/;

function partPattern(text: string): string {
  const pieces = text.split(/(\*\*\/|\*\*|\*|\?)/);
  return pieces
    .map((piece) => {
      if (piece === "**/") return "(?:.*/)?";
      if (piece === "**") return ".*";
      if (piece === "*") return "[^/]*";
      return piece === "?" ? "[^/]" : RE2JS.quote(piece);
    })
    .join("");
}

/** `/results/`, `/results/report.xml`, or with wildcards; undefined when it names no folder. */
export function readResultPlace(text: string): ResultPlace | undefined {
  const parts = text.trim().split("/");
  if (parts[0] !== "" || parts.some((part) => part === "..")) return undefined;
  const wild = parts.findIndex((part) => wildcards.test(part));
  const isFile = wild === -1 && /\.xml$/i.test(parts.at(-1) ?? "");
  const cut = wild === -1 ? (isFile ? parts.length - 1 : parts.length) : wild;
  const folder = parts.slice(0, cut).join("/").replace(/\/+$/, "");
  if (folder === "") return undefined;
  const rest = parts.slice(cut).join("/");
  const pattern = rest === "" ? undefined : RE2JS.compile(`^${partPattern(rest)}$`);
  return {
    folder,
    isResult: pattern
      ? (path) => pattern.matcher(path).matches()
      : (path) => path.toLowerCase().endsWith(".xml"),
  };
}

/** Files of results that are read, and their size together. */
export const mostFiles = 1000;
export const mostBytes = 16 * 1024 * 1024;

export interface ResultFile {
  path: string;
  text: string;
}

export class TooManyResults extends Error {
  constructor() {
    super(`the results are more than ${mostFiles} files or ${mostBytes / 1024 / 1024} MiB`);
  }
}
