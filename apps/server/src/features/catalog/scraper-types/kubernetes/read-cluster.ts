import type { KubernetesScraper } from "@mainstay/contract";
import {
  coreKinds,
  groupOf,
  type Kind,
  type Served,
  type UnreadGroup,
} from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { isMissing, KubernetesError } from "#platform/kubernetes/kubernetes-error.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { itemScripts } from "../../scraping/item-scripts.ts";
import type { Found } from "../../scraping/scraped.ts";
import type { ScrapeInput } from "../scraper-type.ts";
import { eventReader, noteQuiet, type Quiet } from "./event-change.ts";
import { positionOf, watchedBy } from "./position.ts";
import { merge } from "../merge.ts";
import { clusterItem, type ItemParts, objectItem } from "./object-item.ts";
import { ownRelations } from "./own-relations.ts";
import { readKind } from "./read-kind.ts";
import { addService, type ServiceSelector } from "./relations.ts";
import { typeOf } from "./object-names.ts";
import { hasObjects, wantedBy, type Wanted } from "./wanted.ts";

/** Kinds that are read at a time, whatever a document says: each holds a page of its objects. */
const mostInflight = 16;

export const isEvents = ({ kind, apiVersion }: Kind): boolean =>
  kind === "Event" && apiVersion === "v1";
const isServices = ({ kind, apiVersion }: Kind) => kind === "Service" && apiVersion === "v1";
const isNamespaces = ({ kind, apiVersion }: Kind) => kind === "Namespace" && apiVersion === "v1";

type Input = ScrapeInput<KubernetesScraper>;

export interface Reading {
  input: Input;
  client: KubernetesClient;
  wanted: Wanted;
  quiet: Quiet;
  services: Map<string, ServiceSelector[]>;
}

/** Everything that there is, and then where it stood. */
export async function* readCluster(client: KubernetesClient, input: Input): AsyncIterable<Found> {
  const { spec } = input;
  const quiet: Quiet = new Map();
  const reading = { input, client, wanted: wantedBy(spec), quiet, services: new Map() };
  const isFollowed = watchedBy(spec);
  const stood = new Map<Kind, string>();
  const standing = { isFollowed, stood };
  yield { kind: "item", item: clusterItem(spec.clusterName, await client.version()) };
  const { kinds, unread } = await client.kinds();
  yield* untoldKinds(unread);
  const wanted = reading.wanted.kinds(kinds);
  const happening = await whereEventsStand(kinds, reading, standing);
  if (spec.namespace) yield* ownNamespace(spec.namespace, reading);
  // What is above others first; pods know their services by what these select.
  const first = wanted.filter(isNamespaces);
  const services = wanted.filter(isServices);
  for (const kind of [...first, ...services]) yield* readObjects(kind, reading, standing);
  const rest = wanted.filter((kind) => !isNamespaces(kind) && !isServices(kind));
  const most = Math.min(spec.maxInflight ?? mostInflight, mostInflight);
  yield* merge(rest, most, (kind) => readObjects(kind, reading, standing));
  yield* readEvents(kinds, reading);
  if (happening) stood.set(...happening);
  if (stood.size > 0) yield { kind: "position", position: positionOf(stood, reading) };
}

/** Groups that tell nothing now: what is known of their kinds stays, of any kind where they are not known either. */
function* untoldKinds(unread: readonly UnreadGroup[]): Generator<Found> {
  for (const { group, message, kinds } of unread)
    if (hasObjects(group))
      yield {
        kind: "failure",
        message,
        ...(kinds && { unseen: kinds.map((kind) => ({ type: typeOf(group, kind) })) }),
        unjudged: [],
      };
    else yield { kind: "notice", message };
}

/** What is selected of objects, as the API asks for it. */
export const selectionOf = ({ namespace, selector, fieldSelector }: KubernetesScraper) => ({
  namespace: namespace || undefined,
  labelSelector: selector || undefined,
  fieldSelector: fieldSelector || undefined,
});

/** The namespace that a document keeps to, above what is in it. */
async function* ownNamespace(name: string, reading: Reading): AsyncIterable<Found> {
  try {
    const object = await reading.client.get(coreKinds.namespace, { name });
    yield* foundObject({ ...object, apiVersion: "v1", kind: "Namespace" }, reading);
  } catch (error) {
    if (!(error instanceof KubernetesError) || (error.code !== 403 && !isMissing(error)))
      throw error;
    yield { kind: "notice", message: error.message };
  }
}

/** Which kinds are followed, and where they stood. */
interface Standing {
  isFollowed(kind: Kind): boolean;
  stood: Map<Kind, string>;
}

const noting = (kind: Served, { isFollowed, stood }: Standing) => ({
  ...(isFollowed(kind) &&
    (kind.verbs.length === 0 || kind.verbs.includes("watch")) && {
      onVersion: (at: string) => void stood.set(kind, at),
    }),
});

async function* readObjects(
  kind: Served,
  reading: Reading,
  standing: Standing,
): AsyncGenerator<Found> {
  const { client, input, services } = reading;
  yield* guarded(kind, input, async function* () {
    for await (const objects of readKind(client, kind, {
      ...selectionOf(input.spec),
      ...noting(kind, standing),
    }))
      for (const object of objects) {
        if (isServices(kind)) addService(services, object);
        yield* foundObject(object, reading);
      }
  });
}

/** An object as an item, where it is one that is wanted. */
export async function* foundObject(
  object: KubernetesObject,
  reading: Reading,
): AsyncGenerator<Found> {
  const { input, wanted, quiet, services } = reading;
  const { spec, now, evaluator } = input;
  if (!wanted.holds(object)) return;
  noteQuiet(quiet, object);
  const parts: ItemParts = { cluster: spec.clusterName, services, now };
  const item = objectItem(object, parts);
  if (!item) return;
  if (!spec.relationships?.length) return yield { kind: "item", item };
  const notices: string[] = [];
  const own = await ownRelations(
    spec,
    { object, item },
    { scripts: itemScripts(evaluator), notice: (message) => notices.push(message) },
  );
  yield { kind: "item", item: { ...item, relations: [...item.relations, ...own] } };
  for (const message of notices) yield { kind: "notice", message, type: item.type };
}

/**
 * Where events stand before anything is read: those about what comes while it is read are told once more when that is
 * there. Nothing when they are not followed, or cannot be read, which is told when they are.
 */
async function whereEventsStand(
  kinds: readonly Served[],
  { client, input }: Reading,
  standing: Standing,
): Promise<[Kind, string] | undefined> {
  const events = kinds.find(isEvents);
  if (!events || !noting(events, standing).onVersion) return undefined;
  try {
    const namespace = input.spec.namespace || undefined;
    for await (const { resourceVersion } of client.pages(events, { namespace }))
      return [events, resourceVersion];
  } catch {
    input.signal.throwIfAborted();
  }
  return undefined;
}

async function* readEvents(kinds: readonly Served[], reading: Reading): AsyncIterable<Found> {
  const { client, input, wanted, quiet } = reading;
  const { spec, now } = input;
  const events = kinds.find(isEvents);
  if (!events) return;
  const read = eventReader(spec, { cluster: spec.clusterName, wanted, quiet, now });
  yield* guarded(events, input, async function* () {
    const options = { namespace: spec.namespace || undefined, mayRepeat: true };
    for await (const page of readKind(client, events, options))
      for (const event of page) {
        const change = read(event);
        if (change) yield { kind: "change", change };
      }
  });
}

/** What one kind cannot be read for takes nothing from the others. */
async function* guarded(
  kind: Kind,
  { spec, signal }: Input,
  read: () => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  try {
    yield* read();
  } catch (error) {
    signal.throwIfAborted();
    const code = error instanceof KubernetesError ? error.code : 0;
    // A kind that is not there any more, or of which there is no list, has no objects. Somebody who may not read
    // everything says so, and what is known of the rest stays; a cluster that is away is another thing.
    const message = (error as Error).message;
    const type = typeOf(groupOf(kind), kind.kind);
    const untold = { unseen: isEvents(kind) ? [] : [{ type }], unjudged: [] };
    if (code === 404 || code === 405) yield { kind: "notice", message, type };
    else if (code === 403 && spec.allowIncomplete) yield { kind: "notice", message, type, untold };
    else yield { kind: "failure", message, type, ...untold };
  }
}
