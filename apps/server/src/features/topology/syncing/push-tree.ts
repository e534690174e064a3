import type { WrittenSpec } from "@mainstay/contract";
import { runLookup } from "#features/health/index.ts";
import type { TopologyDocument } from "./build-tree.ts";
import type { PlacedComponent } from "./save-tree.ts";
import type { SyncParts } from "./sync-topology.ts";

/** A component as the receiver knows it; the names are those of the wire. Source: server contract, section 7. */
interface PushedComponent {
  id: string;
  name: string;
  topology_id: string;
  external_id: string;
  components: PushedComponent[];
  [field: string]: unknown;
}

const pushed = (topologyId: string, { id, component }: PlacedComponent): PushedComponent => ({
  id,
  topology_id: topologyId,
  name: component.name,
  external_id: component.externalId,
  type: component.type,
  namespace: component.namespace,
  text: component.text,
  icon: component.icon,
  owner: component.owner,
  lifecycle: component.lifecycle,
  tooltip: component.tooltip,
  description: component.description,
  labels: component.labels,
  hidden: component.hidden,
  order: component.order,
  status: component.status,
  health: component.health,
  summary: component.summary,
  status_reason: component.statusReason,
  status_expr: component.statusExpr,
  health_expr: component.healthExpr,
  properties: component.properties,
  components: [],
});

/**
 * Sends the components of a run to another server, which ends those that are not among them: all at once, one root as it
 * is and several as a list. Says what went wrong.
 */
export async function pushTree(
  push: unknown,
  {
    row,
    placed,
    parts: { connector, runnable, signal },
  }: {
    row: Omit<TopologyDocument, "spec">;
    placed: readonly PlacedComponent[];
    parts: SyncParts;
  },
): Promise<string[]> {
  if (!isPushed(push) || placed.length === 0) return [];
  const byId = new Map(placed.map((one) => [one.id, pushed(row.id, one)]));
  for (const { id, parentId } of placed)
    if (parentId !== null) byId.get(parentId)?.components.push(byId.get(id)!);
  const roots = placed.filter(({ parentId }) => parentId === null).map(({ id }) => byId.get(id)!);
  const check = {
    ...push,
    name: "push",
    method: "POST",
    body: noTemplate(JSON.stringify(roots.length === 1 ? roots[0] : roots)),
    headers: [
      ...(Array.isArray(push.headers) ? (push.headers as unknown[]) : []),
      { name: "Content-Type", value: "application/json" },
    ],
  };
  const { errors } = await runLookup(
    { spec: { http: [check] }, document: row, given: {}, connector, signal },
    runnable,
  );
  return errors.map((error) => `push: ${error}`);
}

/** Whether a document says where its components are sent to. */
export const isPushed = (push: unknown): push is WrittenSpec =>
  typeof push === "object" &&
  push !== null &&
  Boolean((push as WrittenSpec).url || (push as WrittenSpec).connection);

/** JSON that says the same and is no template, whatever was found: both beginnings of one stand in texts alone. */
const noTemplate = (json: string) => json.replaceAll("$(", "\\u0024(").replaceAll("{{", "{\\u007b");
