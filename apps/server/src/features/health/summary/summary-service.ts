import { createHash } from "node:crypto";
import { hostname } from "node:os";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { createMomentCache } from "./moment-totals.ts";
import { readRange, stepMs, steppedRange } from "./read-range.ts";
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

/**
 * Answers for the health page. What has not changed is not computed again: versions in the database tell, so that
 * another server's writes are seen at once; those who ask the same at the same time share one computation.
 */
export function createSummaryService(db: Queryable): SummaryService {
  const moments = createMomentCache(db);
  const underWay = new Map<string, Promise<string>>();
  const kept = new Map<string, string>();
  let parts: { version: string; value: Promise<StaticParts> } | undefined;

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

  return async (ctx, query, ifNoneMatch) => {
    ctx.require("canaries", "read");
    const state = await readVersions(db);
    const range = steppedRange(readRange(query, state.now), state.now);
    const boundary = Math.floor(state.now.getTime() / stepMs["5m"]);
    const tag = createHash("sha1")
      .update(
        [range.step, range.start.getTime(), range.end?.getTime(), boundary, state.versions].join(
          " ",
        ),
      )
      .digest("base64url");
    const etag = `W/"${tag}"`;
    if (matches(ifNoneMatch, etag)) return { etag };
    const known = kept.get(etag);
    if (known !== undefined) return { etag, body: known };
    let computing = underWay.get(etag);
    if (!computing) {
      const startedAt = performance.now();
      computing = staticParts(state.documents)
        .then((value) => summariseChecks({ db, moments, parts: value, range, now: state.now }))
        .then((checks) => {
          const duration = Math.round(performance.now() - startedAt);
          const body = `{"duration":${duration},"runnerName":${JSON.stringify(hostname())},"checks_summary":${checks}}`;
          kept.set(etag, body);
          for (const old of kept.keys()) {
            if (kept.size <= KEPT) break;
            kept.delete(old);
          }
          return body;
        })
        .finally(() => underWay.delete(etag));
      underWay.set(etag, computing);
    }
    return { etag, body: await computing };
  };
}

/** Read before the data: what is read afterwards is at least as new as they say. */
async function readVersions(
  db: Queryable,
): Promise<{ now: Date; versions: string; documents: string }> {
  const row = await db.first<{ now: Date; versions: string; documents: string }>(sql`
    select now() as now, coalesce(string_agg(source || ' ' || version, ',' order by source), '') as versions,
           coalesce(max(version) filter (where source = 'documents'), 0)::text as documents
      from health_versions`);
  if (!row) throw new Error("The database did not say what has changed.");
  return row;
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header
    .split(",")
    .some((item) => item.trim() === "*" || item.trim().replace(/^(W\/)?/, "W/") === etag);
}
