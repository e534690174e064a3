import { posix } from "node:path";
import { isInMatchList, type KubernetesFileScraper, parseMatchList } from "@mainstay/contract";
import { at, list, text } from "@mainstay/scripting/functions/kubernetes-fields.ts";
import { isMapping, type Value } from "@mainstay/scripting";
import { coreKinds, type Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { Found } from "../../scraping/scraped.ts";
import { inCluster } from "../kubernetes/open-cluster.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";

/** Bytes of one file, and pods that one scraper reads files of. */
const mostFile = 16 * 1024 * 1024;
const mostPods = 1000;

type Files = NonNullable<KubernetesFileScraper["files"]>;

/** A pod whose files are read, under the name of what was selected. */
interface Place {
  kind: string;
  namespace: string;
  name: string;
  pod: KubernetesObject;
}

const isRunning = (pod: KubernetesObject) =>
  text(pod as Value, "status", "phase") === "Running" &&
  pod.metadata.deletionTimestamp === undefined;

const isReady = (pod: KubernetesObject) =>
  list(pod as Value, "status", "conditions").some(
    (one) => text(one, "type") === "Ready" && text(one, "status") === "True",
  );

async function* readFiles(
  client: KubernetesClient,
  input: ScrapeInput<KubernetesFileScraper>,
): AsyncIterable<Found> {
  const { spec } = input;
  const kind = await client.findKind({ kind: spec.selector.kind || "Pod" });
  const isNamed = parseMatchList(spec.selector.name ?? "");
  const { namespace, labelSelector, fieldSelector } = spec.selector;
  const { objects, isCut } = await client.list(kind, {
    namespace: namespace || undefined,
    labelSelector: labelSelector || undefined,
    fieldSelector: fieldSelector || undefined,
  });
  const selected = objects.filter(({ metadata }) => isInMatchList(isNamed, metadata.name ?? ""));
  if (selected.length === 0)
    throw new Error(
      `selector: there is no ${kind.kind}${namespace ? ` in the namespace "${namespace}"` : ""} that it selects.`,
    );
  if (isCut || selected.length > mostPods)
    yield {
      kind: "failure",
      message: `selector: it selects more than ${mostPods} of the kind ${kind.kind}; the files of the first ones were read.`,
    };
  for (const object of selected.slice(0, mostPods)) {
    const { namespace: own = "", name = "" } = object.metadata;
    const pod = await podOf(kind, object, client);
    if (pod) yield* filesOf({ kind: kind.kind, namespace: own, name, pod }, client, input);
    else
      yield {
        kind: "failure",
        message: `${own}/${name}: no pod of it runs, so its files were not read.`,
      };
  }
}

/** The pod itself, or one of those that something makes: a ready one before others, the first by name. */
async function podOf(
  kind: Kind,
  object: KubernetesObject,
  client: KubernetesClient,
): Promise<KubernetesObject | undefined> {
  if (kind.kind === "Pod") return isRunning(object) ? object : undefined;
  const labels = at(object as Value, "spec", "selector", "matchLabels");
  const labelSelector = Object.entries(isMapping(labels) ? labels : {})
    .map(([key, value]) => `${key}=${value as string}`)
    .join(",");
  if (labelSelector === "")
    throw new Error(`selector: pods of the kind ${kind.kind} cannot be told by its labels.`);
  const { objects } = await client.list(coreKinds.pod, {
    namespace: object.metadata.namespace,
    labelSelector,
  });
  return objects
    .filter(isRunning)
    .toSorted(
      (one, other) =>
        Number(isReady(other)) - Number(isReady(one)) ||
        ((one.metadata.name ?? "") < (other.metadata.name ?? "") ? -1 : 1),
    )[0];
}

function containerOf({ pod }: Place, wanted: string | undefined): string {
  return (
    wanted ||
    (pod.metadata.annotations?.["kubectl.kubernetes.io/default-container"] ??
      text(at(pod as Value, "spec", "containers", 0), "name"))
  );
}

/** A file that cannot be read takes nothing from the others. */
async function* filesOf(
  place: Place,
  client: KubernetesClient,
  { spec: { files = [], container }, signal }: ScrapeInput<KubernetesFileScraper>,
): AsyncIterable<Found> {
  for (const { path: paths, format } of files)
    for (const path of paths)
      try {
        yield await readFile(place, path, { client, format, container });
      } catch (error) {
        signal.throwIfAborted();
        yield { kind: "failure", message: (error as Error).message };
      }
}

async function readFile(
  place: Place,
  path: string,
  {
    client,
    format,
    container,
  }: { client: KubernetesClient; format: Files[number]["format"]; container: string | undefined },
): Promise<Found> {
  const { kind, namespace, name, pod } = place;
  const { stdout, stderr, failure } = await client.exec({
    namespace,
    name: pod.metadata.name ?? "",
    container: containerOf(place, container),
    command: ["cat", "--", path],
    most: mostFile,
  });
  const source = `${namespace}/${pod.metadata.name}:${path}`;
  if (failure !== undefined)
    throw new Error([source, stderr.trim().slice(0, 300) || failure].join(": "));
  return {
    kind: "content",
    read: {
      content: stdout.toString("utf8"),
      source: `${namespace}/${kind}/${name}:${path}`,
      // What a document says of no format is a text; of JSON it is the usual one.
      format: format ?? formatOf(path),
      defaults: {
        id: [namespace, kind, name, path.replace(/^\/+/, "")].join("/"),
        name: posix.basename(path),
        type: "File",
        class: "File",
      },
    },
  };
}

const formats: Readonly<Record<string, string>> = {
  ".json": "json",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".properties": "properties",
  ".ini": "ini",
};
const formatOf = (path: string) => formats[posix.extname(path).toLowerCase()] ?? "text";

/** Files inside the containers of a cluster. */
export const kubernetesFileScraper = scraperType<KubernetesFileScraper>({
  type: "kubernetesFile",
  scrape: (input) => inCluster(input, (client) => readFiles(client, input)),
});
