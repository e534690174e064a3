import { createHash } from "node:crypto";
import { secretPlaceholder } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { Sealer } from "#platform/sealing/sealer.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";

export const hashToken = (token: string) => createHash("sha256").update(token).digest("hex");

/**
 * A heartbeat whose document names its token is called with that one; the others get theirs when somebody asks. One
 * token may stand in several documents: a beat then counts for all of them.
 */
export async function syncBeats(tx: Queryable, row: CanaryRow, sealer: Sealer): Promise<void> {
  if (row.spec.heartbeat === undefined) return;
  const checked = checkDocument(row, sealer.open(row.spec, row.sealed).document);
  const beats = (checked.issues ? [] : checked.checks)
    .filter(({ type, held }) => type === "heartbeat" && !held)
    .map(({ name, spec }) => ({ name, token: specToken(spec.token) }))
    // What cannot be opened here has not changed: a token that is new was just sealed.
    .filter(({ token }) => token !== secretPlaceholder);
  if (beats.length === 0) return;
  await tx.run(sql`
    with told as (
      select c.id, t.hash
        from unnest(${beats.map(({ name }) => name)}::text[],
                    ${beats.map(({ token }) => (token === undefined ? null : hashToken(token)))}::text[]) t (name, hash)
        join checks c on c.canary_id = ${row.id} and c.type = 'heartbeat' and c.name = t.name),
    forgotten as (
      delete from check_beats b using told where b.check_id = told.id and told.hash is null and b.from_spec)
    insert into check_beats (check_id, token_hash, from_spec) select id, hash, true from told where hash is not null
    on conflict (check_id) do update set token_hash = excluded.token_hash, from_spec = true`);
}

/** The token of a heartbeat as its document writes it: a plain value, or an object with one. */
export function specToken(token: unknown): string | undefined {
  const isObject = typeof token === "object" && token !== null;
  const value = isObject ? (token as { value?: unknown }).value : token;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
