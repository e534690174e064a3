import { type ExecScraper, ResourceSelector } from "@mainstay/contract";
import { failureOf, placedPath, runScript } from "#platform/outbound/scripts/run-script.ts";
import type { Json } from "../../changes/json-patch.ts";
import { readContent } from "../../scraping/read-content.ts";
import type { Found } from "../../scraping/scraped.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";

/** Bytes of what a script writes. */
const mostOutput = 64 * 1024 * 1024;

async function* scrape(input: ScrapeInput<ExecScraper>): AsyncIterable<Found> {
  const { spec, signal, connector } = input;
  const placed = await readQueries(input);
  const { run } = await runScript(spec, { connector, signal, keptOutput: mostOutput, placed });
  signal.throwIfAborted();
  if (run.exitCode !== 0) throw new Error(failureOf(run));
  if (run.stdout.isCut)
    throw new Error(`The script wrote more than ${mostOutput} bytes; nothing of it was read.`);
  const text = run.stdout.text.trim();
  if (text === "") return;
  for (const content of contentsOf(text, spec.format)) yield { kind: "content", read: { content } };
}

/** What the script finds of the catalog, each answer as a list in a file of its own. */
async function readQueries({ spec, items, signal }: ScrapeInput<ExecScraper>) {
  const files: { path: string; text: string }[] = [];
  for (const [index, { path: written, ...selector }] of (spec.query ?? []).entries()) {
    const place = `query.${index}`;
    if (!items) throw new Error(`${place}: a server has a catalog, and there is none here.`);
    const path = placedPath(written);
    if (path === undefined)
      throw new Error(
        `${place}.path: "${written}" is outside of the folder that the script starts in.`,
      );
    const read = ResourceSelector.safeParse(selector);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new Error(`${[place, ...(issue?.path ?? [])].join(".")}: ${issue?.message}`);
    }
    const found = await items([read.data], { signal });
    files.push({ path, text: JSON.stringify(found) });
  }
  return files;
}

const membersOf = (value: Json): Json[] =>
  Array.isArray(value) ? [...(value as readonly Json[])] : [value];

/** One document, or a JSON document a line; YAML as well where no format is said. */
function contentsOf(text: string, format: string | undefined): Json[] {
  if (format !== undefined && format !== "json") return [text];
  try {
    return membersOf(JSON.parse(text) as Json);
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (lines.length > 1 && lines.every((line) => line.trimStart().startsWith("{"))) return lines;
    return (format === undefined && readAsYaml(text)) || [text];
  }
}

/** Characters of what is tried as YAML: to read it takes much longer than JSON, and nothing else has its turn meanwhile. */
const mostTried = 262_144;

/** Nothing where it is no YAML either, or only a text, as any text is. JSON that is broken is no YAML that is meant. */
function readAsYaml(text: string): Json[] | undefined {
  if (text.length > mostTried || /^[[{]/.test(text)) return undefined;
  try {
    const { values } = readContent(text, "yaml");
    return values.length > 0 && values.every((value) => typeof value === "object")
      ? values.flatMap(membersOf)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What scripts write. */
export const execScraper = scraperType<ExecScraper>({ type: "exec", scrape });
