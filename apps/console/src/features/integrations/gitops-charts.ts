import { isMap, parseDocument, stringify } from "yaml";

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

/** What is wrong with each field. */
export function mistakesOf({ namespace, interval, version, values }: Release) {
  const document = parseDocument(values);
  const [broken] = document.errors;
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

const valuesOf = ({ values }: Release) => parseDocument(values).toJS() as object | null;

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
        ...(values && { values }),
      },
    },
  ];
  return objects.map((object) => stringify(object)).join("---\n");
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The release as commands for a shell. */
export function helmPreview({ name }: Chart, release: Release): string {
  const { namespace, version } = release;
  const values = valuesOf(release);
  const install = [
    `helm upgrade --install ${name} ${repositoryName}/${name}`,
    `  --namespace ${namespace} --create-namespace`,
    ...(version === "" ? [] : [`  --version ${quoted(version)}`]),
    ...(values ? ["  --values - <<'VALUES'"] : []),
  ].join(" \\\n");
  return [
    `helm repo add ${repositoryName} ${chartRepository}`,
    "helm repo update",
    "",
    values ? `${install}\n${stringify(values)}VALUES` : install,
    "",
  ].join("\n");
}
