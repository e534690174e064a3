import { canaryFormat, type CanaryDocument, parseDocuments } from "@mainstay/contract";
import sql from "sql-template-tag";
import { agreeCanaries, canariesOf, canaryKind } from "#features/health/index.ts";
import type { Ctx } from "#platform/context.ts";
import { storableJson } from "#platform/db/storable-text.ts";
import type { PlacedComponent } from "./save-tree.ts";

/** Canaries of one topology's components at most; each may hold several checks. */
const mostCanaries = 2000;

/** Where the canaries of a component are kept. Source: data model, section 0. */
export const componentSource = (componentId: string): string => `component/${componentId}`;

/** What relates a check to the component in whose document it stands. */
export const inlineSelector = "inline";

interface SaveChecksInput {
  topology: { id: string; updated_at: Date | null };
  placed: readonly PlacedComponent[];
  isComplete: boolean;
}

/** The checks of one component, as canaries. */
interface Wanted {
  documents: CanaryDocument[];
  /** Names of those that cannot be read: the last ones that could be are kept. */
  unread: string[];
}

/**
 * Makes canaries of the checks that stand in components, relates them, and ends those of components that have none. What
 * cannot be read, and what a run did not come to that failed somewhere, is left as it was.
 */
export async function saveChecks(
  ctx: Ctx,
  { topology, placed, isComplete }: SaveChecksInput,
): Promise<{ errors: string[] }> {
  const errors: string[] = [];
  let count = 0;
  const wanted = new Map<string, Wanted>();
  for (const one of placed) {
    const own = documentsOf(one, errors);
    const held = own.documents.length + own.unread.length;
    if (held === 0) continue;
    count += held;
    if (count > mostCanaries) {
      errors.push(
        `Components have more than ${mostCanaries} checks of their own: the others are not run.`,
      );
      break;
    }
    wanted.set(one.id, own);
  }
  const known = await canariesOf(ctx, [...wanted.keys()].map(componentSource));
  for (const [id, { documents, unread }] of wanted) {
    ctx.signal.throwIfAborted();
    const source = componentSource(id);
    await agreeCanaries(ctx, canaryKind, {
      source,
      documents,
      known: known.get(source) ?? [],
      changedAt: topology.updated_at,
      isKept: ({ name }) => !isComplete || unread.includes(name),
      isStillThere: async (tx) =>
        (await tx.first(
          sql`select from components where id = ${id} and deleted_at is null for share`,
        )) !== undefined,
    });
  }
  await endOthers(ctx, topology.id, { kept: [...wanted.keys()], isComplete });
  await relate(ctx, topology.id);
  return { errors };
}

/** A component has one canary for each entry that holds checks. */
function documentsOf({ id, component }: PlacedComponent, errors: string[]): Wanted {
  const wanted: Wanted = { documents: [], unread: [] };
  for (const [index, { inline }] of component.checks.entries()) {
    if (!inline) continue;
    // Unique: another component may be called alike.
    const name = `${component.name.slice(0, 200)}-${id.slice(0, 8)}${index === 0 ? "" : `-${index}`}`;
    const document = {
      apiVersion: canaryFormat.apiVersions[0],
      kind: canaryFormat.kind,
      metadata: {
        name,
        namespace: component.namespace,
        labels: component.labels,
      },
      spec: inline,
    };
    const { documents, problems } = parseDocuments(storableJson(document), {
      formats: [canaryFormat],
    });
    const wrong = problems.find(({ severity }) => severity === "error");
    if (!wrong) {
      wanted.documents.push(...documents);
      continue;
    }
    wanted.unread.push(name);
    errors.push(
      `${component.name}, checks.${index} cannot be read, so what there was of it stays: ${wrong.path}: ${wrong.message}`,
    );
  }
  return wanted;
}

/** Canaries of components that have none any more; of components that were not seen only after a whole run. */
async function endOthers(
  ctx: Ctx,
  topologyId: string,
  { kept, isComplete }: { kept: readonly string[]; isComplete: boolean },
): Promise<void> {
  const gone = await ctx.db.rows<{ id: string }>(sql`
    select c.id from components c
     where c.topology_id = ${topologyId} and (c.deleted_at is not null or ${isComplete})
       and not c.id = any(${kept}::uuid[])
       and exists (select from canaries k where k.source = 'component/' || c.id and k.deleted_at is null)`);
  const known = await canariesOf(
    ctx,
    gone.map(({ id }) => componentSource(id)),
  );
  for (const [source, rows] of known)
    await agreeCanaries(ctx, canaryKind, {
      source,
      documents: [],
      known: rows,
      isStillThere: () => Promise.resolve(true),
    });
}

/** The checks of its own canaries belong to each component. */
async function relate(ctx: Ctx, topologyId: string): Promise<void> {
  await ctx.db.run(sql`
    insert into check_component_relationships as r (component_id, check_id, canary_id, selector_id)
    select c.id, k.id, n.id, ${inlineSelector}
      from components c
      join canaries n on n.source = 'component/' || c.id and n.deleted_at is null
      join checks k on k.canary_id = n.id and k.deleted_at is null
     where c.topology_id = ${topologyId} and c.deleted_at is null
     order by 1, 2
    on conflict (component_id, check_id, canary_id, selector_id) do update set deleted_at = null
      where r.deleted_at is not null`);
}
