import sql, { join, type Sql } from "sql-template-tag";
import type { LookUp } from "./declare.ts";

/** Asks for what is looked up before a statement, all of it at once, and puts it where the statement holds it. */
export async function lookUpAll(
  lookUps: readonly LookUp[],
  ask: (statement: Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<void> {
  if (lookUps.length === 0) return;
  const each = lookUps.map(
    ({ values }, place) => sql`select ${place}::int as place, found.value from (${values}) found`,
  );
  const found = Map.groupBy(await ask(join(each, " union all ")), ({ place }) => place);
  for (const [place, { into }] of lookUps.entries())
    into.splice(0, into.length, ...(found.get(place) ?? []).map(({ value }) => String(value)));
}
