import { randomBytes } from "node:crypto";
import type { Ctx } from "../context.ts";
import type { Log } from "../log.ts";
import type { Listener } from "./listener.ts";

/** What has changed in one table; without ids there were too many to name. */
export interface Change {
  table: string;
  ids?: readonly string[];
  /** What became of these rows; without it nobody knows. */
  verb?: "insert" | "update" | "delete";
  /** Of an update, the columns that it has changed. */
  columns?: readonly string[];
}

/** What is told of changes. `ready` is where it begins; a `reset` says that anything may have changed. */
export type ChangeEvent = { id: string } & (
  | { kind: "change"; change: Change }
  | { kind: "ready" | "reset" }
);

/**
 * What a feature does in every process when rows of these tables have changed, whichever server changed them; also when
 * it may have missed that. For what it remembers of them.
 */
export interface ChangeListener {
  /** As they are announced (`announce_changes`). */
  tables: readonly string[];
  run(ctx: Ctx): void;
}

/** After an event that was heard, by its id, or all that was told within some time. */
export type Since = string | { agoMs: number };

/** What the database announces (`announce_changes` of any `views.sql`), told to whoever listens in this process. */
export interface Changes {
  /** What came after `since` at once, then whatever comes. A `since` that is not remembered is answered by a reset. */
  subscribe(since: Since | undefined, deliver: (event: ChangeEvent) => void): () => void;
  close(): void;
}

const CHANNEL = "mainstay_live";
/** Changes that follow each other closely are told as one. */
const GATHER_MS = 200;
const REMEMBERED = 1_000;
const MOST_IDS = 100;

/**
 * Hears from the database what has changed and tells whoever listens. What it remembers is this process's own: a
 * client that comes from another one, or after too long, is told to read again.
 */
export async function createChanges({
  listener,
  log,
}: {
  listener: Listener;
  log: Log;
}): Promise<Changes> {
  const epoch = randomBytes(6).toString("hex");
  const subscribers = new Set<(event: ChangeEvent) => void>();
  const remembered: { at: number; event: ChangeEvent }[] = [];
  /** By what has been done, to which rows; any of the table where nobody said which. */
  const gathered = new Map<string, { change: Omit<Change, "ids">; ids: Set<string> | undefined }>();
  let sequence = 0;
  let timer: NodeJS.Timeout | undefined;

  const nextId = () => `${epoch}-${(sequence += 1)}`;
  function tell(event: ChangeEvent): void {
    remembered.push({ at: performance.now(), event });
    if (remembered.length > REMEMBERED) startedAt = remembered.shift()!.at;
    for (const deliver of subscribers) deliver(event);
  }
  function flush(): void {
    timer = undefined;
    for (const { change, ids } of gathered.values())
      tell({ id: nextId(), kind: "change", change: { ...change, ...(ids && { ids: [...ids] }) } });
    gathered.clear();
  }
  function gather({ ids, ...change }: Change): void {
    const key = JSON.stringify([change.table, change.verb, change.columns]);
    const before = gathered.get(key);
    const known = before ? before.ids : new Set<string>();
    for (const id of ids ?? []) known?.add(id);
    gathered.set(key, { change, ids: ids && known && known.size <= MOST_IDS ? known : undefined });
    timer ??= setTimeout(flush, GATHER_MS);
  }

  /** From then on everything is remembered. */
  let startedAt = performance.now();
  const stopListening = await listener.on(CHANNEL, (payload) => {
    if (payload === undefined) {
      // Nothing from before counts any more.
      remembered.length = 0;
      startedAt = performance.now();
      tell({ id: nextId(), kind: "reset" });
      return;
    }
    const change = readChange(payload);
    if (change) gather(change);
    else log.warn({ payload: payload.slice(0, 200) }, `what came on ${CHANNEL} is no change`);
  });

  return {
    subscribe(since, deliver) {
      const missed = since === undefined ? [] : toldSince(since);
      if (missed === undefined) {
        deliver({ id: `${epoch}-${sequence}`, kind: "reset" });
      } else {
        for (const { event } of missed) deliver(event);
        // Said also when nothing was missed: a client that hears nothing takes the stream for one that is held up.
        deliver({ id: `${epoch}-${sequence}`, kind: "ready" });
      }
      subscribers.add(deliver);
      return () => void subscribers.delete(deliver);
    },
    close() {
      clearTimeout(timer);
      stopListening();
      subscribers.clear();
    },
  };

  /** Nothing where not all of it is remembered. */
  function toldSince(since: Since): typeof remembered | undefined {
    if (typeof since === "object") {
      const from = performance.now() - since.agoMs;
      return from <= startedAt ? undefined : remembered.filter(({ at }) => at >= from);
    }
    const [from, number] = since.split("-");
    const missed = sequence - Number(number);
    const isRemembered =
      from === epoch && Number.isInteger(missed) && missed >= 0 && missed <= remembered.length;
    return isRemembered && missed <= sequence
      ? remembered.slice(remembered.length - missed)
      : undefined;
  }
}

/** Runs what features do when something has changed. */
export function followChanges(
  changes: Changes,
  listeners: readonly ChangeListener[],
  ctx: Ctx,
): void {
  changes.subscribe(undefined, (event) => {
    for (const { tables, run } of listeners) {
      const concerns =
        event.kind === "change" ? tables.includes(event.change.table) : event.kind === "reset";
      if (concerns) run(ctx);
    }
  });
}

function readChange(payload: string): Change | undefined {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { table, ids, verb, columns } = value as Record<string, unknown>;
  if (typeof table !== "string") return undefined;
  return {
    table,
    ...(Array.isArray(ids) && { ids: ids.map(String) }),
    ...((verb === "insert" || verb === "update" || verb === "delete") && { verb }),
    ...(Array.isArray(columns) && { columns: columns.map(String) }),
  };
}
