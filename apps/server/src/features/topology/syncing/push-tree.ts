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
  labels: component.labels,
  hidden: component.hidden,
  order: component.order,
  status: component.status,
  health: component.health,
  status_reason: component.statusReason,
  status_expr: component.statusExpr,
  health_expr: component.healthExpr,
  properties: component.properties,
  components: [],
});

/** Sends the components of a run to another server, a tree at a time; says what went wrong. */
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
  if (typeof push !== "object" || push === null) return [];
  const { url, connection } = push as WrittenSpec;
  if (!url && !connection) return [];
  const byId = new Map(placed.map((one) => [one.id, pushed(row.id, one)]));
  for (const { id, parentId } of placed)
    if (parentId !== null) byId.get(parentId)?.components.push(byId.get(id)!);
  const roots = placed.filter(({ parentId }) => parentId === null).map(({ id }) => byId.get(id)!);
  const errors: string[] = [];
  for (const root of roots) {
    const check = {
      ...(push as WrittenSpec),
      name: "push",
      method: "POST",
      body: noTemplate(JSON.stringify(root)),
      headers: [
        ...(Array.isArray((push as WrittenSpec).headers)
          ? ((push as WrittenSpec).headers as unknown[])
          : []),
        { name: "Content-Type", value: "application/json" },
      ],
    };
    const answer = await runLookup(
      { spec: { http: [check] }, document: row, given: {}, connector, signal },
      runnable,
    );
    errors.push(...answer.errors.map((error) => `push: ${error}`));
  }
  return errors;
}

/** JSON that says the same and is no template, whatever was found: both beginnings of one stand in texts alone. */
const noTemplate = (json: string) => json.replaceAll("$(", "\\u0024(").replaceAll("{{", "{\\u007b");
