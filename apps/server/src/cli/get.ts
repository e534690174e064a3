import {
  consoleSource,
  type DocumentFormat,
  joinDocuments,
  type StoredDocument,
} from "@mainstay/contract";
import { toYaml } from "#platform/documents/text/write-document.ts";
import { kindCalled } from "./document-kinds.ts";
import { ask, findServer, type ServerAccess, type ServerFlags } from "./server-access.ts";
import { formatTable } from "./table.ts";

interface GetOptions extends ServerFlags {
  namespace?: string;
  labels?: string;
  source?: string;
  output: "table" | "json" | "yaml";
}

interface CheckRow {
  name: string;
  type: string;
  namespace: string | null;
  status: string | null;
  last_runtime: string | null;
  canaries: { name: string; namespace: string } | null;
}

/** Lists documents of a kind (as they could be applied, with yaml or json) or checks. */
export async function get(
  kind: string,
  name: string | undefined,
  options: GetOptions,
): Promise<void> {
  if (/^checks?$/.test(kind)) return getChecks(name, options);
  const meant = kindCalled(kind, ["checks"]);
  const filter = new URLSearchParams();
  for (const [key, value] of Object.entries({
    name,
    namespace: options.namespace,
    labels: options.labels,
    source: options.source,
  }))
    if (value !== undefined) filter.set(key, value);
  if (options.output === "yaml") filter.set("text", "true");
  const access = findServer(options);
  const found = await readAll(access, meant, filter);
  // A server of before sends none.
  const written = found.map(({ document }) => document);
  if (options.output === "json") return print(written, "json");
  if (options.output === "yaml") {
    write(joinDocuments(found.map(({ text, document }) => text ?? toYaml(document))));
    return;
  }
  const { listed = {} } = meant;
  const cells = Object.values(listed);
  write(
    formatTable(
      ["NAMESPACE", "NAME", ...Object.keys(listed), "SOURCE"],
      found.map(({ document, source, applied }) => [
        document.metadata.namespace ?? "",
        document.metadata.name,
        ...cells.map((cell) => cell(document)),
        `${source ?? consoleSource}${applied !== undefined ? " (drifted)" : ""}`,
      ]),
    ),
  );
}

/** Of one answer. */
const PORTION = 500;

async function readAll(
  access: ServerAccess,
  { name }: DocumentFormat,
  filter: URLSearchParams,
): Promise<StoredDocument[]> {
  const all: StoredDocument[] = [];
  for (;;) {
    const query = new URLSearchParams(filter);
    query.set("limit", String(PORTION));
    query.set("offset", String(all.length));
    const { documents } = await ask<{ documents: StoredDocument[] }>(
      access,
      "GET",
      `/api/documents/${name}?${query.toString()}`,
    );
    all.push(...documents);
    if (documents.length < PORTION) return all;
  }
}

async function getChecks(name: string | undefined, options: GetOptions): Promise<void> {
  const filter = new URLSearchParams({ deleted_at: "is.null", order: "name.asc" });
  if (name) filter.set("name", `eq.${name}`);
  if (options.namespace) filter.set("namespace", `eq.${options.namespace}`);
  filter.set(
    "select",
    "name,type,namespace,status,last_runtime,canaries!checks_canary_id_fkey(name,namespace)",
  );
  const rows = await ask<CheckRow[]>(
    findServer(options),
    "GET",
    `/api/db/checks?${filter.toString()}`,
  );
  if (options.output !== "table") return print(rows, options.output);
  write(
    formatTable(
      ["CANARY", "TYPE", "NAME", "STATUS", "LAST RUN"],
      rows.map((row) => [
        row.canaries ? `${row.canaries.namespace}/${row.canaries.name}` : "",
        row.type,
        row.name,
        row.status ?? "not run yet",
        row.last_runtime ?? "",
      ]),
    ),
  );
}

function print(rows: readonly object[], output: "json" | "yaml"): void {
  if (output === "json") write(JSON.stringify(rows, undefined, 2));
  else write(rows.map(toYaml).join("---\n"));
}

const write = (text: string) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
