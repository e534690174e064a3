import { isStale, noLatencies, noResultFor, percentiles, since } from "@mainstay/contract";
import sql, { empty } from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { recentJson } from "../results/recent-runs.ts";
import { isoTime } from "./iso-time.ts";
import { isPausedRow } from "../documents/paused.ts";
import { latencyLimit, type LatencyLimits, latencyLimits } from "./latency-limit.ts";
import type { AllAtMoment, MomentCache, MomentTotals } from "./moment-totals.ts";
import { type Step, stepMs, type SteppedRange } from "./read-range.ts";
import { tailPercentiles } from "./tail-percentiles.ts";

/** What of a check does not change when it runs, already as JSON without its closing brace. */
export type StaticParts = ReadonlyMap<string, string>;

const LONGEST_MESSAGE = 300;

interface StaticRow {
  id: string;
  agent_id: string;
  canary_id: string;
  canary_name: string;
  canary_namespace: string;
  name: string;
  namespace: string;
  type: string;
  description: string | null;
  endpoint: string | null;
  icon: string | null;
  owner: string | null;
  severity: string | null;
  /** JSON. */
  labels: string;
  created_at: number | null;
  silenced_at: number | null;
  is_paused: boolean;
  limits: LatencyLimits;
}

export async function readStaticParts(db: Queryable): Promise<StaticParts> {
  const rows = await db.rows<StaticRow>(sql`
    select c.id, c.canary_id, y.name as canary_name, y.namespace as canary_namespace, c.agent_id, c.name,
           coalesce(c.namespace, y.namespace) as namespace, c.type, c.description, t.endpoint, c.icon,
           coalesce(c.labels, '{}'::jsonb)::text as labels, c.owner, c.severity,
           extract(epoch from c.created_at)::float8 as created_at, extract(epoch from c.silenced_at)::float8 as silenced_at,
           ${isPausedRow(sql`y`)} as is_paused, ${latencyLimits} as limits
      from checks c
      join canaries y on y.id = c.canary_id
      left join check_totals t on t.check_id = c.id
     where c.deleted_at is null and y.deleted_at is null`);
  return new Map(rows.map((row) => [row.id, staticPart(row)]));
}

const textField = (name: string, value: string | null) =>
  value === null ? "" : `,"${name}":${JSON.stringify(value)}`;

function staticPart(row: StaticRow): string {
  return (
    `{"id":"${row.id}","canary_id":"${row.canary_id}","agent_id":"${row.agent_id}","labels":${row.labels}` +
    textField("canary_name", row.canary_name) +
    textField("canary_namespace", row.canary_namespace) +
    textField("name", row.name) +
    textField("namespace", row.namespace) +
    textField("type", row.type) +
    textField("description", row.description) +
    textField("endpoint", row.endpoint) +
    textField("icon", row.icon) +
    textField("owner", row.owner) +
    textField("severity", row.severity) +
    timeField("created_at", row.created_at) +
    timeField("silenced_at", row.silenced_at) +
    (row.is_paused ? `,"paused":true` : "") +
    `,"latency_limit":${latencyLimit(row.type, row.limits)}`
  );
}

interface Row {
  id: string;
  status: string | null;
  last_runtime: number | null;
  next_runtime: number | null;
  result_due: number | null;
  last_transition_time: number | null;
  updated_at: number | null;
  first_time: number | null;
  last_pass: number | null;
  last_fail: number | null;
  /** Why it is not run. */
  held: string | null;
  /** Why its last run could not try the target. */
  untried: string | null;
  /** What was known of it last. */
  settled: boolean | null;
  streak: number | null;
  streak_passed: boolean | null;
  needed: number | null;
  expires_at: number | null;
  expires_what: string | null;
  message: string | null;
  recent: string | null;
  passed: number | null;
  failed: number | null;
  duration: number | null;
  latency: string | null;
  latency_first: number | null;
}

/** The moments between which a range lies, and the one an hour ago. */
interface Moments {
  base: AllAtMoment;
  hour: AllAtMoment;
  until?: AllAtMoment;
}

export interface SummariseParts {
  db: Queryable;
  moments: MomentCache;
  parts: StaticParts;
  range: SteppedRange;
  now: Date;
}

export interface Summarised {
  /** The checks as the JSON of a list. */
  checks: string;
  /** When the next result of each check is due, in milliseconds; those of checks that never come due are left out. */
  dues: number[];
}

/** Checks of one question to the database; while one is answered the one before is put into words. */
const PORTION = 2500;

/** The checks of the health page, in no particular order. */
export async function summariseChecks({
  db,
  moments,
  parts,
  range,
  now,
}: SummariseParts): Promise<Summarised> {
  const dues: number[] = [];
  const hourAgo = new Date(
    Math.floor((now.getTime() - stepMs["1h"]) / stepMs["5m"]) * stepMs["5m"],
  );
  // Asked for together with the rows: mostly they are known, and if not they take as long as the rows do.
  void moments.at(range.step, range.start);
  void moments.at("5m", hourAgo);
  const portions = await Promise.all(
    portionsOf(parts).map(async (ids) => {
      const rows = await readRows(db, ids);
      const [base, hour, until] = await Promise.all([
        momentOf(moments, rows, range.step, range.start),
        momentOf(moments, rows, "5m", hourAgo),
        range.end && momentOf(moments, rows, range.step, range.end),
      ]);
      const items: string[] = [];
      for (const row of rows) {
        const before = parts.get(row.id);
        // Made since the static parts were read; the next question sees it.
        if (before === undefined) continue;
        items.push(`${before}${dynamicPart(row, { base, hour, until }, now)}}`);
        if (row.result_due !== null) dues.push(row.result_due * 1000);
      }
      return items.join(",");
    }),
  );
  return { checks: `[${portions.filter((portion) => portion !== "").join(",")}]`, dues };
}

interface IdRange {
  from?: string;
  before?: string;
}

function portionsOf(parts: StaticParts): IdRange[] {
  const ids = [...parts.keys()].toSorted();
  const bounds = ids.filter((_, index) => index > 0 && index % PORTION === 0);
  return [...bounds, undefined].map((before, index) => ({ from: bounds[index - 1], before }));
}

function readRows(db: Queryable, { from, before }: IdRange): Promise<Row[]> {
  return db.rows<Row>(sql`
    select c.id, c.status, extract(epoch from c.last_runtime)::float8 as last_runtime,
           extract(epoch from c.next_runtime)::float8 as next_runtime,
           extract(epoch from c.result_due)::float8 as result_due,
           extract(epoch from c.last_transition_time)::float8 as last_transition_time,
           extract(epoch from c.updated_at)::float8 as updated_at, extract(epoch from t.first_time)::float8 as first_time,
           extract(epoch from t.last_pass)::float8 as last_pass, extract(epoch from t.last_fail)::float8 as last_fail,
           left(t.held, ${LONGEST_MESSAGE}) as held, left(t.untried, ${LONGEST_MESSAGE}) as untried, t.settled,
           t.streak, t.streak_passed, t.needed,
           extract(epoch from t.expires_at)::float8 as expires_at, t.expires_what,
           left(coalesce(t.held, t.untried, case when t.streak_passed then t.message else coalesce(nullif(t.error, ''), t.message) end),
                ${LONGEST_MESSAGE}) as message,
           t.recent, t.passed, t.failed, t.duration, array_to_string(t.latency, ',', '') as latency,
           array_lower(t.latency, 1) as latency_first
      from checks c
      left join check_totals t on t.check_id = c.id
     where c.deleted_at is null
       ${from === undefined ? empty : sql`and c.id >= ${from}`} ${before === undefined ? empty : sql`and c.id < ${before}`}`);
}

/** A check that had run by then and is not known to have has had results of the past since; the moment is read again. */
async function momentOf(
  moments: MomentCache,
  rows: readonly Row[],
  step: Step,
  time: Date,
): Promise<AllAtMoment> {
  const known = await moments.at(step, time);
  const seconds = time.getTime() / 1000;
  const isStale = rows.some(
    (row) => row.first_time !== null && row.first_time < seconds && !known.has(row.id),
  );
  if (!isStale) return known;
  moments.forget(step, time);
  return moments.at(step, time);
}

const timeField = (name: string, seconds: number | null) =>
  seconds === null ? "" : `,"${name}":"${isoTime(Math.round(seconds * 1000))}"`;

function dynamicPart(row: Row, moments: Moments, now: Date): string {
  const stale = staleMessage(row, now);
  const text = stale ?? row.message;
  const message = text ? `,"message":${JSON.stringify(text)}` : "";
  const base = moments.base.get(row.id);
  const until = moments.until ? moments.until.get(row.id) : row;
  const passed = (until?.passed ?? 0) - (base?.passed ?? 0);
  const failed = (until?.failed ?? 0) - (base?.failed ?? 0);
  const runtime = timeField("last_runtime", row.last_runtime);
  return (
    `${statusFields(row, stale !== undefined)}${streakField(row)}${message}${runtime}` +
    timeField("next_runtime", row.next_runtime) +
    timeField("result_due", row.result_due) +
    timeField("last_transition_time", row.last_transition_time) +
    timeField("updated_at", row.updated_at) +
    timeField("expires_at", row.expires_at) +
    textField("expires_what", row.expires_what) +
    `,"uptime":{"passed":${passed},"failed":${failed}` +
    `${timeField("last_pass", row.last_pass)}${timeField("last_fail", row.last_fail)}}` +
    `,"latency":${latencyJson(row, moments, passed + failed)},"recent":${recentJson(row.recent ?? "")}`
  );
}

/**
 * Readers that know two statuses take a third for a failure. What is held or could not be tried has neither passed nor
 * failed: it keeps the one that was known last, or has none.
 */
function statusFields({ status, held, untried, settled }: Row, isStale: boolean): string {
  if (held === null && (untried === null || isStale))
    return `,"status":"${isStale ? "unknown" : (status ?? "unknown")}"`;
  const known = settled === null ? "" : `,"status":"${settled ? "healthy" : "unhealthy"}"`;
  return `${known}${textField("held", held)}${held === null ? textField("untried", untried) : ""}`;
}

/** Runs that speak against the status, and are not enough to change it. */
function streakField({ status, held, streak, streak_passed: passed, needed }: Row): string {
  if (held !== null || !streak || passed === null || needed === null || streak >= needed) return "";
  if (status === (passed ? "healthy" : "unhealthy")) return "";
  return `,"streak":{"passed":${passed},"runs":${streak},"needed":${needed}}`;
}

/** Whatever its last result was, nobody knows the state of a check whose next one is overdue. */
export function staleMessage(
  row: { result_due: number | null; last_runtime: number | null },
  now: Date,
): string | undefined {
  const { result_due: due, last_runtime: last } = row;
  if (due === null || !isStale(due * 1000, now.getTime())) return undefined;
  return noResultFor(now.getTime() - (last ?? due) * 1000);
}

const SHARES = [0.95, 0.97, 0.99] as const;

function latencyJson(row: Row, { base, hour, until }: Moments, runs: number): string {
  const atHour = hour.get(row.id);
  const hourRuns =
    (row.passed ?? 0) + (row.failed ?? 0) - (atHour?.passed ?? 0) - (atHour?.failed ?? 0);
  const hourDuration = (row.duration ?? 0) - (atHour?.duration ?? 0);
  const rolling1h = `"rolling1h":${hourRuns > 0 ? Math.round(hourDuration / hourRuns) : 0}`;
  if (runs <= 0) return `{${rolling1h}}`;
  const end = until?.get(row.id);
  const found = until
    ? end && percentiles(since(countsOf(end), countsOf(base.get(row.id))), SHARES)
    : tailPercentiles(row.latency ?? "", row.latency_first ?? 1, runs, SHARES, base.get(row.id));
  return found
    ? `{"p95":${found[0]},"p97":${found[1]},"p99":${found[2]},${rolling1h}}`
    : `{${rolling1h}}`;
}

const countsOf = (totals: MomentTotals | undefined) =>
  totals ? { first: totals.first, counts: [...totals.counts] } : noLatencies;
