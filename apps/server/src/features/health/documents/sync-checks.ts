import { type CanaryCheck, readScript } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { findCheckType } from "../check-types/index.ts";

/**
 * Makes the rows of `checks` agree with a document: one per check, found by type and name; those that are gone are
 * soft-deleted, those that come back are the same row again. State and times stay as results have left them.
 */
export async function syncChecks(
  tx: Queryable,
  canary: { id: string; owner?: string },
  checks: readonly CanaryCheck[],
): Promise<void> {
  const column = <Value>(read: (check: CanaryCheck) => Value) => checks.map(read);
  // The order in which the writer of results locks them.
  await tx.rows(
    sql`select id from checks where canary_id = ${canary.id} order by id for no key update`,
  );
  await renameMadeUp(tx, canary.id, checks);
  const synced = await tx.rows<{ id: string; type: string; name: string }>(sql`
    insert into checks (canary_id, type, name, namespace, description, icon, severity, labels, spec, owner)
    select ${canary.id}, c.type, c.name, c.namespace, c.description, c.icon, c.severity, c.labels, c.spec, ${canary.owner ?? null}
      from unnest(${column((check) => check.type)}::text[], ${column((check) => check.name)}::text[],
                  ${column((check) => check.namespace)}::text[], ${column((check) => check.description ?? null)}::text[],
                  ${column((check) => check.icon ?? null)}::text[], ${column((check) => check.severity ?? null)}::text[],
                  ${column((check) => JSON.stringify(check.labels))}::jsonb[], ${column((check) => JSON.stringify(check.spec))}::jsonb[])
           as c (type, name, namespace, description, icon, severity, labels, spec)
    on conflict (canary_id, type, name, agent_id) do update
      set namespace = excluded.namespace, description = excluded.description, icon = excluded.icon,
          severity = excluded.severity, labels = excluded.labels, spec = excluded.spec, owner = excluded.owner,
          parent_id = null, transformed = null, deleted_at = null
    returning id, type, name`);
  const ids = new Map(synced.map((row) => [`${row.type}/${row.name}`, row.id]));
  const idOf = (check: CanaryCheck) => ids.get(`${check.type}/${check.name}`)!;
  const parents = checks.filter((check) => !check.held && readScript(check.spec.transform));
  await tx.run(sql`
    update checks set deleted_at = now()
     where canary_id = ${canary.id} and deleted_at is null and id <> all (${[...ids.values()]}::uuid[])
       and (parent_id is null or parent_id <> all (${parents.map(idOf)}::uuid[]))`);
  // What is held is not run, so nothing may claim to know its state.
  await tx.run(sql`
    with held as (
      insert into check_totals (check_id, held, endpoint)
      select * from unnest(${column(idOf)}::uuid[], ${column((check) => check.held ?? null)}::text[],
                           ${column(endpointOf)}::text[])
      on conflict (check_id) do update set held = excluded.held, endpoint = excluded.endpoint
      returning check_id, held)
    update checks set status = 'unknown', next_runtime = null
      from held where held.held is not null and checks.id = held.check_id and checks.status is distinct from 'unknown'`);
}

/** Checks without a name of their own keep their rows when the rule by which they get one changes. */
async function renameMadeUp(
  tx: Queryable,
  canaryId: string,
  checks: readonly CanaryCheck[],
): Promise<void> {
  const renamed = checks.filter(({ formerName }) => formerName !== undefined);
  if (renamed.length === 0) return;
  await tx.run(sql`
    update checks c set name = r.name
      from unnest(${renamed.map(({ type }) => type)}::text[], ${renamed.map(({ formerName }) => formerName)}::text[],
                  ${renamed.map(({ name }) => name)}::text[]) r (type, former, name)
     where c.canary_id = ${canaryId} and c.type = r.type and c.name = r.former and c.deleted_at is null
       and not exists (select from checks o where o.canary_id = ${canaryId} and o.type = r.type and o.name = r.name)`);
}

function endpointOf(check: CanaryCheck): string | null {
  const type = findCheckType(check.type);
  return type ? type.endpoint(type.spec.parse(check.spec)) : null;
}
