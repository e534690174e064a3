import { randomUUID } from "node:crypto";
import { apiVersionOf, type ServedKind } from "./kubernetes-kinds.ts";
import { matchesFields, matchesLabels } from "./kubernetes-selectors.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  tooOld,
  invalid,
  notFound,
} from "./kubernetes-status.ts";

export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [key: string]: unknown;
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- manifests have the shape of their kind
  [key: string]: any;
}

export interface ListQuery {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  limit: number;
  from?: string | undefined;
}

/** Something that happened to an object, with what it was then. */
export interface StoredChange {
  version: number;
  type: "ADDED" | "MODIFIED" | "DELETED";
  apiVersion: string;
  kind: string;
  namespace: string | undefined;
  labels: Readonly<Record<string, string>>;
  /** The object as JSON. */
  object: string;
}

interface Token {
  v: string;
  rv: number;
  start: string;
}

const written = (token: Token) => Buffer.from(JSON.stringify(token)).toString("base64url");

const dnsName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The objects of the stand-in, by kind. */
export function createStore() {
  const objects = new Map<string, StoredObject>();
  let version = 1000;
  let oldest = 0;
  const keyOf = (kind: ServedKind, namespace: string | undefined, name: string) =>
    `${apiVersionOf(kind)}/${kind.plural}/${kind.isNamespaced ? (namespace ?? "") : ""}/${name}`;
  const stamp = () => String((version += 1));
  const history: StoredChange[] = [];
  const watchers = new Set<(change: StoredChange) => void>();
  function happened(type: StoredChange["type"], object: StoredObject): void {
    const { apiVersion, kind, metadata } = object;
    const change: StoredChange = {
      version: Number(metadata.resourceVersion),
      type,
      apiVersion,
      kind,
      namespace: metadata.namespace,
      labels: { ...metadata.labels },
      object: JSON.stringify(object),
    };
    history.push(change);
    for (const watcher of watchers) watcher(change);
  }
  function gone(key: string, object: StoredObject): void {
    objects.delete(key);
    object.metadata.resourceVersion = stamp();
    happened("DELETED", object);
  }

  const store = {
    get(kind: ServedKind, namespace: string | undefined, name: string): StoredObject {
      const found = objects.get(keyOf(kind, namespace, name));
      if (!found) throw notFound(kind.plural, name);
      return found;
    },
    has: (kind: ServedKind, namespace: string | undefined, name: string): boolean =>
      objects.has(keyOf(kind, namespace, name)),
    create(kind: ServedKind, namespace: string | undefined, manifest: StoredObject): StoredObject {
      const { generateName } = manifest.metadata as { generateName?: string };
      const name =
        manifest.metadata.name ||
        (generateName ? `${generateName}${randomUUID().slice(0, 5)}` : "");
      if (!dnsName.test(name))
        throw invalid(
          kind.kind,
          name,
          "metadata.name: Invalid value: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
        );
      const key = keyOf(kind, namespace, name);
      if (objects.has(key)) throw alreadyExists(kind.plural, name);
      const stored: StoredObject = {
        ...structuredClone(manifest),
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        metadata: {
          ...structuredClone(manifest.metadata),
          name,
          ...(kind.isNamespaced && { namespace: namespace ?? "default" }),
          uid: randomUUID(),
          resourceVersion: stamp(),
          creationTimestamp:
            manifest.metadata.creationTimestamp || new Date().toISOString().replace(/\.\d+/, ""),
          managedFields: [{ manager: "mainstay", operation: "Update", apiVersion: "v1" }],
        },
      };
      objects.set(key, stored);
      happened("ADDED", stored);
      return stored;
    },
    /** As a server-side apply does, as far as the fields of one manager go. */
    apply(
      kind: ServedKind,
      namespace: string | undefined,
      manifest: StoredObject,
    ): { object: StoredObject; isNew: boolean } {
      const key = keyOf(kind, namespace, manifest.metadata.name);
      const there = objects.get(key);
      if (!there) return { object: store.create(kind, namespace, manifest), isNew: true };
      const { metadata, ...rest } = structuredClone(manifest);
      Object.assign(there, rest);
      Object.assign(there.metadata, {
        ...metadata,
        uid: there.metadata.uid,
        namespace: there.metadata.namespace,
        resourceVersion: stamp(),
      });
      happened("MODIFIED", there);
      return { object: there, isNew: false };
    },
    update(object: StoredObject, change: (object: StoredObject) => void): void {
      change(object);
      object.metadata.resourceVersion = stamp();
      happened("MODIFIED", object);
    },
    remove(
      kind: ServedKind,
      namespace: string | undefined,
      name: string,
      uid?: string,
    ): StoredObject {
      const found = store.get(kind, namespace, name);
      if (uid !== undefined && found.metadata.uid !== uid)
        throw conflict(
          kind.plural,
          name,
          `the UID in the precondition (${uid}) does not match the UID in record (${found.metadata.uid}). The object might have been deleted and then recreated`,
        );
      gone(keyOf(kind, namespace, name), found);
      return found;
    },
    /** All objects of a namespace go. */
    empty(namespace: string): void {
      for (const [key, object] of objects)
        if (object.metadata.namespace === namespace) gone(key, object);
    },
    /** Tokens of lists under way are too old from now on. */
    compact(): void {
      oldest = version += 1;
      history.length = 0;
    },
    version: (): number => version,
    /** What has happened since a version, and, until the watcher is taken back, what happens. */
    watch(since: number, watcher: (change: StoredChange) => void): () => void {
      if (since > 0 && since < oldest) throw tooOld(since, oldest);
      for (const change of history.filter((one) => one.version > since)) watcher(change);
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    all: (kind: ServedKind): StoredObject[] =>
      [...objects]
        .filter(([key]) => key.startsWith(`${apiVersionOf(kind)}/${kind.plural}/`))
        .map(([, object]) => object),
    list(kind: ServedKind, query: ListQuery): object {
      let token: Token | undefined;
      try {
        if (query.from)
          token = JSON.parse(Buffer.from(query.from, "base64url").toString("utf8")) as Token;
      } catch {
        throw badRequest("continue key is not valid");
      }
      if (token && token.rv < oldest) throw expired(written({ ...token, rv: version }));
      const prefix = keyOf(kind, query.namespace, "").replace(/\/\/$/, "/");
      let matching: [string, StoredObject][];
      try {
        matching = [...objects]
          .filter(
            ([key, { metadata }]) =>
              key.startsWith(`${apiVersionOf(kind)}/${kind.plural}/`) &&
              (query.namespace === undefined || !kind.isNamespaced || key.startsWith(prefix)) &&
              matchesLabels(query.labelSelector ?? "", metadata.labels ?? {}),
          )
          .filter(([, object]) =>
            matchesFields(query.fieldSelector ?? "", object, kind.fields ?? []),
          )
          .toSorted(([one], [other]) => (one < other ? -1 : 1));
      } catch (error) {
        throw badRequest((error as Error).message);
      }
      const rest = token ? matching.filter(([key]) => key >= token.start) : matching;
      const page = query.limit > 0 ? rest.slice(0, query.limit) : rest;
      const next = rest[page.length];
      const more: Token | undefined = next && {
        v: "meta.k8s.io/v1",
        rv: token?.rv ?? version,
        start: next[0],
      };
      return {
        kind: `${kind.kind}List`,
        apiVersion: apiVersionOf(kind),
        metadata: {
          resourceVersion: String(token?.rv ?? version),
          ...(more && {
            continue: written(more),
            ...(!query.labelSelector &&
              !query.fieldSelector && { remainingItemCount: rest.length - page.length }),
          }),
        },
        // On the wire the elements of a list do not say what they are.
        items: page.map(([, { apiVersion: _version, kind: _kind, ...object }]) => object),
      };
    },
  };
  return store;
}

export type Store = ReturnType<typeof createStore>;
