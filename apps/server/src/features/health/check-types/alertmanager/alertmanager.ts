import { type AlertmanagerSpec, checkSpecs } from "@mainstay/contract";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { ApiRefusal, askJson, below } from "#platform/outbound/http/ask-json.ts";
import { asObject, asText } from "#platform/outbound/http/read-json.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { attemptHttp, WrongSpec } from "../attempt-http.ts";
import { checkType, passed } from "../check-type.ts";

type Texts = Readonly<Record<string, string>>;

/** Alerts that are kept and shown. */
const mostShown = 200;

const quoted = (text: string) =>
  `"${text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`)}"`;

/** What is asked for, in the language of Alertmanager. Several names are alternatives: filters all hold at once. */
export function matchersOf(spec: AlertmanagerSpec): string[] {
  const { alerts = [], filters = {}, exclude_filters: excluded = {}, ignore = [] } = spec;
  const either = alerts.length > 1 ? alerts.map((one) => `(?:${one})`).join("|") : alerts[0];
  return [
    ...(either === undefined ? [] : [`alertname=~${quoted(either)}`]),
    ...Object.entries(filters).map(([label, pattern]) => `${label}=~${quoted(pattern)}`),
    ...ignore.map((pattern) => `alertname!~${quoted(pattern)}`),
    ...Object.entries(excluded).map(([label, value]) => `${label}!=${quoted(value)}`),
  ];
}

const workloads = [
  "deployment",
  "daemonset",
  "statefulset",
  "cronjob_name",
  "job_name",
  "pod",
  "nodename",
] as const;

/** The name of an alert with where it is: namespace, node, one workload and its container. */
export function fullName(labels: Texts): string {
  const { alertname = "", namespace, node, container, job } = labels;
  const workload = workloads.map((label) => labels[label]).find(Boolean);
  const inside = container === job ? undefined : container;
  return [alertname, namespace, node, workload, inside]
    .filter((part, index) => index === 0 || part)
    .join("/");
}

const texts = (value: unknown): Texts =>
  Object.fromEntries(Object.entries(asObject(value)).map(([name, text]) => [name, String(text)]));

function readAlert(json: unknown) {
  const { labels, annotations, fingerprint } = asObject(json);
  const said = texts(annotations);
  const named = texts(labels);
  return {
    name: fullName(named),
    message: said.message ?? said.description ?? said.summary ?? "",
    labels: named,
    annotations: said,
    fingerprint: asText(fingerprint) ?? "",
  };
}

export const alertmanager = checkType<AlertmanagerSpec>({
  type: "alertmanager",
  spec: checkSpecs.alertmanager,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? spec.connection ?? ""),
  run(input) {
    const { spec, signal, connector } = input;
    return attemptHttp(input, async () => {
      const connection = await openConnection(spec, { signal, connector });
      const filters = matchersOf(spec).map((filter): [string, string] => ["filter", filter]);
      const url = below(connection.url, "/api/v2/alerts", filters);
      const { json, elapsedMs } = await askJson(
        { ...connection, url },
        { signal, connector, what: "Alertmanager" },
      ).catch((error: unknown) => {
        if (error instanceof ApiRefusal && error.code === 400 && error.reason !== undefined)
          throw new WrongSpec(`Alertmanager cannot read the filters: ${error.reason}`);
        throw error;
      });
      if (!Array.isArray(json)) throw new Error("what answered is no Alertmanager");
      const alerts = json.map(readAlert);
      const names = alerts.slice(0, 5).map(({ name }) => name);
      const more = alerts.length > names.length ? ` and ${alerts.length - names.length} more` : "";
      const message = alerts.length === 0 ? "no alerts" : `${names.join(", ")}${more}`;
      return passed(message, {
        durationMs: elapsedMs,
        details: { alerts: alerts.slice(0, mostShown), count: alerts.length },
        data: () => ({ results: { alerts } }),
      });
    });
  },
});
