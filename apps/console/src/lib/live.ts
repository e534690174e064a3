import type { QueryClient } from "@tanstack/react-query";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Tables that the answer is made of: when one of them changes it is asked for again. */
      tables?: readonly string[];
    };
  }
}

/** What `/api/events` says of one change. */
interface Change {
  table: string;
  ids?: readonly string[];
}

const retryMs = { first: 2_000, longest: 60_000 };

/**
 * Keeps what is shown fresh: listens to what the server says has changed, while the page is seen, and has those
 * queries asked again that name the table in their `meta.tables`. Returns what stops it.
 */
export function followChanges(client: QueryClient): () => void {
  let stream: EventSource | undefined;
  let last: string | undefined;
  let retry: number | undefined;
  let wait = retryMs.first;

  const refresh = (concerns: (tables: readonly string[]) => boolean) =>
    void client.invalidateQueries({
      predicate: ({ meta }) => meta?.tables !== undefined && concerns(meta.tables),
    });

  function open(): void {
    if (stream) return;
    stream = new EventSource(
      last === undefined ? "/api/events" : `/api/events?since=${encodeURIComponent(last)}`,
    );
    const heard = (event: MessageEvent) => {
      last = event.lastEventId;
      wait = retryMs.first;
    };
    stream.addEventListener("ready", heard);
    stream.addEventListener("reset", (event) => {
      heard(event);
      refresh(() => true);
    });
    stream.addEventListener("change", (event: MessageEvent<string>) => {
      heard(event);
      const { table } = JSON.parse(event.data) as Change;
      refresh((tables) => tables.includes(table));
    });
    stream.addEventListener("error", () => {
      // The browser comes again by itself, unless the answer was none that it takes.
      if (stream?.readyState !== EventSource.CLOSED) return;
      close();
      retry = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, retryMs.longest);
    });
  }
  function close(): void {
    window.clearTimeout(retry);
    stream?.close();
    stream = undefined;
  }
  // Browsers keep few connections to one server: pages that nobody sees hold none.
  const follow = () => (document.visibilityState === "visible" ? open() : close());

  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}
