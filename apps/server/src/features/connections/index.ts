import type { Feature } from "#platform/feature.ts";
import { connectionFinder } from "./connection-finder.ts";
import { connectionKind } from "./connection-kind.ts";
import { connection } from "./resources.ts";
import { routes } from "./routes.ts";
import { tables } from "./tables.ts";

/** Access to other systems, kept once and named by whoever uses it. */
export const connections: Feature = {
  name: "connections",
  tables,
  routes,
  documents: [connectionKind],
  resources: [connection],
  views: new URL("views.sql", import.meta.url),
  changes: [{ tables: ["connections"], run: (ctx) => ctx.service(connectionFinder).forget() }],
};

export { type Connection, type ConnectionFinder, ConnectionMissing } from "./connection.ts";
export { ConnectionSealed } from "./read-connection.ts";
export { connectionFinder } from "./connection-finder.ts";
export { findInDocuments } from "./find-in-documents.ts";
export { addedProbes, type Probe, type ProbeInput } from "./probes/probe.ts";
export { fillConnection } from "./prepare/fill-connections.ts";
export {
  type DocumentFacts,
  type Preparation,
  type Prepared,
  type PrepareParts,
  prepareSpec,
} from "./prepare/prepare-spec.ts";
export {
  type SpecNeeds,
  specNeeds,
  type SpecNoun,
  textsOf,
  type WrittenSpec,
} from "./prepare/spec-needs.ts";
export { whyNotOpened, writtenSecrets } from "./prepare/written-secrets.ts";
