import { canaryFormat, type SecretPlace, withoutRegistries } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import type { Sealed } from "#platform/sealing/sealed.ts";
import type { Sealer } from "#platform/sealing/sealer.ts";
import { canarySealer } from "./canary-sealer.ts";
import { forgetTexts } from "#platform/documents/text/kept-texts.ts";
import { LAST_APPLIED } from "#platform/documents/annotations.ts";

/**
 * Counts what the contract's marks call secret. A higher number seals what is stored again at the next start: raise it
 * with every mark that is added.
 */
export const MARKS = 3;
const MARKER = "seal:canaries";
/** Rows of one transaction. */
const PORTION = 250;

type Spec = Record<string, unknown>;

/**
 * Seals what was stored when its secrets were not known to be some: documents, their checks, and the changes in the
 * audit log. Runs under the lock of migrations. When it is interrupted, the next start finds the rest.
 */
export async function sealStored(ctx: Ctx): Promise<void> {
  const done = await ctx.db.first<{ hash: string }>(
    sql`select hash from migration_logs where path = ${MARKER}`,
  );
  if (done?.hash === String(MARKS)) return;
  const sealer = canarySealer(ctx.config);
  const canaries = await inPortions(ctx, (tx, after) => sealCanaries(tx, sealer, after));
  const checks = await inPortions(ctx, (tx, after) => maskChecks(tx, sealer, after));
  await ctx.db.run(
    sql`update canaries set annotations = annotations - ${LAST_APPLIED} where annotations ? ${LAST_APPLIED}`,
  );
  await ctx.db.run(sql`
    update audit_log set before = before #- ${["annotations", LAST_APPLIED]}, after = after #- ${["annotations", LAST_APPLIED]}
     where table_name = 'canaries' and (before -> 'annotations' ? ${LAST_APPLIED} or after -> 'annotations' ? ${LAST_APPLIED})`);
  const changes = await inPortions(ctx, (tx, after) => maskChanges(tx, sealer, after));
  await ctx.db.run(sql`
    insert into migration_logs (path, hash, updated_at) values (${MARKER}, ${String(MARKS)}, now())
    on conflict (path) do update set hash = excluded.hash, updated_at = now()`);
  if (canaries + checks + changes > 0)
    ctx.log.info({ canaries, checks, changes }, "stored secrets were sealed");
}

interface Portion {
  /** Where the next begins; none when this was the last. */
  last: string | undefined;
  changed: number;
}

const FIRST = "00000000-0000-0000-0000-000000000000";

async function inPortions(
  ctx: Ctx,
  work: (tx: Tx, after: string) => Promise<Portion>,
): Promise<number> {
  let changed = 0;
  for (let after: string | undefined = FIRST; after !== undefined;) {
    const from: string = after;
    ctx.signal.throwIfAborted();
    const portion = await ctx.tx((tx) => work(tx, from));
    changed += portion.changed;
    after = portion.last;
  }
  return changed;
}

const lastOf = (rows: readonly { id: string }[]) =>
  rows.length < PORTION ? undefined : rows.at(-1)?.id;

/**
 * Names told where secrets of checks are that schemas tell now: of an object the value, where the schema means the object.
 * And logins of registries led nowhere.
 */
const formerly = ({ path, destination }: SecretPlace) =>
  [path, `${path}.value`].flatMap((former) =>
    [...new Set([destination, withoutRegistries(destination)])].map((to) => ({ path: former, to })),
  );

async function sealCanaries(tx: Tx, sealer: Sealer, after: string): Promise<Portion> {
  const rows = await tx.rows<{ id: string; spec: Spec; sealed: Sealed }>(sql`
    select id, spec, sealed from canaries where id > ${after} order by id limit ${PORTION} for update`);
  const found = rows.flatMap(({ id, spec, sealed: stored }) => {
    const { document, sealed } = sealer.seal(spec);
    // What was sealed before stays; here is nobody who could be told that something is missing.
    const fresh = Object.entries(sealed).filter(([, entry]) => !("keep" in entry));
    const moved = sealer.rebind(spec, stored, formerly);
    const put = { ...moved.sealed, ...Object.fromEntries(fresh) };
    if (Object.keys(put).length === 0) return [];
    const kept = Object.entries(stored).filter(([path]) => !moved.former.includes(path));
    return [{ id, spec: document, sealed: { ...Object.fromEntries(kept), ...put } }];
  });
  if (found.length > 0) {
    await tx.run(sql`
      update canaries c set spec = f.spec, sealed = f.sealed
        from unnest(${found.map(({ id }) => id)}::uuid[], ${found.map(({ spec }) => JSON.stringify(spec))}::jsonb[],
                    ${found.map(({ sealed }) => JSON.stringify(sealed satisfies Sealed))}::jsonb[]) f (id, spec, sealed)
       where c.id = f.id`);
    // What was written may hold what is a secret only now.
    const ids = found.map(({ id }) => id);
    await forgetTexts(tx, { format: canaryFormat }, ids);
  }
  return { last: lastOf(rows), changed: found.length };
}

/** Checks repeat what their documents hold. */
async function maskChecks(tx: Tx, sealer: Sealer, after: string): Promise<Portion> {
  const rows = await tx.rows<{ id: string; type: string; spec: Spec }>(sql`
    select id, type, spec from checks
     where id > ${after} and spec is not null order by id limit ${PORTION} for no key update`);
  const found = rows.flatMap(({ id, type, spec }) => {
    const masked = sealer.mask({ [type]: [spec] });
    return masked ? [{ id, spec: (masked[type] as Spec[])[0] }] : [];
  });
  if (found.length > 0) {
    await tx.run(sql`
      update checks c set spec = f.spec
        from unnest(${found.map(({ id }) => id)}::uuid[], ${found.map(({ spec }) => JSON.stringify(spec))}::jsonb[]) f (id, spec)
       where c.id = f.id`);
  }
  return { last: lastOf(rows), changed: found.length };
}

async function maskChanges(tx: Tx, sealer: Sealer, after: string): Promise<Portion> {
  type Values = { spec?: Spec } | null;
  const rows = await tx.rows<{ id: string; before: Values; after: Values }>(sql`
    select id, before, after from audit_log
     where table_name = 'canaries' and id > ${after} order by id limit ${PORTION}`);
  const mask = (values: Values): Values | undefined => {
    const spec = values?.spec && sealer.mask(values.spec);
    return spec && { ...values, spec };
  };
  const found = rows.flatMap((row) => {
    const masked = { before: mask(row.before), after: mask(row.after) };
    return masked.before || masked.after
      ? [{ id: row.id, before: masked.before ?? row.before, after: masked.after ?? row.after }]
      : [];
  });
  const texts = (values: Values[]) =>
    values.map((value) => (value === null ? null : JSON.stringify(value)));
  if (found.length > 0) {
    await tx.run(sql`
      update audit_log a set before = f.before, after = f.after
        from unnest(${found.map(({ id }) => id)}::uuid[], ${texts(found.map(({ before }) => before))}::jsonb[],
                    ${texts(found.map(({ after }) => after))}::jsonb[]) f (id, before, after)
       where a.id = f.id`);
  }
  return { last: lastOf(rows), changed: found.length };
}
