import { createHash } from "node:crypto";
import type { SnapshotRange } from "../range.ts";
import type { FileTally } from "./part-files.ts";
import type { Row } from "../parts/part.ts";

/** A table of the page: its files, and the first of its rows. */
export interface PageTable {
  title: string;
  columns: readonly string[];
  files: readonly FileTally[];
}

export interface SnapshotPage {
  name: string;
  type: string | undefined;
  noun: string;
  range: SnapshotRange;
  withRelated: boolean;
  taken: Date;
  by: string | undefined;
  tables: readonly PageTable[];
  /** What is not in it, and why, in a sentence each. */
  notices: readonly string[];
}

const style = `
:root { color-scheme: light dark; --line: #8884; --muted: #777; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1.5rem; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, li { margin: .25rem 0; } .muted { color: var(--muted); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; min-width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
td { max-width: 30rem; overflow-wrap: anywhere; }
.unhealthy, .failed, .error { color: #c62828; } .warning { color: #b26a00; } .healthy, .passed { color: #2e7d32; }
@media (prefers-color-scheme: dark) {
  .unhealthy, .failed, .error { color: #ff8a80; } .warning { color: #ffb74d; } .healthy, .passed { color: #81c784; }
}
`;
const digest = createHash("sha256").update(style).digest("base64");
/** Loads nothing, runs nothing, sends nothing. */
const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;

const signs: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** A text as it reads, within an element or an attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => signs[sign]!).replaceAll("\0", "\uFFFD");

/** The page of a snapshot: what it is of, what is in it and what is not, and the first rows of each table. */
export function* writePage(page: SnapshotPage): Generator<string> {
  const { name, type, noun, range, tables, notices } = page;
  const title = `Snapshot of ${name}`;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1><bdi>${escapeHtml(title)}</bdi></h1>
<p class="muted">${escapeHtml(`${type === undefined ? "" : `${type}, `}${noun}`)}</p>
<p>From ${time(range.start)} to ${time(range.end)}${page.withRelated ? ", with what is related" : ""}.
Taken at ${time(page.taken)}${page.by === undefined ? "" : ` by <bdi>${escapeHtml(page.by)}</bdi>`}.</p>
`;
  if (notices.length > 0)
    yield `<h2>What is not in it</h2>\n<ul>${notices.map((text) => `<li>${escapeHtml(text)}</li>`).join("\n")}</ul>\n`;
  yield `<h2>Files</h2>\n<div class="scroll"><table><thead><tr><th>File</th><th>Rows</th><th></th></tr></thead><tbody>\n`;
  for (const { files } of tables)
    for (const file of files)
      yield `<tr><td><a href="${encodeURIComponent(file.name)}">${escapeHtml(file.name)}</a></td><td>${file.rows}</td><td>${escapeHtml([...file.notices].join(" "))}</td></tr>\n`;
  yield "</tbody></table></div>\n";
  for (const { title: of, columns, files } of tables) {
    const [{ rows, first } = { rows: 0, first: [] }] = files;
    yield `<h2>${escapeHtml(of)}</h2>\n`;
    if (rows === 0) {
      yield `<p class="muted">There are none.</p>\n`;
      continue;
    }
    if (first.length < rows)
      yield `<p class="muted">The first ${first.length} of ${rows}; the files have all of them.</p>\n`;
    yield `<div class="scroll"><table><thead><tr>${columns.map((column) => `<th>${escapeHtml(words(column))}</th>`).join("")}</tr></thead><tbody>\n`;
    for (const row of first)
      yield `<tr>${columns.map((column) => cell(row, column)).join("")}</tr>\n`;
    yield "</tbody></table></div>\n";
  }
  yield "</body>\n</html>\n";
}

const words = (column: string) => {
  const text = column.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const time = (date: Date) =>
  `<time datetime="${date.toISOString()}">${date
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC")}</time>`;

/** Letters of one cell; the files have the rest. */
const longest = 500;
const judged = new Set(["healthy", "unhealthy", "warning", "passed", "failed", "error"]);

function cell(row: Row, column: string): string {
  const value = row[column];
  if (value === null || value === undefined) return "<td></td>";
  if (value instanceof Date) return `<td>${time(value)}</td>`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const shown = text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
  const mark = judged.has(text) ? ` class="${text}"` : "";
  return `<td${mark}><bdi>${escapeHtml(shown)}</bdi></td>`;
}
