import type { ExecScraper } from "@mainstay/contract";
import { failureOf, runScript } from "#platform/outbound/scripts/run-script.ts";
import type { Json } from "../../changes/json-patch.ts";
import type { Found } from "../../scraping/scraped.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";

/** Bytes of what a script writes. */
const mostOutput = 64 * 1024 * 1024;

async function* scrape({
  spec,
  signal,
  connector,
}: ScrapeInput<ExecScraper>): AsyncIterable<Found> {
  const { run } = await runScript(spec, { connector, signal, keptOutput: mostOutput });
  signal.throwIfAborted();
  if (run.exitCode !== 0) throw new Error(failureOf(run));
  if (run.stdout.isCut)
    throw new Error(`The script wrote more than ${mostOutput} bytes; nothing of it was read.`);
  const text = run.stdout.text.trim();
  if (text === "") return;
  for (const content of contentsOf(text, spec.format)) yield { kind: "content", read: { content } };
}

/** One document, or a JSON document a line. */
function contentsOf(text: string, format: string | undefined): Json[] {
  if (format !== undefined && format !== "json") return [text];
  try {
    const value = JSON.parse(text) as Json;
    return Array.isArray(value) ? [...(value as readonly Json[])] : [value];
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return lines.length > 1 && lines.every((line) => line.trimStart().startsWith("{"))
      ? lines
      : [text];
  }
}

/** What scripts write. */
export const execScraper = scraperType<ExecScraper>({ type: "exec", scrape });
