import type { KubernetesScraper } from "@mainstay/contract";
import { coreKinds, groupOf, type Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { KubernetesError } from "#platform/kubernetes/kubernetes-error.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { Json } from "../../changes/json-patch.ts";
import type { Found } from "../../scraping/scraped.ts";
import type { ScrapeInput } from "../scraper-type.ts";
import { eventReader, type Quiet } from "./event-change.ts";
import { fieldSelector } from "./field-selector.ts";
import { foundObject, isEvents, type Reading, selectionOf } from "./read-cluster.ts";
import { type Followed, positionOf, readPosition } from "./position.ts";
import { readKind } from "./read-kind.ts";
import { addService } from "./relations.ts";
import { typeOf } from "./object-names.ts";
import { wantedBy } from "./wanted.ts";

/** How long one look waits for something to happen; clusters say where they are a little before its end. */
const seconds = 5;
/** Looks at one kind until all that has happened is told; what is left is told by the next. */
const mostLooks = 20;

/** What happens to one kind, as the last state of each of its objects. */
interface Happened {
  kind: Followed;
  objects: Map<string, { object: KubernetesObject; isGone: boolean }>;
  at: string;
  /** Why it is not followed any more. */
  refusal?: string;
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
  const { kinds, leftOut, quiet: known } = readPosition(from);
  const { spec, now } = input;
  const quiet: Quiet = new Map(Object.entries(known));
  const reading: Reading = {
    input,
    client,
    wanted: wantedBy(spec, leftOut),
    quiet,
    services: new Map(),
  };
  const happened = await Promise.all(kinds.map((kind) => look(kind, client, spec)));
  for (const { refusal } of happened)
    if (refusal !== undefined) yield { kind: "failure", message: refusal };
  const things = happened.filter(({ objects }) => objects.size > 0);
  // Pods are related to services by what these select.
  if (things.some(({ kind }) => kind.kind === "Pod"))
    for await (const objects of readKind(client, coreKinds.service, {
      namespace: spec.namespace || undefined,
    }))
      for (const object of objects) addService(reading.services, object);
  for (const { kind, objects } of things.toSorted(
    (one, other) => Number(isEvents(one.kind)) - Number(isEvents(other.kind)),
  )) {
    if (isEvents(kind)) {
      const read = eventReader(spec, {
        cluster: spec.clusterName,
        wanted: reading.wanted,
        quiet,
        now,
      });
      for (const { object, isGone } of objects.values()) {
        const change = isGone ? undefined : read(object);
        if (change) yield { kind: "change", change };
      }
      continue;
    }
    for (const { object, isGone } of objects.values())
      if (isGone) yield goneOf(object, now);
      else {
        quiet.delete(object.metadata.uid ?? "");
        yield* foundObject(object, reading);
      }
  }
  // What is refused is left to the next scrape.
  const positions = new Map<Kind, string>(
    happened.filter(({ refusal }) => refusal === undefined).map(({ kind, at }) => [kind, at]),
  );
  yield { kind: "position", position: positionOf(positions, reading) };
}

function goneOf({ metadata, apiVersion = "", kind = "" }: KubernetesObject, now: Date): Found {
  return {
    kind: "gone",
    item: { externalId: metadata.uid ?? "", type: typeOf(groupOf({ apiVersion }), kind) },
    at: now,
  };
}

async function look(
  kind: Followed,
  client: KubernetesClient,
  spec: KubernetesScraper,
): Promise<Happened> {
  const found: Happened = { kind, objects: new Map(), at: kind.at };
  const { namespace, ...selection } = selectionOf(spec);
  let options = isEvents(kind) ? { namespace } : { namespace, ...selection };
  const passes = fieldSelector(selection.fieldSelector ?? "");
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
      if (code === 400 && !isSelectedHere && selection.fieldSelector) {
        isSelectedHere = true;
        options = { namespace, labelSelector: selection.labelSelector, fieldSelector: undefined };
      } else if (code === 410) {
        const onVersion = (at: string) => (found.at = at);
        for await (const objects of readKind(client, kind, { ...options, onVersion }))
          for (const object of objects) note(object, false);
        break;
      } else if (code === 403 || code === 404 || code === 405)
        return { ...found, refusal: (error as Error).message };
      else throw error;
    }
  return found;
}
