import type { Value } from "@mainstay/scripting";
import { spanMs } from "@mainstay/contract";
import { placeName } from "#platform/outbound/network-errors.ts";
import type { RowQuery, RowsRead } from "#platform/outbound/sql/read-rows.ts";
import { attempt, type CheckInput, type CheckOutcome, failed, inMs, passed } from "./check-type.ts";
import { certificateExpiry } from "./expiry.ts";

const defaultQuery = "SELECT 1";
/** Rows of a query that a result keeps, and bytes of them. */
const mostKeptRows = 100;
const mostKeptBytes = 49_152;
/** Those that scripts see, which are never stored. */
const mostSeenRows = 5_000;
const mostSeenBytes = 2 * 1024 * 1024;
/** Rows that are counted; then the query is stopped. */
const mostCountedRows = 10_000;

/** Gathers the rows of a query as they come, within bounds. */
class RowCollector {
  count = 0;
  readonly rows: Record<string, unknown>[] = [];
  readonly seen: Record<string, unknown>[] = [];
  #keptBytes = 0;
  #seenBytes = 0;

  /** False when no more rows are wanted. */
  add(row: Record<string, unknown>): boolean {
    this.count += 1;
    if (this.count <= mostSeenRows && this.#seenBytes <= mostSeenBytes) {
      const bytes = jsonSize(row);
      this.#seenBytes += bytes;
      if (this.#seenBytes <= mostSeenBytes) this.seen.push(row);
      if (this.rows.length < mostKeptRows) {
        if (this.#keptBytes + bytes <= mostKeptBytes) this.rows.push(row);
        this.#keptBytes += bytes;
      }
    }
    return this.count < mostCountedRows;
  }
}

function jsonSize(row: Record<string, unknown>): number {
  try {
    return JSON.stringify(row, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Judges a query that ran: enough rows, or not. */
function judgeRows(
  collected: RowCollector,
  least: number | undefined,
  durationMs: number,
): CheckOutcome {
  const { count, rows, seen } = collected;
  const isStopped = count >= mostCountedRows;
  const notes = [
    ...(isStopped ? [`counting stopped at ${mostCountedRows} rows`] : []),
    ...(rows.length < count ? [`the first ${rows.length} rows are kept`] : []),
  ];
  const details = { count, rows, ...(notes.length > 0 && { note: notes.join("; ") }) };
  // Of whatever classes the driver makes; who asks for them makes values of them.
  const data = () => ({ results: { rows: seen as unknown as Value, count } });
  const outcome = { durationMs, details, data };
  const have = `${count} row${count === 1 ? "" : "s"}`;
  if (least !== undefined && count < least)
    return failed(`the query returned ${have}, at least ${least} wanted`, outcome);
  return passed(`${isStopped ? "at least " : ""}${have} in ${inMs(durationMs)}`, outcome);
}

/** The time of a query: that of the check, or less where the document says so. */
function queryTime({
  signal,
  timeoutMs,
  spec: { timeout },
}: {
  signal: AbortSignal;
  timeoutMs: number;
  spec: { timeout?: string | number | undefined };
}): { signal: AbortSignal; timeoutMs: number } {
  const ownMs = timeout === undefined ? 0 : spanMs(timeout);
  if (ownMs === 0 || ownMs >= timeoutMs) return { signal, timeoutMs };
  return { signal: AbortSignal.any([signal, AbortSignal.timeout(ownMs)]), timeoutMs: ownMs };
}

interface SqlSpec {
  query?: string | undefined;
  results?: number | undefined;
  timeout?: string | number | undefined;
}

/** Judges what a database answers to the query of a check. */
export function judgeQuery(
  input: CheckInput<SqlSpec>,
  ask: (query: RowQuery) => Promise<RowsRead>,
): Promise<CheckOutcome> {
  const { spec, connector } = input;
  const time = queryTime(input);
  return attempt(time, async () => {
    const collected = new RowCollector();
    const { durationMs, ends } = await ask({
      query: spec.query ?? defaultQuery,
      signal: time.signal,
      limitMs: time.timeoutMs,
      connector,
      row: (row) => collected.add(row),
    });
    return { ...judgeRows(collected, spec.results, durationMs), ...certificateExpiry(ends) };
  });
}

/** Which database a check asks, for people. */
export const sqlEndpoint = (
  target: { host: string; port: number; database?: string } | undefined,
): string =>
  target
    ? `${placeName(target.host, target.port)}${target.database ? `/${target.database}` : ""}`
    : "";
