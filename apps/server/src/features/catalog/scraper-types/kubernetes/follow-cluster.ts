import type { KubernetesScraper } from "@mainstay/contract";
import { coreKinds, groupOf, type Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { KubernetesError } from "#platform/kubernetes/kubernetes-error.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { Json } from "../../changes/json-patch.ts";
import type { Found } from "../../scraping/scraped.ts";
import type { ScrapeInput } from "../scraper-type.ts";
import { isUuid } from "../../scraping/extract-item.ts";
import { aboutOf, eventReader, type Quiet } from "./event-change.ts";
import { fieldSelector } from "./field-selector.ts";
import { foundObject, isEvents, type Reading, selectionOf } from "./read-cluster.ts";
import { type Followed, positionOf, readPosition } from "./position.ts";
import { readKind, type ReadOptions } from "./read-kind.ts";
import { addService } from "./relations.ts";
import { typeOf } from "./object-names.ts";
import { wantedBy } from "./wanted.ts";

/** How long one look waits for something to happen; clusters say where they are a little before its end. */
const usualSeconds = 5;
/** The shortest that a cluster can be asked for. */
const fewestSeconds = 1;
/** Looks at one kind until all that has happened is told; what is left is told by the next slot, so memory is bounded. */
const mostLooks = 4;
/** Objects of other kinds that one look looks at. */
const mostNamedAtOnce = 50;
/** Of an object, without what means something in a selector. */
const plainName = /^[\w.:-]+$/;

/** What happens to one kind, as the last state of each of its objects. */
interface Happened {
  kind: Followed;
  objects: Map<string, { object: KubernetesObject; isGone: boolean }>;
  at: string;
  /** The cluster does not know any more what happened after that: all of them are read. */
  isForgotten?: boolean;
  /** Why it is not followed any more. */
  refusal?: string;
  /** Why no more was told now. */
  failure?: Error;
}

/**
 * What has happened in a cluster since a scrape. Of each object only its last state is told. A kind of which the cluster
 * has forgotten what happened is listed again.
 */
export async function* followCluster(
  client: KubernetesClient,
  input: ScrapeInput<KubernetesScraper>,
  from: Json,
): AsyncIterable<Found> {
  const { kinds, leftOut, quiet: known, named: lookedAt } = readPosition(from);
  const named = new Set(lookedAt);
  const { spec, now } = input;
  const quiet: Quiet = new Map(Object.entries(known));
  const wanted = wantedBy(spec, leftOut);
  const reading: Reading = { input, client, wanted, quiet, services: new Map() };
  const all = await lookAtAll(kinds, client, input);
  const failures = all.flatMap(({ failure }) => failure ?? []);
  // Of a cluster that tells nothing at all one message is enough, and it is left alone for a while.
  if (failures.length > 0 && failures.length === all.length) throw failures[0]!;
  for (const { refusal, failure } of all) {
    const message = refusal ?? failure?.message;
    if (message !== undefined) yield { kind: "failure", message };
  }
  // What is refused is left to the next scrape.
  const happened = all.filter(({ refusal }) => refusal === undefined);
  const things = happened.filter(({ objects, isForgotten }) => objects.size > 0 || isForgotten);
  // Pods are related to services by what these select.
  if (things.some(({ kind }) => kind.kind === "Pod"))
    for await (const service of servicesOf(client, spec)) addService(reading.services, service);
  const parts = { cluster: spec.clusterName, wanted, quiet, now };
  // What has only just been told is young, whatever the clock of the cluster says.
  const { since: _since, ...whenever } = spec;
  const [readEvent, readOld] = [eventReader(whenever, parts), eventReader(spec, parts)];
  for (const one of things.toSorted(
    (left, right) => Number(isEvents(left.kind)) - Number(isEvents(right.kind)),
  )) {
    if (isEvents(one.kind)) yield* objectsOfOtherKinds(one, kinds, reading, named);
    for await (const told of objectsOf(one, client, input)) {
      if ("failure" in told) {
        yield { kind: "failure", message: told.failure };
        continue;
      }
      const { object, isGone } = told;
      if (isEvents(one.kind)) {
        const read = one.isForgotten ? readOld : readEvent;
        const change = isGone ? undefined : read(object);
        if (change) yield { kind: "change", change };
      } else if (isGone) yield goneOf(object, now);
      else {
        quiet.delete(object.metadata.uid ?? "");
        yield* foundObject(object, reading);
      }
    }
  }
  const positions = new Map<Kind, string>(happened.map(({ kind, at }) => [kind, at]));
  yield { kind: "position", position: positionOf(positions, { ...reading, named }) };
}

/**
 * What events are about of kinds that are not followed, each once: it may have come since the last scrape, and by the next
 * one its events may have gone.
 */
async function* objectsOfOtherKinds(
  { objects }: Happened,
  followed: readonly Followed[],
  reading: Reading,
  named: Set<string>,
): AsyncGenerator<Found> {
  const { client, input, wanted } = reading;
  const { namespace, labelSelector, fieldSelector: selected } = selectionOf(input.spec);
  const keyOf = (kind: { apiVersion: string; kind: string }) => `${groupOf(kind)}/${kind.kind}`;
  const isFollowed = new Set(followed.map(keyOf));
  const found = new Map<string, ReturnType<typeof aboutOf>>();
  for (const { object } of objects.values()) {
    const about = aboutOf(object);
    if (found.size >= mostNamedAtOnce) break;
    if (named.has(about.uid) || isFollowed.has(keyOf(about)) || !wanted.mayHold(about)) continue;
    if (!isUuid(about.uid) || !plainName.test(about.name)) continue;
    if (namespace && about.namespace !== namespace) continue;
    found.set(about.uid, about);
  }
  if (found.size === 0) return;
  const served = wanted.kinds((await client.kinds()).kinds);
  for (const [uid, about] of found) {
    named.add(uid);
    const kind = served.find((one) => keyOf(one) === keyOf(about));
    if (!kind) continue;
    const options = {
      namespace: kind.isNamespaced ? about.namespace : undefined,
      labelSelector,
      fieldSelector: [`metadata.name=${about.name}`, ...(selected ? [selected] : [])].join(","),
    };
    try {
      for await (const page of readKind(client, kind, options))
        for (const object of page)
          if (object.metadata.uid === uid) yield* foundObject(object, reading);
    } catch {
      // The next scrape says what is wrong with its kind.
      input.signal.throwIfAborted();
    }
  }
}

/** Services; none for whoever may not see them, as in a scrape. */
async function* servicesOf(
  client: KubernetesClient,
  spec: KubernetesScraper,
): AsyncGenerator<KubernetesObject> {
  try {
    const options = { namespace: spec.namespace || undefined };
    for await (const page of readKind(client, coreKinds.service, options)) yield* page;
  } catch (error) {
    if (!(error instanceof KubernetesError && error.code === 403)) throw error;
  }
}

/** What has happened; or, a page at a time, everything that there is, and what is gone of what there was. */
async function* objectsOf(
  happened: Happened,
  client: KubernetesClient,
  { spec, signal }: ScrapeInput<KubernetesScraper>,
): AsyncGenerator<{ object: KubernetesObject; isGone: boolean } | { failure: string }> {
  const { kind, objects: told } = happened;
  if (!happened.isForgotten) return yield* told.values();
  try {
    const pages = readKind(client, kind, {
      ...askedOf(kind, spec),
      mayRepeat: isEvents(kind),
      onVersion: (at) => (happened.at = at),
    });
    for await (const objects of pages)
      for (const object of objects) {
        told.delete(object.metadata.uid ?? "");
        yield { object, isGone: false };
      }
  } catch (error) {
    signal.throwIfAborted();
    // Where it stood stays: it is listed the next time.
    happened.at = kind.at;
    return yield { failure: (error as Error).message };
  }
  for (const one of told.values()) if (one.isGone) yield one;
}

/** Events are those of everything that is selected. */
function askedOf(kind: Kind, spec: KubernetesScraper) {
  const { namespace, ...selection } = selectionOf(spec);
  return isEvents(kind) ? { namespace } : { namespace, ...selection };
}

function goneOf({ metadata, apiVersion = "", kind = "" }: KubernetesObject, now: Date): Found {
  return {
    kind: "gone",
    item: { externalId: metadata.uid ?? "", type: typeOf(groupOf({ apiVersion }), kind) },
    at: now,
  };
}

/**
 * All kinds at once. Events may be about what has come since its kind was looked at, most of all where many of them take
 * several looks: what they are about is looked at once more, so that none finds nothing.
 */
async function lookAtAll(
  kinds: readonly Followed[],
  client: KubernetesClient,
  input: ScrapeInput<KubernetesScraper>,
): Promise<Happened[]> {
  const begun = kinds.map((kind) => ({ kind, objects: new Map(), at: kind.at }));
  const all = await Promise.all(begun.map((one) => look(one, usualSeconds, client, input)));
  if (!all.some(({ kind, objects }) => isEvents(kind) && objects.size > 0)) return all;
  const isOver = ({ kind, isForgotten, refusal, failure }: Happened) =>
    isEvents(kind) || isForgotten || refusal !== undefined || failure !== undefined;
  return Promise.all(
    all.map(async (one) => (isOver(one) ? one : look(one, fewestSeconds, client, input))),
  );
}

/** What has happened besides. */
async function look(
  found: Happened,
  seconds: number,
  client: KubernetesClient,
  { spec, signal }: ScrapeInput<KubernetesScraper>,
): Promise<Happened> {
  const { kind } = found;
  let options: ReadOptions = askedOf(kind, spec);
  const passes = fieldSelector(options.fieldSelector ?? "");
  let isSelectedHere = false;
  const note = (object: KubernetesObject, isGone: boolean) => {
    const { uid } = object.metadata;
    // What no longer has the field that is asked for is gone from what is asked for.
    if (uid)
      found.objects.set(uid, { object, isGone: isGone || (isSelectedHere && !passes(object)) });
  };
  for (let looks = 1; looks <= mostLooks; looks += 1)
    try {
      const told = await client.watch(kind, { ...options, resourceVersion: found.at, seconds });
      for (const { object, isGone } of told.objects) note(object, isGone);
      found.at = told.resourceVersion;
      if (!told.isCut) break;
    } catch (error) {
      const code = error instanceof KubernetesError ? error.code : 0;
      if (code === 400 && options.fieldSelector) {
        isSelectedHere = true;
        options = { ...options, fieldSelector: undefined };
      } else if (code === 410) {
        return { ...found, isForgotten: true };
      } else if (code === 403 || code === 404 || code === 405)
        return { ...found, refusal: (error as Error).message };
      else {
        signal.throwIfAborted();
        // What was told before it is kept, and the next time goes on from there.
        return { ...found, failure: error as Error };
      }
    }
  return found;
}
