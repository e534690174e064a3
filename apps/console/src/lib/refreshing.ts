import type { Query, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import type { LiveList } from "./live-list.ts";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Tables that the answer is made of: when one of them changes it is asked for again. */
      tables?: readonly string[];
      /**
       * Of some of these tables, the rows that this answer is made of: the change of another one is none of it. For
       * tables of which no other row can come into the answer.
       */
      rows?: (data: unknown) => Readonly<Record<string, readonly string[]>>;
      /** Which rows of one of these tables the answer is (`listOf`): what does not change the list is none of it. */
      list?: LiveList;
      /** The page itself says when it cannot be read again. */
      speaksForItself?: boolean;
    };
  }
}

/** What `/api/events` says of one change. */
export interface Change {
  table: string;
  /** Without them there were too many to name. */
  ids?: readonly string[];
  /** What became of these rows; without it nobody knows. */
  verb?: "insert" | "update" | "delete";
  /** Of an update, the columns that it has changed. */
  columns?: readonly string[];
}

/** In the place of a table's name: whatever is made of any. */
export const everything = "*";

/** Changes that follow each other closely are asked about together. */
const gatherMs = 400;
/** An answer that takes long is asked for less often: it shall not be under way for more than a fifth of the time. */
const rest = { times: 4, longestMs: 10_000 };
/** When a question that could not be answered is asked again. */
const failedMs = 15_000;
/** Changes that wait for an answer under way, and rows that are asked about at once; of more the list itself is asked. */
const most = { waiting: 100, rows: 100 };

/** What a change is to an answer: nothing, a change, or for a list perhaps one: only the server knows of those rows. */
type Verdict = "same" | "changed" | { asked: readonly string[] };

type Watched = Query & { meta: { tables: readonly string[] } };

function judge(change: Change, { meta, state }: Watched): Verdict {
  const { table, ids, verb, columns } = change;
  if (table === everything) return "changed";
  if (!meta.tables.includes(table)) return "same";
  // What is under way may have been read before the change, and nobody knows what it will show.
  if (ids === undefined || state.data === undefined || state.fetchStatus !== "idle")
    return "changed";
  const { list } = meta;
  if (list?.table !== table) {
    const own = meta.rows?.(state.data)[table];
    return own === undefined || own.some((id) => ids.includes(id)) ? "changed" : "same";
  }
  const shown = list.shown(state.data);
  if (ids.some((id) => shown.ids.has(id))) return "changed";
  if (verb === "update" && columns?.some((name) => list.decidedBy.has(name)) === false)
    return "same";
  // Rows of other pages may have gone: their number is shown.
  if (verb !== "insert" && !shown.isAll) return "changed";
  if (verb === "delete") return "same";
  return list.hasAny ? { asked: ids } : "changed";
}

/** Whether some changes change an answer. */
async function concerns(changes: readonly Change[], query: Watched): Promise<boolean> {
  const verdicts = changes.map((change) => judge(change, query));
  if (verdicts.includes("changed")) return true;
  const asked = verdicts.flatMap((verdict) =>
    typeof verdict === "object" ? [...verdict.asked] : [],
  );
  if (asked.length === 0) return false;
  const ids = [...new Set(asked)];
  // Nobody sees it: it is asked for when somebody does.
  if (ids.length > most.rows || !query.isActive()) return true;
  try {
    return (await query.meta.list?.hasAny?.(ids)) ?? true;
  } catch {
    // The list itself says what is wrong.
    return true;
  }
}

const mayPass = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

interface Round {
  waiting: Change[];
  timer: number | undefined;
  isBusy: boolean;
  earliest: number;
}

/**
 * Has queries asked again when something has changed that their answers are made of: each at once and then one round
 * after the other, so that a table that changes all the time neither floods the server nor breaks off every answer
 * before it has arrived. What nobody sees waits until somebody does.
 */
export function refreshing(client: QueryClient) {
  const rounds = new Map<Watched, Round>();
  let isStopped = false;
  const isSeen = () => document.visibilityState === "visible";
  const cache = client.getQueryCache();
  const leave = cache.subscribe(({ type, query }) => {
    if (type !== "removed") return;
    window.clearTimeout(rounds.get(query as Watched)?.timer);
    rounds.delete(query as Watched);
  });

  function schedule(query: Watched, round: Round): void {
    if (round.isBusy || round.waiting.length === 0 || isStopped || !isSeen()) return;
    const wait = Math.max(0, round.earliest - Date.now());
    round.timer ??= window.setTimeout(() => void run(query, round), wait);
  }

  async function run(query: Watched, round: Round): Promise<void> {
    round.timer = undefined;
    if (!isSeen()) return;
    const changes = round.waiting;
    round.waiting = [];
    round.isBusy = true;
    const start = Date.now();
    if (await concerns(changes, query)) await ask(query, round);
    const took = Date.now() - start;
    round.earliest = start + Math.max(gatherMs, took + Math.min(rest.times * took, rest.longestMs));
    if (query.isActive() && mayPass(query.state.error)) {
      round.waiting.push({ table: everything });
      round.earliest = Math.max(round.earliest, Date.now() + failedMs);
    }
    round.isBusy = false;
    schedule(query, round);
  }

  async function ask(query: Watched, round: Round): Promise<void> {
    if (isStopped) return;
    // Does not reject: the query keeps its own failure.
    const again = () => client.invalidateQueries({ predicate: (one) => one === query });
    const isFirst = query.state.data === undefined && query.state.fetchStatus !== "idle";
    await again();
    // A first question is not broken off, and may have been answered before the change.
    if (isFirst && round.waiting.length === 0 && !isStopped) await again();
  }

  function refresh(change: Change): void {
    for (const query of cache.findAll() as Watched[]) {
      const tables = query.meta?.tables;
      if (!tables || (change.table !== everything && !tables.includes(change.table))) continue;
      const round = rounds.get(query) ?? {
        waiting: [],
        timer: undefined,
        isBusy: false,
        earliest: 0,
      };
      rounds.set(query, round);
      round.waiting.push(change);
      if (round.waiting.length > most.waiting) round.waiting = [{ table: everything }];
      schedule(query, round);
    }
  }
  /** Somebody sees the page again. */
  refresh.resume = () => {
    for (const [query, round] of rounds) schedule(query, round);
  };
  refresh.stop = () => {
    isStopped = true;
    leave();
    for (const { timer } of rounds.values()) window.clearTimeout(timer);
  };
  return refresh;
}
