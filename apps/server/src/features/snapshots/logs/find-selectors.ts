import { createHash } from "node:crypto";
import sql from "sql-template-tag";
import type { Scope } from "../kinds/kind.ts";
import type { Ask } from "../reader.ts";

/** A log selector of a component, and the file that its lines are in. */
export interface AskedLines {
  componentId: string;
  /** Of the selector; the first of a component may have none. */
  selector: string | undefined;
  /** For people: what the lines are of. */
  title: string;
  /** Without its ending; the names of no two are one (wire: server-endpoints, snapshot). */
  file: string;
}

/** So many files of lines are told in one snapshot. */
export const mostFiles = 50;

/** The log selectors of the components of a snapshot, in their order; a notice where there are more. */
export async function findSelectors(ask: Ask, scope: Scope): Promise<AskedLines[]> {
  const rows = await ask<{
    id: string;
    component: string;
    type: string | null;
    selector: string | null;
  }>(sql`
    select c.id, c.name as component, c.type, nullif(s.one ->> 'name', '') as selector
      from unnest(${scope.componentIds}::uuid[]) with ordinality wanted (id, place)
      join components c on c.id = wanted.id
     cross join lateral jsonb_array_elements(
       case when jsonb_typeof(c.log_selectors) = 'array' then c.log_selectors else '[]' end
     ) with ordinality s (one, place)
     where jsonb_typeof(s.one) = 'object'
       -- Those that can be asked for: the first, and the first of each name.
       and (s.place = 1 or nullif(s.one ->> 'name', '') is not null)
       and not exists (
         select from jsonb_array_elements(c.log_selectors) with ordinality before (one, place)
          where before.place < s.place and before.one ->> 'name' = s.one ->> 'name')
     order by wanted.place, s.place limit ${mostFiles + 1}`);
  if (rows.length > mostFiles)
    scope.notices.push(
      `There are more log selectors: the lines of the first ${mostFiles} are told.`,
    );
  return rows.slice(0, mostFiles).map(({ id, component, type, selector }) => ({
    componentId: id,
    selector: selector ?? undefined,
    title: `Log lines of ${component}${selector === null ? "" : ` (${selector})`}`,
    file: `logs-${plain(type ?? "component")}-${plain(component)}-${hashOf(id, selector)}`,
  }));
}

const plain = (text: string): string => text.replaceAll(/[^\w.-]+/g, "_").slice(0, 60) || "_";
const hashOf = (id: string, selector: string | null): string =>
  createHash("sha256")
    .update(JSON.stringify([id, selector]))
    .digest("hex")
    .slice(0, 8);
