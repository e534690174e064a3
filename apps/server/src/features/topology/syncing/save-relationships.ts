import sql from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import type { PlacedComponent } from "./save-tree.ts";

/** What relates a component to another one that its document names. */
export const namedSelector = "document";

interface Relationship {
  component_id: string;
  relationship_id: string;
  path: string;
}

/** Puts components below the others that their documents name, and takes back what none says any more. */
export async function saveRelationships(
  db: Database,
  {
    topologyId,
    placed,
    isComplete,
  }: { topologyId: string; placed: readonly PlacedComponent[]; isComplete: boolean },
): Promise<string[]> {
  const byName = new Map<string, PlacedComponent>();
  for (const one of placed) {
    const { name, externalId } = one.component;
    if (!byName.has(externalId)) byName.set(externalId, one);
    if (!byName.has(name)) byName.set(name, one);
  }
  const notices: string[] = [];
  const found = new Map<string, Relationship>();
  for (const { id, component } of placed)
    for (const { ref } of component.relationships) {
      if (!ref) continue;
      const above = byName.get(ref);
      if (!above || above.id === id)
        notices.push(
          `${component.name}: it is to belong to "${ref}", and ${above ? "that is itself" : "there is no such component in this topology"}.`,
        );
      else
        found.set(`${id}/${above.id}`, {
          component_id: id,
          relationship_id: above.id,
          path: above.path,
        });
    }
  const json = JSON.stringify([...found.values()]);
  await db.transaction(async (tx) => {
    const given = sql`jsonb_to_recordset(${json}::jsonb) g (component_id uuid, relationship_id uuid, path text)`;
    await tx.run(sql`
      insert into component_relationships as r (component_id, relationship_id, selector_id, relationship_path)
      select g.component_id, g.relationship_id, ${namedSelector}, g.path from ${given} order by 1, 2
      on conflict (component_id, relationship_id, selector_id) do update
         set deleted_at = null, relationship_path = excluded.relationship_path
       where r.deleted_at is not null or r.relationship_path is distinct from excluded.relationship_path`);
    if (isComplete)
      await tx.run(sql`
        update component_relationships r set deleted_at = now()
          from components c
         where c.id = r.component_id and c.topology_id = ${topologyId} and r.selector_id = ${namedSelector}
           and r.deleted_at is null
           and not exists (select from ${given}
                            where g.component_id = r.component_id and g.relationship_id = r.relationship_id)`);
  });
  return notices;
}
