import type { ComponentCheck, ConfigQuery, ResourceSelector } from "@mainstay/contract";

/*
 * Words of a run. A topology is *built*: its document is read from the top, lookups are asked, and what comes of it is a
 * tree of components that knows no database (`build-tree.ts`). Then the tree is *saved*: rows are made of it, those that
 * are there already keep their ids, and what is no longer found is ended (`save-tree.ts`).
 */

/** A property as components carry it; the names are those of the wire. */
export interface Property {
  name: string;
  label?: string;
  text?: string;
  value?: number;
  [key: string]: unknown;
}

export interface LogSelector {
  name?: string;
  type?: string;
  labels?: Record<string, string>;
}

/** A component that was built. */
export interface Component {
  name: string;
  externalId: string;
  type: string | undefined;
  namespace: string | undefined;
  text: string | undefined;
  description: string | undefined;
  tooltip: string | undefined;
  icon: string | undefined;
  owner: string | undefined;
  lifecycle: string | undefined;
  order: number;
  hidden: boolean;
  labels: Record<string, string>;
  statusExpr: string | undefined;
  healthExpr: string | undefined;
  /** What its source says of it alone. */
  status: string | undefined;
  statusReason: string | undefined;
  health: string | undefined;
  summary: Record<string, unknown> | undefined;
  configId: string | undefined;
  properties: Property[];
  logs: LogSelector[];
  selectors: ResourceSelector[];
  configs: ConfigQuery[];
  checks: ComponentCheck[];
  relationships: { type?: string | undefined; ref?: string | undefined }[];
  parentLookup: ParentLookup | undefined;
  children: Component[];
}

export interface ParentLookup {
  name?: string | undefined;
  namespace?: string | undefined;
  type?: string | undefined;
  externalID?: string | undefined;
}

/** What came of a document. */
export interface Tree {
  roots: Component[];
  /** Why parts may be missing: what was there before is not ended then. */
  errors: string[];
  /** What people should know, and nothing is missing for. */
  notices: string[];
  isComplete: boolean;
  count: number;
}

/** Every component of some, from the top. */
export function* everyComponent(components: readonly Component[]): Generator<Component> {
  for (const component of components) {
    yield component;
    yield* everyComponent(component.children);
  }
}
