import { type Document, isMap, parseDocument, stringify } from "yaml";

/** Charts that bring documents to a cluster, and how they are installed there. */

export interface Chart {
  /** In addresses. */
  id: string;
  label: string;
  name: string;
  help: string;
}

export const chartRepository = "https://flanksource.github.io/charts";
const repositoryName = "flanksource";

const chart = (id: string, label: string, help: string, name = `mission-control-${id}`): Chart => ({
  id,
  label,
  name,
  help,
});

export const charts: readonly Chart[] = [
  chart("aws", "AWS", "Scrapers of Amazon's services"),
  chart("azure", "Azure", "Scrapers of Microsoft Azure"),
  chart("prometheus", "Prometheus", "What Prometheus knows of a cluster"),
  chart("flux", "Flux", "Sources and releases of Flux"),
  chart("kubernetes", "Kubernetes", "A scraper of a cluster"),
  chart("mission-control", "Mission Control", "The server itself", "mission-control"),
];

export interface Release {
  namespace: string;
  /** How often Flux compares. */
  interval: string;
  /** Of the chart; the newest when empty. */
  version: string;
  /** Of the chart, as YAML. */
  values: string;
}

export const defaultRelease: Release = {
  namespace: "mission-control",
  interval: "30m",
  version: "",
  values: "",
};

/** What stands for something that is not there is found out only when it is written. */
function mistakeOfAliases(document: Document.Parsed): Error | undefined {
  try {
    document.toString();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** What is wrong with each field. */
export function mistakesOf({ namespace, interval, version, values }: Release) {
  const document = parseDocument(values);
  const broken = document.errors[0] ?? mistakeOfAliases(document);
  const wrongValues = broken
    ? broken.message.split("\n", 1)[0]!
    : document.contents !== null && !isMap(document.contents)
      ? "Values are a mapping: key: value."
      : undefined;
  return {
    namespace: /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)
      ? undefined
      : "A namespace has small letters, digits and hyphens.",
    interval: /^(?:\d+(?:ms|s|m|h))+$/.test(interval)
      ? undefined
      : "A duration, such as 30m or 1h.",
    version: /^[\w.+<>=~^*, |-]{0,100}$/.test(version)
      ? undefined
      : "A version, or a range of versions.",
    values: wrongValues,
  };
}

/**
 * The values as they were typed, without marks of documents: what is a word or a number depends on who reads them, and
 * Helm reads another YAML than we do.
 */
function valuesOf({ values }: Release): string | undefined {
  const { contents } = parseDocument(values);
  if (!contents) return undefined;
  const [from, , to] = contents.range;
  const line = values.lastIndexOf("\n", from - 1) + 1;
  const isIndented = values.slice(line, from).trim() === "";
  return `${values.slice(isIndented ? line : from, to).replace(/\n$/, "")}\n`;
}

const indented = (text: string) =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n");

/** What we write is read alike as YAML 1.2 and 1.1: in that, `no` and `on` are no words. */
const written = (object: object) => stringify(object, { compat: "yaml-1.1", lineWidth: 0 });

/** The release as objects of Flux. */
export function fluxPreview({ name }: Chart, release: Release): string {
  const { namespace, interval, version } = release;
  const values = valuesOf(release);
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    {
      apiVersion: "source.toolkit.fluxcd.io/v1",
      kind: "HelmRepository",
      metadata: { name: repositoryName, namespace },
      spec: { interval, url: chartRepository },
    },
    {
      apiVersion: "helm.toolkit.fluxcd.io/v2",
      kind: "HelmRelease",
      metadata: { name, namespace },
      spec: {
        interval,
        chart: {
          spec: {
            chart: name,
            ...(version !== "" && { version }),
            sourceRef: { kind: "HelmRepository", name: repositoryName, namespace },
          },
        },
      },
    },
  ];
  const text = objects.map(written).join("---\n");
  return values === undefined
    ? text
    : `${text}  values:
${indented(values)}`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The release as commands for a shell. */
export function helmPreview({ name }: Chart, release: Release): string {
  const { namespace, version } = release;
  const values = valuesOf(release);
  // A line of the values may say the same.
  let end = "VALUES";
  while (values?.split("\n").includes(end)) end += "_";
  const install = [
    `helm upgrade --install ${name} ${repositoryName}/${name}`,
    `  --namespace ${namespace} --create-namespace`,
    ...(version === "" ? [] : [`  --version ${quoted(version)}`]),
    ...(values ? [`  --values - <<'${end}'`] : []),
  ].join(" \\\n");
  return [
    `helm repo add ${repositoryName} ${chartRepository}`,
    "helm repo update",
    "",
    values ? `${install}\n${values}${end}` : install,
    "",
  ].join("\n");
}
