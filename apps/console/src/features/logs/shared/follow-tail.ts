import type { LogTailEvents } from "@mainstay/contract/logs/log-answers.ts";
import { hosted } from "#lib/hosted.ts";

const retryMs = { first: 1000, longest: 30_000 };
/** Browsers keep few connections to one server: what nobody looks at for so long is not followed. */
export const hiddenMs = 60_000;

export type TailState =
  | { kind: "connecting" }
  | { kind: "live" }
  /** It comes again by itself. */
  | { kind: "broken" }
  /** The page was out of sight for long. */
  | { kind: "ended" };

export interface TailListener {
  onState: (state: TailState) => void;
  /** In the order in which they came. */
  onLines: (lines: LogTailEvents["lines"]["lines"]) => void;
  onSkipped: (count: number) => void;
  onNotices: (notices: readonly string[]) => void;
}

const open = (path: string): EventSource => hosted()?.openEvents(path) ?? new EventSource(path);

/** Follows lines as they come; comes again after a break, later and later. Returns what stops it. */
export function followTail(path: string, listener: TailListener): () => void {
  let stream: EventSource | undefined;
  let retry: number | undefined;
  let hiding: number | undefined;
  let wait = retryMs.first;
  /** Where lines go on that come meanwhile; a new stream knows nothing of the one before. */
  let last = "";

  const close = () => {
    window.clearTimeout(retry);
    stream?.close();
    stream = undefined;
  };
  const connect = () => {
    close();
    listener.onState({ kind: "connecting" });
    const own = open(last === "" ? path : `${path}&since=${encodeURIComponent(last)}`);
    stream = own;
    const heard = (event?: MessageEvent) => {
      if (event && event.lastEventId !== "") last = event.lastEventId;
      wait = retryMs.first;
      listener.onState({ kind: "live" });
    };
    own.addEventListener("open", () => heard());
    own.addEventListener("here", (event: MessageEvent<string>) => heard(event));
    own.addEventListener("lines", (event: MessageEvent<string>) => {
      heard(event);
      listener.onLines((JSON.parse(event.data) as LogTailEvents["lines"]).lines);
    });
    own.addEventListener("skipped", (event: MessageEvent<string>) =>
      listener.onSkipped((JSON.parse(event.data) as LogTailEvents["skipped"]).count),
    );
    own.addEventListener("notice", (event: MessageEvent<string>) => {
      const { notices, sources = [] } = JSON.parse(event.data) as LogTailEvents["notice"];
      const failed = sources.flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : []));
      listener.onNotices([...notices, ...failed]);
    });
    own.addEventListener("error", () => {
      // The browser would come again at once, and for ever.
      close();
      listener.onState({ kind: "broken" });
      retry = window.setTimeout(connect, wait);
      wait = Math.min(wait * 2, retryMs.longest);
    });
  };
  const onSight = () => {
    window.clearTimeout(hiding);
    if (document.visibilityState === "visible") return;
    hiding = window.setTimeout(() => {
      close();
      listener.onState({ kind: "ended" });
    }, hiddenMs);
  };
  document.addEventListener("visibilitychange", onSight);
  connect();
  return () => {
    document.removeEventListener("visibilitychange", onSight);
    window.clearTimeout(hiding);
    close();
  };
}
