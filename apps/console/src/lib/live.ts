import type { QueryClient } from "@tanstack/react-query";
import { hosted } from "./hosted.ts";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Tables that the answer is made of: when one of them changes it is asked for again. */
      tables?: readonly string[];
      /**
       * Of some of these tables, the rows that this answer is made of: the change of another one is none of it. For
       * tables of which no other row can come into the answer; of a list every change counts, as it may bring one in.
       */
      rows?: (data: unknown) => Readonly<Record<string, readonly string[]>>;
      /** The page itself says when it cannot be read again. */
      speaksForItself?: boolean;
    };
  }
}

const openEvents = (path: string): EventSource =>
  hosted()?.openEvents(path) ?? new EventSource(path);

/** What `/api/events` says of one change. */
interface Change {
  table: string;
  ids?: readonly string[];
}

/** In the place of a table's name: whatever is made of any. */
const everything = "*";

const retryMs = { first: 2_000, longest: 60_000 };
/** Changes that follow each other closely are asked for together. */
const gatherMs = 400;
/** How often what may have changed is asked for while the server cannot say so. */
export const fallbackPollMs = 15_000;
/** The server ends every stream after about a minute: one that was silent for longer is a line that leads nowhere. */
const silenceMs = 90_000;

/**
 * Keeps what is shown fresh: listens to what the server says has changed, while the page is seen, and has those
 * queries asked again that name the table in their `meta.tables`. While the stream is refused, broken or held up they
 * are all asked for now and then. Returns what stops it.
 */
export function followChanges(client: QueryClient): () => void {
  let stream: EventSource | undefined;
  let last: string | undefined;
  let wait = retryMs.first;
  let retry: number | undefined;
  let silence: number | undefined;
  let poll: number | undefined;
  /** The server has said something on this connection, so that it will say what changes. */
  let isListening = false;
  let hasMissed = false;

  const refresh = gathering(client);

  function heard(event: MessageEvent): void {
    last = event.lastEventId;
    wait = retryMs.first;
    isListening = true;
    window.clearTimeout(silence);
    silence = window.setTimeout(reopen, silenceMs);
  }

  function open(): void {
    if (stream) return;
    silence = window.setTimeout(reopen, silenceMs);
    stream = openEvents(
      last === undefined ? "/api/events" : `/api/events?since=${encodeURIComponent(last)}`,
    );
    stream.addEventListener("ready", (event) => {
      // From the beginning of the stream on nothing is missed; what came before it could not be told.
      if (last === undefined && hasMissed) refresh(everything);
      heard(event);
    });
    stream.addEventListener("reset", (event) => {
      heard(event);
      refresh(everything);
    });
    stream.addEventListener("change", (event: MessageEvent<string>) => {
      heard(event);
      const { table, ids } = JSON.parse(event.data) as Change;
      refresh(table, ids);
    });
    stream.addEventListener("error", () => {
      isListening = false;
      hasMissed = true;
      // The browser comes again by itself, unless the answer was none that it takes.
      if (stream?.readyState !== EventSource.CLOSED) return;
      close();
      retry = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, retryMs.longest);
    });
  }
  function close(): void {
    window.clearTimeout(retry);
    window.clearTimeout(silence);
    stream?.close();
    stream = undefined;
    isListening = false;
  }
  function reopen(): void {
    hasMissed = true;
    close();
    open();
  }

  // Browsers keep few connections to one server: pages that nobody sees hold none, and ask for nothing.
  function follow(): void {
    window.clearInterval(poll);
    if (document.visibilityState !== "visible") return close();
    poll = window.setInterval(() => {
      if (!isListening) refresh(everything);
    }, fallbackPollMs);
    open();
  }

  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    window.clearInterval(poll);
    close();
    refresh.stop();
  };
}

type Changed = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** Whether something has changed that an answer is made of. */
function concerns(
  changed: Changed,
  tables: readonly string[],
  rowsOf: ((data: unknown) => Readonly<Record<string, readonly string[]>>) | undefined,
  data: unknown,
): boolean {
  if (changed.has(everything)) return true;
  // Without an answer nobody knows what it is made of.
  const rows = data === undefined ? undefined : rowsOf?.(data);
  return tables.some((table) => {
    if (!changed.has(table)) return false;
    const ids = changed.get(table);
    const own = rows?.[table];
    return ids === undefined || own === undefined || own.some((id) => ids.has(id));
  });
}

/**
 * Has queries asked again, at once and then one round after the other: a table that changes all the time must neither
 * flood the server nor break off every answer before it has arrived.
 */
function gathering(client: QueryClient) {
  /** By table the rows that have changed; any of them where nobody said which. */
  let gathered = new Map<string, Set<string> | undefined>();
  let isBusy = false;
  let timer: number | undefined;
  let earliest = 0;

  async function flush(): Promise<void> {
    timer = undefined;
    const changed = gathered;
    gathered = new Map();
    isBusy = true;
    earliest = Date.now() + gatherMs;
    // Does not reject: each query keeps its own failure.
    await client.invalidateQueries({
      predicate: ({ meta, state }) =>
        meta?.tables !== undefined && concerns(changed, meta.tables, meta.rows, state.data),
    });
    isBusy = false;
    if (gathered.size > 0) schedule();
  }
  function schedule(): void {
    if (isBusy) return;
    timer ??= window.setTimeout(() => void flush(), Math.max(0, earliest - Date.now()));
  }
  function refresh(table: string, ids?: readonly string[]): void {
    const known = gathered.has(table) ? gathered.get(table) : new Set<string>();
    for (const id of ids ?? []) known?.add(id);
    gathered.set(table, ids ? known : undefined);
    schedule();
  }
  refresh.stop = () => window.clearTimeout(timer);
  return refresh;
}
