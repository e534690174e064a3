import { hostname } from "node:os";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { storableText } from "#platform/db/storable-text.ts";
import type { CheckResult } from "./check-result.ts";

/** One run of a canary, whole: what came out of the checks that it ran. */
export interface CanaryRun {
  canaryId: string;
  startedAt: Date;
  endedAt: Date;
  passed: number;
  failed: number;
  /** Checks whose target could not be tried. */
  untried: number;
  /** Why checks failed or could not be tried, each with its check's name; those that failed first. */
  errors: readonly string[];
}

const MOST_ERRORS = 20;
const LONGEST_ERROR = 1_000;

/** What a run is told by. */
export type RunResult = Pick<
  CheckResult,
  "time" | "durationMs" | "pass" | "untried" | "message" | "error"
>;

export function runOf(
  canaryId: string,
  results: readonly { name: string; result: RunResult }[],
): CanaryRun | undefined {
  if (results.length === 0) return undefined;
  const begins = results.map(({ result }) => result.time.getTime());
  const ends = results.map(({ result }) => result.time.getTime() + result.durationMs);
  const untried = results.filter(({ result }) => result.untried);
  const failures = results.filter(({ result }) => !result.pass && !result.untried);
  return {
    canaryId,
    startedAt: new Date(Math.min(...begins)),
    endedAt: new Date(Math.max(...ends)),
    passed: results.length - failures.length - untried.length,
    failed: failures.length,
    untried: untried.length,
    errors: [...failures, ...untried]
      .slice(0, MOST_ERRORS)
      .map(({ name, result }) =>
        storableText(
          `${name}: ${result.error ?? result.message ?? "The check failed."}`,
          LONGEST_ERROR,
        ),
      ),
  };
}

/**
 * Writes runs into the job history: a row for each canary and hour, with the state of its last run, the counts of all
 * of them, and when one failed last. A run that is written already, or that is older than the last, adds nothing.
 */
export async function writeRuns(tx: Queryable, runs: readonly CanaryRun[]): Promise<void> {
  // One row is changed once by a statement; of two runs of one canary the earlier goes first.
  for (const wave of wavesOf(runs)) {
    const column = <Value>(read: (run: CanaryRun) => Value) => wave.map(read);
    const statement = sql`
      insert into job_history as h (name, resource_type, resource_id, hostname, status, success_count, error_count,
                                    duration_millis, details, time_start, time_end, created_at, failed_at)
      select 'Canary', 'canary', r.id::text, ${hostname()},
             case when r.failed + r.untried = 0 then 'SUCCESS' when r.passed + r.untried = 0 then 'FAILED' else 'WARNING' end,
             r.passed, r.failed, (extract(epoch from r.ended - r.started) * 1000)::int,
             jsonb_build_object('runs', 1) || case when r.failed + r.untried > 0 then jsonb_build_object('errors', r.errors) else '{}' end,
             r.started, r.ended, r.started, case when r.failed > 0 and r.passed + r.untried = 0 then r.started end
        from unnest(${column((run) => run.canaryId)}::uuid[], ${column((run) => run.startedAt)}::timestamptz[],
                    ${column((run) => run.endedAt)}::timestamptz[], ${column((run) => run.passed)}::int[],
                    ${column((run) => run.failed)}::int[], ${column((run) => run.untried)}::int[], ${column((run) => JSON.stringify(run.errors))}::jsonb[])
             as r (id, started, ended, passed, failed, untried, errors)
       order by r.id
      on conflict (resource_id, date_bin('1 hour', created_at, timestamptz '1970-01-01 00:00:00+00'))
            where name = 'Canary' and resource_type = 'canary'
      do update
         set status = excluded.status, hostname = excluded.hostname,
             success_count = h.success_count + excluded.success_count, error_count = h.error_count + excluded.error_count,
             duration_millis = excluded.duration_millis, time_start = excluded.time_start, time_end = excluded.time_end,
             details = excluded.details || jsonb_build_object('runs', (h.details ->> 'runs')::int + 1),
             failed_at = coalesce(excluded.failed_at, h.failed_at)
       where excluded.time_start > h.time_start`;
    await tx.run(statement, { preparedAs: "write-runs" });
  }
}

function wavesOf(runs: readonly CanaryRun[]): CanaryRun[][] {
  const waves: CanaryRun[][] = [];
  const seen = new Map<string, number>();
  for (const run of runs.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime())) {
    const wave = seen.get(run.canaryId) ?? 0;
    seen.set(run.canaryId, wave + 1);
    (waves[wave] ??= []).push(run);
  }
  return waves;
}
