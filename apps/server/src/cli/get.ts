import { consoleSource } from "@mainstay/contract";
import { StartupError } from "@mainstay/embedded-postgres";
import { stringify } from "yaml";
import { ask, findServer, type ServerFlags } from "./server-access.ts";
import { formatTable } from "./table.ts";

interface GetOptions extends ServerFlags {
  namespace?: string;
  output: "table" | "json" | "yaml";
}

interface CanaryRow {
  id: string;
  name: string;
  namespace: string;
  labels: Record<string, string> | null;
  annotations: Record<string, string> | null;
  source: string | null;
  spec: { schedule?: string; interval?: number };
}

interface CheckRow {
  name: string;
  type: string;
  namespace: string | null;
  status: string | null;
  last_runtime: string | null;
  canaries: { name: string; namespace: string } | null;
}

/** Lists canaries (as documents, with yaml or json) or checks. */
export async function get(
  kind: string,
  name: string | undefined,
  options: GetOptions,
): Promise<void> {
  const access = findServer(options);
  const filter = new URLSearchParams({ deleted_at: "is.null", order: "name.asc" });
  if (name) filter.set("name", `eq.${name}`);
  if (options.namespace) filter.set("namespace", `eq.${options.namespace}`);

  if (/^canar(y|ies)$/.test(kind)) {
    filter.set("select", "id,name,namespace,labels,annotations,source,spec");
    const rows = await ask<CanaryRow[]>(access, "GET", `/api/db/canaries?${filter.toString()}`);
    if (options.output === "table") {
      print(
        formatTable(
          ["NAMESPACE", "NAME", "SCHEDULE", "SOURCE"],
          rows.map((row) => [
            row.namespace,
            row.name,
            scheduleOf(row.spec),
            row.source ?? consoleSource,
          ]),
        ),
      );
    } else printDocuments(rows.map(toDocument), options.output);
    return;
  }
  if (/^checks?$/.test(kind)) {
    filter.set(
      "select",
      "name,type,namespace,status,last_runtime,canaries!checks_canary_id_fkey(name,namespace)",
    );
    const rows = await ask<CheckRow[]>(access, "GET", `/api/db/checks?${filter.toString()}`);
    if (options.output !== "table") return printDocuments(rows, options.output);
    print(
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
    return;
  }
  throw new StartupError(`mainstay get knows canaries and checks, not ${kind}.`);
}

const scheduleOf = ({ schedule, interval }: CanaryRow["spec"]) =>
  schedule ?? (interval ? `@every ${interval}s` : "");

const isEmpty = (value: object | null) => value === null || Object.keys(value).length === 0;

const toDocument = (row: CanaryRow) => ({
  apiVersion: "canaries.flanksource.com/v1",
  kind: "Canary",
  metadata: {
    name: row.name,
    namespace: row.namespace,
    // With its id it is the same canary that is applied again, wherever it came from.
    uid: row.id,
    ...(isEmpty(row.labels) ? {} : { labels: row.labels }),
    ...(isEmpty(row.annotations) ? {} : { annotations: row.annotations }),
  },
  spec: row.spec,
});

function printDocuments(rows: object[], output: "json" | "yaml"): void {
  if (output === "json") print(JSON.stringify(rows, undefined, 2));
  else print(rows.map((row) => stringify(row)).join("---\n"));
}

const print = (text: string) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
