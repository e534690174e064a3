import { hostname } from "node:os";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { entityTag, isCurrent } from "#platform/http/entity-tag.ts";
import type { NotReady } from "#platform/readiness.ts";
import { createMomentCache } from "./moment-totals.ts";
import { readRange, stepMs, type SteppedRange, steppedRange } from "./read-range.ts";
import { readStaticParts, type StaticParts, summariseChecks } from "./summary.ts";

export interface SummaryQuery {
  start?: string;
  end?: string;
}

export interface SummaryAnswer {
  etag: string;
  /** Undefined when the asker has it already. */
  body?: string;
}

export type SummaryService = (
  ctx: Ctx,
  query: SummaryQuery,
  ifNoneMatch: string | undefined,
) => Promise<SummaryAnswer>;

/** Answers kept, each for one range; with 10,000 checks one is some megabytes. */
const KEPT = 2;
/** Sentences that say for how long nothing came are made anew this often. */
const SAYS_AGAIN_MS = 10_000;

type Kept = Required<SummaryAnswer>;

/**
 * Answers for the health page. What has not changed is not computed again: versions in the database tell, so that
 * another server's writes are seen at once; those who ask the same at the same time share one computation. What the
 * clock alone changes, that a check has become stale, is part of the tag: when nothing is written any more, an old
 * answer is not current for that.
 */
export function createSummaryService(db: Queryable, late: NotReady): SummaryService {
  const moments = createMomentCache(db);
  const underWay = new Map<string, Promise<Kept>>();
  const kept = new Map<string, Kept>();
  let parts: { version: string; value: Promise<StaticParts> } | undefined;
  /** By when results are due as of some versions, ascending. They are the same for every range. */
  let dues: { versions: string; times: Float64Array } | undefined;

  function staticParts(version: string): Promise<StaticParts> {
    if (parts?.version !== version) {
      const fresh = { version, value: readStaticParts(db) };
      parts = fresh;
      fresh.value.catch(() => {
        if (parts === fresh) parts = undefined;
      });
    }
    return parts.value;
  }

  /** What in an answer follows from the clock alone; undefined while nobody has counted. */
  function timed(versions: string, now: number): string | undefined {
    if (dues?.versions !== versions) return undefined;
    const stale = countBefore(dues.times, now);
    const isLate = late() !== undefined;
    return stale === 0 && !isLate ? "" : ` ${stale} ${isLate} ${Math.floor(now / SAYS_AGAIN_MS)}`;
  }

  return async (ctx, query, ifNoneMatch) => {
    ctx.require("canaries", "read");
    const state = await readVersions(db);
    const now = state.now.getTime();
    const range = steppedRange(readRange(query, state.now), state.now);
    const boundary = Math.floor(now / stepMs["5m"]);
    const question = [
      range.step,
      range.start.getTime(),
      range.end?.getTime(),
      boundary,
      state.versions,
    ].join(" ");
    const clock = timed(state.versions, now);
    if (clock !== undefined) {
      const etag = entityTag(question + clock);
      if (isCurrent(ifNoneMatch, etag)) return { etag };
      const known = kept.get(question);
      if (known?.etag === etag) return known;
    }
    let computing = underWay.get(question);
    if (!computing) {
      computing = compute(question, { state, range }).finally(() => underWay.delete(question));
      underWay.set(question, computing);
    }
    const answer = await computing;
    return isCurrent(ifNoneMatch, answer.etag) ? { etag: answer.etag } : answer;
  };

  async function compute(
    question: string,
    { state, range }: { state: Versions; range: SteppedRange },
  ): Promise<Kept> {
    const startedAt = performance.now();
    const { now } = state;
    const value = await staticParts(state.documents);
    const found = await summariseChecks({ db, moments, parts: value, range, now });
    dues = { versions: state.versions, times: Float64Array.from(found.dues).toSorted() };
    const reason = late();
    const etag = entityTag(question + timed(state.versions, now.getTime()));
    const duration = Math.round(performance.now() - startedAt);
    const why = reason === undefined ? "" : `,"late":${JSON.stringify(reason)}`;
    const counted = JSON.stringify({ start: range.start, end: range.end });
    const body = `{"duration":${duration},"runnerName":${JSON.stringify(hostname())}${why},"range":${counted},"checks_summary":${found.checks}}`;
    const answer = { etag, body };
    kept.set(question, answer);
    for (const old of kept.keys()) {
      if (kept.size <= KEPT) break;
      kept.delete(old);
    }
    return answer;
  }
}

/** How many of some ascending times lie before a moment. */
function countBefore(times: Float64Array, moment: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Versions {
  now: Date;
  versions: string;
  documents: string;
}

/** Read before the data: what is read afterwards is at least as new as they say. */
async function readVersions(db: Queryable): Promise<Versions> {
  const row = await db.first<Versions>(sql`
    select now() as now, coalesce(string_agg(source || ' ' || version, ',' order by source), '') as versions,
           coalesce(max(version) filter (where source = 'documents'), 0)::text as documents
      from health_versions`);
  if (!row) throw new Error("The database did not say what has changed.");
  return row;
}
