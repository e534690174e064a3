import type { InfiniteData } from "@tanstack/react-query";
import type { LogLine, LogSource } from "@mainstay/contract/logs/log-answers.ts";

/**
 * The lines that a page holds, as they were asked for: pages of them, the newest first. What is beyond either end is
 * asked for there; where too many are held, those at the other end are dropped, and asked for again when they are wanted.
 */

/** How many lines a page holds at most. */
export const mostHeld = 20_000;
export const pageLines = 500;
const mostPages = mostHeld / pageLines;

/** Where a page begins: at the newest line, around one, or at another page's end. */
export type PagePlace =
  | { kind: "newest" }
  /** A line with those before and after it. */
  | { kind: "around"; line: string }
  | { kind: "cursor"; direction: Direction; cursor: string }
  /** At a line's moment; those that are here already come once more, and are left out. */
  | { kind: "moment"; direction: Direction; timestamp: string }
  /** Came by themselves. */
  | { kind: "live" };
type Direction = "backward" | "forward";

export interface LinePage {
  /** The newest first. */
  lines: readonly LogLine[];
  /** For the page behind this one, in the direction in which it was asked for. */
  next?: string;
  /** Up to here everything was looked at, where the time for one answer ended before the range did. */
  reached?: string;
  /** How many match, as far as the first page says. */
  total?: number;
  notices: readonly string[];
  sources: readonly LogSource[];
}

export type HeldLines = InfiniteData<LinePage, PagePlace>;

/** How many pages the query may hold. */
export const heldPages = mostPages;

/** Where the lines go on that are older than a page's; nothing at the end. */
export function placeBehind(page: LinePage, place: PagePlace): PagePlace | undefined {
  const last = page.lines.at(-1);
  const isBackward =
    place.kind === "newest" ||
    ((place.kind === "cursor" || place.kind === "moment") && place.direction === "backward");
  if (isBackward)
    return page.next === undefined
      ? undefined
      : { kind: "cursor", direction: "backward", cursor: page.next };
  return last && { kind: "moment", direction: "backward", timestamp: last.timestamp };
}

/** Where the lines go on that are newer; nothing where none were when it was asked. */
export function placeBefore(page: LinePage, place: PagePlace): PagePlace | undefined {
  const first = page.lines[0];
  if (place.kind === "newest" || place.kind === "live") return undefined;
  if (place.kind !== "around" && place.direction === "forward")
    return page.next === undefined
      ? undefined
      : { kind: "cursor", direction: "forward", cursor: page.next };
  return first && { kind: "moment", direction: "forward", timestamp: first.timestamp };
}

/** All lines that are held, each once, the newest first. */
export function linesOf({ pages }: Pick<HeldLines, "pages">): LogLine[] {
  const seen = new Set<string>();
  const lines: LogLine[] = [];
  for (const page of pages)
    for (const line of page.lines) {
      if (seen.has(line.id)) continue;
      seen.add(line.id);
      lines.push(line);
    }
  return lines;
}

/** Whether lines that come by themselves belong directly before those that are held: the newest of them were not dropped. */
export const reachesNow = ({ pages, pageParams }: HeldLines): boolean =>
  pages[0] !== undefined &&
  pageParams[0] !== undefined &&
  placeBefore(pages[0], pageParams[0]) === undefined;

/**
 * Lines that came by themselves, put before those that are held, which must reach now; the oldest give way. `lines` are
 * the newest first.
 */
export function withLive(held: HeldLines, lines: readonly LogLine[]): HeldLines {
  const known = new Set(held.pages.slice(0, 3).flatMap((page) => page.lines.map(({ id }) => id)));
  const fresh = lines.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return held;
  const [first] = held.pages;
  const isOpen = held.pageParams[0]?.kind === "live" && first !== undefined;
  const joined = isOpen ? [...fresh, ...first.lines] : fresh;
  const made: LinePage[] = [];
  // Those that are full keep the older lines.
  for (let end = joined.length; end > 0; end -= pageLines)
    made.unshift({
      lines: joined.slice(Math.max(0, end - pageLines), end),
      notices: [],
      sources: [],
    });
  const pages = [...made, ...(isOpen ? held.pages.slice(1) : held.pages)];
  const pageParams = [
    ...made.map((): PagePlace => ({ kind: "live" })),
    ...(isOpen ? held.pageParams.slice(1) : held.pageParams),
  ];
  return { pages: pages.slice(0, mostPages), pageParams: pageParams.slice(0, mostPages) };
}

/** What was said beside the lines, each once; of backends that failed, the first page knows. */
export const noticesOf = ({ pages }: Pick<HeldLines, "pages">): string[] => [
  ...new Set(pages.flatMap(({ notices }) => notices)),
];
export const sourcesOf = ({ pages }: Pick<HeldLines, "pages">): LogSource[] => [
  ...new Map(
    pages.flatMap(({ sources }) => sources).map((source) => [source.id, source] as const),
  ).values(),
];
