import {
  formatRange,
  parseRange,
  relativeRange,
  type TimeRange,
} from "@mainstay/ui/time-range/time-range.ts";
import type { UrlCodec } from "#lib/url-state.ts";

/** Which lines are shown, and how. */
export interface LogsView {
  /** Id of the component that the lines are of. */
  component: string;
  /** Which of the component's log selectors; its first unless said. */
  selector: string;
  /** Id or name of a log backend; the server's own store where neither this nor a component is said. */
  backend: string;
  query: string;
  timeRange: TimeRange;
  /** Id of the line that is open. */
  line: string;
  /** Ids of the lines that were chosen, in the order in which they were. */
  selected: readonly string[];
  /** Repeated lines are shown once. */
  dedupe: boolean;
  live: boolean;
}

export const usualRange = relativeRange("1h");
const usualRangeText = formatRange(usualRange);

/** How many lines can be chosen: they stand in the address. */
export const mostSelected = 50;

/** `start` alone is a whole range as well: `2h`, `yesterday`. */
function readRange(start = "", end = ""): TimeRange {
  const range = end === "" ? parseRange(start) : parseRange(`${start} to ${end}`);
  return range ?? usualRange;
}

/** The two ends, or the one that says both. */
function writeRange(range: TimeRange): { start?: string; end?: string } {
  const text = formatRange(range);
  if (text === usualRangeText) return {};
  if (range.kind === "mapped" || !text.includes("..")) return { start: text };
  return { start: range.from, end: range.to };
}

const idsOf = (text: string | undefined): string[] => [
  ...new Set((text ?? "").split(" ").filter((id) => id !== "")),
];

/** Document 2, section 2 names `topologyId`, `logsSelector`, `query` and `start`. */
export const logsCodec: UrlCodec<LogsView> = {
  parse: (raw) => ({
    component: raw["topologyId"] ?? "",
    selector: raw["logsSelector"] ?? "",
    backend: raw["backend"] ?? "",
    query: raw["query"] ?? "",
    timeRange: readRange(raw["start"], raw["end"]),
    line: raw["line"] ?? "",
    selected: idsOf(raw["selected"]).slice(0, mostSelected),
    dedupe: raw["dedupe"] === "true",
    live: raw["live"] === "true",
  }),
  format: (view) => {
    const { start, end } = writeRange(view.timeRange);
    return {
      topologyId: view.component || undefined,
      logsSelector: view.selector || undefined,
      backend: view.backend || undefined,
      query: view.query || undefined,
      start,
      end,
      line: view.line || undefined,
      selected: view.selected.join(" ") || undefined,
      dedupe: view.dedupe ? "true" : undefined,
      live: view.live ? "true" : undefined,
    };
  },
};

/** What a question for lines says of whom they are (`logSourceFields` of the contract), and what they hold. */
export interface LogsQuestion {
  id?: string;
  name?: string;
  backend?: string;
  query?: string;
  /** RFC 3339. */
  start: string;
  end?: string;
}

/** Of whom lines are asked for. */
export const sourceOf = ({
  component,
  selector,
  backend,
}: Pick<LogsView, "component" | "selector" | "backend">): Pick<
  LogsQuestion,
  "id" | "name" | "backend"
> => ({
  ...(component !== "" && { id: component }),
  ...(component !== "" && selector !== "" && { name: selector }),
  ...(backend !== "" && { backend }),
});
