import sql, { empty, type Sql } from "sql-template-tag";
import { all } from "#features/search/index.ts";
import { type CountedConditions, notOfDeleted } from "./conditions-of.ts";

const hourMs = 3_600_000;

/**
 * How many changes there are, as rows of `at`, `severity` and `n`, without a look at each of them: whole hours as they are
 * counted in `config_change_hours`, what is left of the range at both its ends, and less those of deleted items. Nothing
 * for a range without a whole hour.
 */
export function countByHour({
  start,
  end,
  where,
  isOfAlive,
  without,
}: CountedConditions): Sql | undefined {
  const first = start && new Date(Math.ceil(start.getTime() / hourMs) * hourMs);
  const last = end && new Date(Math.floor(end.getTime() / hourMs) * hourMs);
  if (first && last && first >= last) return undefined;
  const hours = all([
    ...(first ? [sql`c.hour >= ${first}`] : []),
    ...(last ? [sql`c.hour < ${last}`] : []),
    where,
  ]);
  const ofRows = (from: Date | undefined, to: Date | undefined) =>
    all([
      ...(from ? [sql`c.created_at >= ${from}`] : []),
      ...(to ? [sql`c.created_at < ${to}`] : []),
      where,
    ]);
  const atEnd = (from: Date | undefined, to: Date | undefined) =>
    from && to && from < to
      ? sql`union all select c.created_at, c.severity, 1 from config_changes c where ${ofRows(from, to)}`
      : empty;
  return sql`
    select c.hour as at, c.severity, c.total as n from config_change_hours c where ${hours}
    ${atEnd(start, first)} ${atEnd(last, end)}
    ${
      isOfAlive
        ? sql`union all
          select c.created_at, c.severity, -1
            from config_items i join config_changes c on c.config_id = i.id
           where i.deleted_at is not null and ${ofRows(start, end)}`
        : empty
    }
    ${
      without
        ? sql`union all
          select c.created_at, c.severity, -1 from config_changes c
           where ${all([ofRows(start, end), without, ...(isOfAlive ? [notOfDeleted] : [])])}`
        : empty
    }`;
}
