import type { Mapping, Value } from "@mainstay/scripting";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { RunnableCheck } from "../runner/runnable-check.ts";

interface Row {
  id: string;
  name: string;
  time: Date;
  duration: number | null;
  status: boolean | null;
  invalid: boolean | null;
  message: string | null;
  error: string | null;
  details: Value;
}

type Stored = Pick<RunnableCheck, "asksLastResult" | "dependsOn" | "name"> & { id: string };

/** What `last_result()` answers, of those checks whose scripts ask it. Source: spec formats, section 4.3. */
export async function readLastResults(
  db: Queryable,
  checks: readonly Stored[],
): Promise<Map<string, Mapping>> {
  const rows = await readResults(
    db,
    checks.filter(({ asksLastResult }) => asksLastResult),
  );
  return new Map(
    rows.map(({ id, time, duration, status, invalid, message, error, details }) => [
      id,
      {
        status: status === true,
        invalid: invalid === true,
        createdAt: time,
        duration: duration ?? 0,
        message: message ?? "",
        error: error ?? "",
        results: details ?? {},
      },
    ]),
  );
}

/** Of a check that is run by itself: what those that it depends on said when they ran last, by name. */
export async function readLastOutputs(
  db: Queryable,
  check: Stored,
  all: readonly Stored[],
): Promise<Record<string, Mapping> | undefined> {
  if (check.dependsOn.length === 0) return undefined;
  const rows = await readResults(
    db,
    all.filter(({ name }) => check.dependsOn.includes(name)),
  );
  return Object.fromEntries(
    rows.map(({ name, duration, status, message, error, details }) => [
      name,
      {
        ...(typeof details === "object" && !Array.isArray(details) ? (details as Mapping) : {}),
        results: details ?? {},
        pass: status === true,
        message: message ?? "",
        error: error ?? "",
        duration: duration ?? 0,
      },
    ]),
  );
}

async function readResults(db: Queryable, checks: readonly Stored[]): Promise<Row[]> {
  if (checks.length === 0) return [];
  return db.rows<Row>(sql`
    select c.id, c.name, s.time, s.duration, s.status, s.invalid, s.message, s.error, s.details
      from checks c join check_statuses s on s.check_id = c.id and s.time = c.last_runtime
     where c.id = any(${checks.map(({ id }) => id)}::uuid[])`);
}
