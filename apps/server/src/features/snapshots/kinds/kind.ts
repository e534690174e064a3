import type { Resource } from "@mainstay/contract";
import type { SnapshotRange } from "../range.ts";
import type { Ask } from "../reader.ts";

/** What a snapshot is of, and everything that it tells of: ids, in the order in which they are told. */
export interface Scope {
  name: string;
  /** What sort of thing it is, for people. */
  type: string | undefined;
  componentIds: string[];
  itemIds: string[];
  checkIds: string[];
  /** What of it is not told, in a sentence each. */
  notices: string[];
}

export interface Asked {
  ask: Ask;
  id: string;
  range: SnapshotRange;
  /** With what is around it, too. */
  withRelated: boolean;
}

/** What a snapshot can be of. */
export interface SnapshotKind {
  /** In the address: `/api/snapshot/{name}/{id}`. */
  name: string;
  /** For people: what there is none of when it is not found. */
  noun: string;
  /** Whoever may read these may have one. */
  read: Resource;
  /** Undefined where there is no such thing. */
  find(asked: Asked): Promise<Scope | undefined>;
}
