import type { KubernetesBackend } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { eachLimited } from "#platform/each-limited.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import {
  createKubernetesClient,
  type KubernetesClient,
} from "#platform/kubernetes/kubernetes-client.ts";
import { clusterSecrets, findCluster } from "#platform/kubernetes/open-client.ts";
import { asList, asObject, asPlain } from "#platform/outbound/http/read-json.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { lineOf } from "../line-of.ts";
import { parseLine } from "../lines/parse-line.ts";
import type { LinesPage, LinesPageQuestion, LogBackend } from "../log-backend.ts";
import { matchLines } from "../match-lines.ts";
import { nanosOf, readNanos } from "../nanos.ts";
import { outbound } from "../outbound.ts";
import { type FoundLine, pageByTime } from "../page-by-time.ts";

/** Containers that are read for one question, and so many at once. */
const mostContainers = 50;
const atOnce = 5;
/** Of one container: its last lines, and bytes of them. */
const mostLines = 20_000;
const mostBytes = 16 * 1024 * 1024;

interface Container {
  namespace: string;
  pod: string;
  container: string;
  labels: Record<string, string>;
  /** When the pod began. */
  started: string;
}

/** What components of pods are called. */
const isPodType = (type: string | undefined) => /^(?:Kubernetes(?:::)?)?Pod$/i.test(type ?? "");

function isAsked(pod: KubernetesObject, { type, externalId }: LinesPageQuestion): boolean {
  if (!isPodType(type) || externalId === undefined) return true;
  const { name, namespace, uid } = pod.metadata;
  return [uid, name, `${namespace}/${name}`].includes(externalId);
}

function containersOf(pod: KubernetesObject, spec: KubernetesBackend): Container[] {
  const { name = "", namespace = "", labels = {}, creationTimestamp } = pod.metadata;
  const inner = asObject(pod.spec);
  return asList(inner.containers).flatMap((one) => {
    const container = asPlain(asObject(one).name);
    if (container === "" || (spec.container && spec.container !== container)) return [];
    const node = asPlain(inner.nodeName);
    return [
      {
        namespace,
        pod: name,
        container,
        started: asPlain(creationTimestamp),
        labels: { ...labels, namespace, pod: name, container, ...(node !== "" && { node }) },
      },
    ];
  });
}

/** Those whose labels may be the ones that are asked for; a label that no pod has may be one of its lines. */
async function findContainers(
  client: KubernetesClient,
  spec: KubernetesBackend,
  question: LinesPageQuestion,
  notices: Set<string>,
): Promise<Container[]> {
  const { labels } = question;
  if (spec.namespace && labels.namespace !== undefined && labels.namespace !== spec.namespace)
    return [];
  const kind = await client.findKind({ kind: "Pod", apiVersion: "v1" });
  const { objects, isCut } = await client.list(kind, {
    namespace: spec.namespace || labels.namespace || undefined,
    labelSelector: spec.labelSelector || undefined,
  });
  if (isCut) notices.add("There are more pods than are looked at: choose them by labels.");
  const found = objects
    .filter((pod) => isAsked(pod, question))
    .flatMap((pod) => containersOf(pod, spec))
    .filter((one) =>
      Object.entries(labels).every(
        ([name, value]) => !Object.hasOwn(one.labels, name) || one.labels[name] === value,
      ),
    )
    .toSorted((one, other) => (one.started < other.started ? 1 : -1));
  if (found.length > mostContainers)
    notices.add(
      `Of ${found.length} containers the ${mostContainers} that began last were read: choose them by labels.`,
    );
  return found.slice(0, mostContainers);
}

async function linesOf(
  client: KubernetesClient,
  { namespace, pod, container, labels }: Container,
  { from, to, now }: { from: Date; to: Date; now: Date },
  notices: Set<string>,
): Promise<FoundLine[]> {
  const text = await client.logs({
    namespace,
    name: pod,
    container,
    most: mostBytes,
    since: from,
    lines: mostLines,
    hasTimes: true,
  });
  const [first, last] = [nanosOf(from), nanosOf(to)];
  const rows = text.split("\n");
  // What comes behind the last line end is cut, or nothing.
  const isCut = Buffer.byteLength(text) >= mostBytes;
  if (rows.at(-1) === "" || isCut) rows.pop();
  if (isCut || rows.length >= mostLines)
    notices.add(
      `${pod}/${container} has more lines than are read of one container; ${isCut ? "the newest" : "the oldest"} are missing.`,
    );
  let place = 0;
  return rows.flatMap((row): FoundLine[] => {
    const end = row.indexOf(" ");
    const nanos = end === -1 ? undefined : readNanos(row.slice(0, end));
    if (nanos === undefined || nanos < first || nanos >= last) return [];
    const parsed = parseLine(row.slice(end + 1), { now });
    const { message, level } = parsed;
    place += 1;
    const id = `${namespace}/${pod}/${container}@${nanos}-${place}`;
    const line = lineOf({ id, nanos, message, labels: { ...parsed.labels, ...labels }, level });
    return [{ line, nanos, message }];
  });
}

async function read(
  ctx: Ctx,
  spec: KubernetesBackend,
  question: LinesPageQuestion,
): Promise<LinesPage> {
  const options = { signal: ctx.signal, connector: ctx.service(outbound) };
  const cluster = await findCluster(spec.kubeconfig?.value, options);
  const hider = createHider(clusterSecrets(cluster));
  try {
    return await readCluster(ctx, createKubernetesClient(cluster, options), spec, question);
  } catch (error) {
    if (!hider || !(error instanceof Error)) throw error;
    throw new Error(hider.message(error.message), { cause: error });
  }
}

async function readCluster(
  ctx: Ctx,
  client: KubernetesClient,
  spec: KubernetesBackend,
  question: LinesPageQuestion,
): Promise<LinesPage> {
  const notices = new Set<string>();
  const isMeant = matchLines(question.search.terms, question.labels);
  const containers = await findContainers(client, spec, question, notices);
  const { from, to, direction } = question;
  const found: FoundLine[] = [];
  let failed = 0;
  await eachLimited(containers, atOnce, async (one) => {
    try {
      found.push(...(await linesOf(client, one, { from, to, now: ctx.clock.now() }, notices)));
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      // A pod that has not begun, or is gone, takes nothing from the others.
      failed += 1;
      notices.add(`${error.message.slice(0, 1).toUpperCase()}${error.message.slice(1, 300)}.`);
    }
  });
  if (failed > 0 && failed === containers.length) throw new Error([...notices].at(-1));
  const sign = direction === "backward" ? -1 : 1;
  found.sort((one, other) =>
    one.nanos === other.nanos ? 0 : one.nanos < other.nanos ? -sign : sign,
  );
  const page = await pageByTime({
    question,
    signal: ctx.signal,
    isMeant: ({ line, message }) => isMeant({ ...line, message }),
    readSpan: (span) =>
      Promise.resolve(
        found
          .filter(
            ({ nanos }) =>
              nanos >= span.from && (span.isToIncluded ? nanos <= span.to : nanos < span.to),
          )
          .slice(0, span.limit),
      ),
  });
  const told = [...notices, ...(page.notices ?? [])];
  return { ...page, ...(told.length > 0 && { notices: told.slice(0, 10) }) };
}

/** Pods of a Kubernetes cluster, whose lines are there for as long as the cluster keeps them. */
export const kubernetes: LogBackend<KubernetesBackend> = { type: "kubernetes", read };
