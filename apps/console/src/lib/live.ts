import type { QueryClient } from "@tanstack/react-query";
import { type Change, everything, refreshing } from "./refreshing.ts";
import { hosted } from "./hosted.ts";

const openEvents = (path: string): EventSource =>
  hosted()?.openEvents(path) ?? new EventSource(path);

const retryMs = { first: 2_000, longest: 60_000 };
/** How often what may have changed is asked for while the server cannot say so. */
export const fallbackPollMs = 15_000;
/** The server ends every stream after about a minute: one that was silent for longer is a line that leads nowhere. */
const silenceMs = 90_000;

/**
 * Keeps what is shown fresh: listens to what the server says has changed, while the page is seen, and has those
 * queries asked again whose answers it concerns (`refreshing.ts`). While the stream is refused, broken or held up they
 * are all asked for now and then. Returns what stops it.
 */
export function followChanges(client: QueryClient): () => void {
  let stream: EventSource | undefined;
  let last: string | undefined;
  /** Who the server says is listening; nobody where nobody signs in. */
  let listener: string | null | undefined;
  let wait = retryMs.first;
  let retry: number | undefined;
  let silence: number | undefined;
  let poll: number | undefined;

  const refresh = refreshing(client);

  /** The server has said something on this connection, so that it will say what changes. */
  function heard(event: MessageEvent): void {
    last = event.lastEventId;
    wait = retryMs.first;
    window.clearInterval(poll);
    poll = undefined;
    window.clearTimeout(silence);
    silence = window.setTimeout(reopen, silenceMs);
  }
  function notHeard(): void {
    poll ??= window.setInterval(() => refresh({ table: everything }), fallbackPollMs);
  }

  /** Signed in as somebody else in another tab: nothing of what the one before was shown may stay. */
  function checkPerson({ data }: MessageEvent<string>): void {
    const { person } = JSON.parse(data) as { person: string | null };
    if (listener === undefined) listener = person;
    if (listener !== person) window.location.reload();
  }

  function open(): void {
    if (stream) return;
    notHeard();
    silence = window.setTimeout(reopen, silenceMs);
    // What is shown was asked for since the page is there: nothing that has changed since then is missed.
    const from =
      last === undefined
        ? `ago=${Math.ceil(performance.now())}`
        : `since=${encodeURIComponent(last)}`;
    stream = openEvents(`/api/events?${from}`);
    stream.addEventListener("ready", (event: MessageEvent<string>) => {
      heard(event);
      checkPerson(event);
    });
    stream.addEventListener("reset", (event: MessageEvent<string>) => {
      heard(event);
      checkPerson(event);
      refresh({ table: everything });
    });
    stream.addEventListener("change", (event: MessageEvent<string>) => {
      heard(event);
      refresh(JSON.parse(event.data) as Change);
    });
    stream.addEventListener("error", () => {
      notHeard();
      // The browser comes again by itself, unless the answer was none that it takes; but at the same address, which says
      // how old the page was then, where it has heard nothing that it could go on from.
      if (stream?.readyState !== EventSource.CLOSED && last !== undefined) return;
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
  }
  function reopen(): void {
    close();
    open();
  }

  // Browsers keep few connections to one server: pages that nobody sees hold none, and ask for nothing.
  function follow(): void {
    if (document.visibilityState === "visible") {
      refresh.resume();
      return open();
    }
    close();
    window.clearInterval(poll);
    poll = undefined;
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
