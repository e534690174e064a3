import { createHash } from "node:crypto";
import { secretPlaceholder } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { Sealer } from "#platform/sealing/sealer.ts";
import { awaitingTypes, findCheckType } from "../check-types/index.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";

export const hashToken = (token: string) => createHash("sha256").update(token).digest("hex");

/**
 * A check that waits to be called, and whose document names the token, is called with that one; the others get theirs
 * when somebody asks. One token may stand in several documents: a call then counts for all of them.
 */
export async function syncCalls(tx: Queryable, row: CanaryRow, sealer: Sealer): Promise<void> {
  if (awaitingTypes.every((type) => row.spec[type] === undefined)) return;
  const checked = checkDocument(row, sealer.open(row.spec, row.sealed).document);
  const waiting = (checked.issues ? [] : checked.checks)
    .filter(({ held }) => !held)
    .flatMap(({ type, name, spec }) => {
      const found = findCheckType(type);
      return found?.awaits
        ? [{ type, name, token: found.awaits.token(found.spec.parse(spec)) }]
        : [];
    })
    // What cannot be opened here has not changed: a token that is new was just sealed.
    .filter(({ token }) => token !== secretPlaceholder);
  if (waiting.length === 0) return;
  await tx.run(sql`
    with told as (
      select c.id, t.hash
        from unnest(${waiting.map(({ type }) => type)}::text[], ${waiting.map(({ name }) => name)}::text[],
                    ${waiting.map(({ token }) => (token === undefined ? null : hashToken(token)))}::text[]) t (type, name, hash)
        join checks c on c.canary_id = ${row.id} and c.type = t.type and c.name = t.name),
    forgotten as (
      delete from check_beats b using told where b.check_id = told.id and told.hash is null and b.from_spec)
    insert into check_beats (check_id, token_hash, from_spec) select id, hash, true from told where hash is not null
    on conflict (check_id) do update set token_hash = excluded.token_hash, from_spec = true`);
}
