import { type FoundResource, type FoundResources, searchLimits } from "@mainstay/contract";
import { StartupError } from "@mainstay/embedded-postgres";
import { toYaml } from "#platform/documents/text/write-document.ts";
import { ask, findServer, RefusedError, type ServerFlags } from "./server-access.ts";
import { formatTable } from "./table.ts";

interface SearchOptions extends ServerFlags {
  kind: string;
  limit: string;
  output: "table" | "json" | "yaml";
}

/** Finds resources by a typed search, and lists them. What is wrong with it is pointed at. */
export async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const text = words.join(" ");
  const limit = Number(options.limit);
  if (!/^\d{1,4}$/.test(options.limit) || limit < 1 || limit > searchLimits.rows)
    throw new StartupError(`--limit takes a number from 1 to ${searchLimits.rows}`);
  const { kind } = options;
  const body = {
    words: "text",
    limit,
    // What says nothing selects nothing; a search that says nothing means all.
    [kind]: [{ agent: "all", ...(text.trim() === "" ? { name: "*" } : { search: text }) }],
  };
  const found = await ask<FoundResources>(
    findServer(options),
    "POST",
    "/api/resources/search",
    body,
  ).catch((error: unknown) => {
    throw pointed(error, text) ?? error;
  });
  const rows = found[kind];
  if (!rows) throw new StartupError(`Nothing is searched as ${JSON.stringify(kind)}.`);
  write(shown(rows, options.output));
  if (rows.length === limit && limit < searchLimits.rows)
    process.stderr.write(`These are the first ${limit}; --limit shows more.\n`);
}

function shown(rows: readonly FoundResource[], output: SearchOptions["output"]): string {
  if (output === "json") return JSON.stringify(rows, undefined, 2);
  if (output === "yaml") return rows.map(toYaml).join("---\n");
  return formatTable(
    ["NAMESPACE", "NAME", "TYPE", "HEALTH", "ID"],
    rows.map(({ namespace, name, type, status, id }) => [namespace, name, type, status ?? "", id]),
  );
}

/** The line of a search that is wrong, and where. */
function pointed(error: unknown, text: string): StartupError | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  const issue = error.body.issues?.find(({ path }) => path.endsWith(".search"));
  if (issue?.line === undefined || issue.column === undefined) return undefined;
  const line = (text.split("\n")[issue.line - 1] ?? "").replaceAll(/\p{Cc}/gu, " ");
  const place = Math.min(issue.column - 1, line.length);
  // A terminal is narrower than some searches.
  const from = Math.max(0, place - 60);
  return new StartupError(
    `${line.slice(from, place + 40)}\n${" ".repeat(place - from)}^ ${issue.message}`,
  );
}

const write = (text: string) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
