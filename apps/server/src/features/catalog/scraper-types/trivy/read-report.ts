import type { AnalysisType, InsightSeverity } from "@mainstay/contract";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, ItemSelector, ScrapedInsight } from "../../scraping/scraped.ts";
import { pick } from "../api/scraped-api.ts";

type Row = Readonly<Record<string, unknown>>;

/** What insights say of where they come from. */
const source = "Trivy";
/** A scan finds no items: what it could not see keeps nothing of others from being ended. */
export const untold = { unseen: [], unjudged: [source] };

/** Resources of one report, and findings that one insight names. */
const mostResources = 100_000;
const mostNamed = 200;
const mostMessage = 16_000;
const clusterType = "Kubernetes::Cluster";

const severities: readonly InsightSeverity[] = ["critical", "high", "medium", "low", "info"];
function severityOf(text: unknown): InsightSeverity {
  const word = asPlain(text).toLowerCase();
  return severities.find((one) => one === word) ?? "info";
}
const worst = (all: readonly unknown[]): InsightSeverity => {
  const found = new Set(all.map(severityOf));
  return severities.find((one) => found.has(one)) ?? "info";
};

interface About {
  kind: string;
  namespace: string;
  name: string;
}

/** What the program calls parts of a cluster that are no objects. */
const otherKinds: Readonly<Record<string, string>> = {
  NodeComponents: "Node",
  NodeInfo: "Node",
  ControlPlaneComponents: "Cluster",
  ClusterInfo: "Cluster",
};

/** Where an insight belongs: by the ids of the cluster's scraper, or to the only object of that kind and name. */
function placeOf(
  { kind: told, namespace, name }: About,
  cluster: string | undefined,
): Pick<ScrapedInsight, "item" | "orSelected"> {
  const kind = otherKinds[told] ?? told;
  const type = `Kubernetes::${kind}`;
  if (type === clusterType)
    return cluster === undefined
      ? {
          item: { externalId: "Kubernetes/Cluster", type },
          orSelected: { type, scope: "all" },
        }
      : { item: { externalId: `Kubernetes/Cluster/${cluster}`, type } };
  if (cluster !== undefined)
    return { item: { externalId: `Kubernetes/${cluster}/${kind}/${namespace}/${name}`, type } };
  const selector: ItemSelector = {
    type,
    name,
    ...(namespace && { namespace }),
    scope: "all",
  };
  return {
    item: { externalId: `Kubernetes/${kind}/${namespace}/${name}`, type },
    orSelected: selector,
  };
}

/** Findings of a resource that are one insight, by what it is called. */
class Gathered {
  readonly #all = new Map<string, { type: AnalysisType; rows: Row[] }>();
  add(analyzer: string, type: AnalysisType, row: Row): void {
    if (analyzer === "") return;
    const known = this.#all.get(analyzer);
    if (known) known.rows.push(row);
    else this.#all.set(analyzer, { type, rows: [row] });
  }
  *[Symbol.iterator](): Iterator<[string, { type: AnalysisType; rows: Row[] }]> {
    yield* this.#all;
  }
}

/** The report of a scan, in the forms that it had: by what was found, and by resource. */
export function* readReport(report: Json, cluster: string | undefined): Iterable<Found> {
  const { Resources, Findings, Vulnerabilities, Misconfigurations, ClusterName } = asObject(report);
  if (![Resources, Findings, Vulnerabilities, Misconfigurations, ClusterName].some(Boolean))
    throw new Error("What Trivy wrote is no report of a cluster.");
  const rows = [Resources, Findings, Vulnerabilities, Misconfigurations].flatMap(asList);
  const byResource = new Map<string, { about: About; gathered: Gathered }>();
  for (const row of rows.slice(0, mostResources).map(asObject)) {
    const about: About = {
      kind: asPlain(row.Kind),
      namespace: asPlain(row.Namespace),
      name: asPlain(row.Name),
    };
    const error = asText(row.Error);
    if (error !== undefined)
      yield {
        kind: "failure",
        message: `Trivy could not scan ${[about.namespace, about.kind, about.name].filter(Boolean).join("/")}: ${error.slice(0, 1000)}`,
        ...untold,
      };
    const key = JSON.stringify(about);
    const known = byResource.get(key) ?? { about, gathered: new Gathered() };
    byResource.set(key, known);
    for (const result of asList(row.Results).map(asObject)) gather(result, known.gathered);
  }
  if (rows.length > mostResources)
    yield {
      kind: "failure",
      message: `The report has more than ${mostResources} resources; the first ones were read.`,
      ...untold,
    };
  // A cluster in which nothing is scanned is none of which all was mended.
  yield { kind: "judged", count: byResource.size };
  for (const { about, gathered } of byResource.values())
    for (const [analyzer, { type, rows: found }] of gathered)
      yield {
        kind: "insight",
        insight: {
          ...placeOf(about, cluster),
          // Several components of the control plane are about one cluster.
          analyzer: about.kind in otherKinds ? `${about.name}: ${analyzer}` : analyzer,
          analysisType: type,
          severity: worst(found.map((row) => row.Severity)),
          status: "open",
          source,
          ...textsOf(analyzer, found),
        },
      };
}

function gather(result: Row, gathered: Gathered): void {
  const target = asPlain(result.Target);
  for (const row of asList(result.Vulnerabilities).map(asObject))
    gathered.add(asPlain(row.PkgName), "security", { ...row, Target: target });
  for (const row of asList(result.Misconfigurations).map(asObject))
    if (asPlain(row.Status || "FAIL") === "FAIL")
      gathered.add(asPlain(row.Title) || asPlain(row.ID), "security", { ...row, Target: target });
  for (const row of asList(result.Secrets).map(asObject))
    gathered.add(asPlain(row.Title) || asPlain(row.RuleID), "security", { ...row, Target: target });
  for (const row of asList(result.Licenses).map(asObject))
    gathered.add(asPlain(row.Name), "compliance", { ...row, Target: target });
}

/** What is kept of a finding. Neither what a secret matched nor the lines of a manifest, which may hold one. */
const kept = [
  "VulnerabilityID",
  "ID",
  "RuleID",
  "Target",
  "PkgName",
  "InstalledVersion",
  "FixedVersion",
  "Status",
  "Severity",
  "Title",
  "Category",
  "Message",
  "Resolution",
  "PrimaryURL",
  "PublishedDate",
  "StartLine",
  "EndLine",
  "FilePath",
  "Link",
];

function textsOf(
  analyzer: string,
  rows: readonly Row[],
): Pick<ScrapedInsight, "summary" | "message" | "analysis"> {
  const named = (row: Row) => asPlain(row.VulnerabilityID) || asPlain(row.ID) || undefined;
  const ids = [...new Set(rows.map(named).filter((id) => id !== undefined))];
  const shown = ids.slice(0, 3).join(", ");
  const isVulnerable = rows.some((row) => row.VulnerabilityID !== undefined);
  const summary = isVulnerable
    ? `${analyzer}: ${shown}${ids.length > 3 ? ` and ${ids.length - 3} more` : ""}`
    : analyzer;
  const lines = [...new Set(rows.map(lineOf))].filter((line) => line !== "");
  const findings: JsonObject[] = rows.slice(0, mostNamed).map((row) => pick(row, kept));
  return {
    summary,
    ...optional("message", lines.join("\n").slice(0, mostMessage) || undefined),
    analysis: { findings, ...(rows.length > mostNamed && { count: rows.length }) },
  };
}

/** One finding in a line, for people. */
function lineOf(row: Row): string {
  const id = asText(row.VulnerabilityID);
  if (id !== undefined) {
    const fixed = asText(row.FixedVersion);
    const versions = `${asPlain(row.InstalledVersion)}${fixed ? `, fixed in ${fixed}` : ""}`;
    return `${id} (${asPlain(row.Severity).toLowerCase()}) in ${asPlain(row.Target)}: ${asPlain(row.Title)} [${versions}] ${asPlain(row.PrimaryURL)}`.trim();
  }
  if (row.RuleID !== undefined)
    return `${asPlain(row.Target)}, line ${asPlain(row.StartLine)}: ${asPlain(row.Category)}`;
  const message = asText(row.Message) ?? asText(row.Description) ?? "";
  return `${message} ${asPlain(row.Resolution)}`.trim();
}

/** A report of compliance: what the cluster as a whole does not keep to, an insight for each rule. */
export function* readCompliance(report: Json, cluster: string | undefined): Iterable<Found> {
  const { ID, Title, Results } = asObject(report);
  if (!Array.isArray(Results)) throw new Error("What Trivy wrote is no report of compliance.");
  const id = asPlain(ID);
  const rules = Results.map(asObject);
  yield { kind: "judged", count: rules.length };
  for (const rule of rules) {
    const failed = asList(rule.Results)
      .map(asObject)
      .filter(
        (one) =>
          asList(one.Vulnerabilities).length > 0 ||
          asList(one.Secrets).length > 0 ||
          asList(one.Misconfigurations)
            .map(asObject)
            .some(({ Status }) => asPlain(Status || "FAIL") === "FAIL"),
      );
    if (failed.length === 0) continue;
    const targets = [...new Set(failed.map((one) => asPlain(one.Target)))].toSorted();
    const name = asText(rule.Name) ?? asPlain(rule.ID);
    yield {
      kind: "insight",
      insight: {
        ...placeOf({ kind: "Cluster", namespace: "", name: "" }, cluster),
        externalAnalysisId: `${id}/${asPlain(rule.ID)}`,
        analyzer: `${id} ${asPlain(rule.ID)}: ${name}`,
        analysisType: "compliance",
        severity: severityOf(rule.Severity),
        status: "open",
        source,
        summary: `${name}: ${targets.length} ${targets.length === 1 ? "does" : "do"} not keep to it`,
        ...optional("message", asText(rule.Description)),
        analysis: {
          ...optional("report", asText(Title)),
          targets: targets.slice(0, mostNamed),
          ...(targets.length > mostNamed && { count: targets.length }),
        },
      },
    };
  }
}
