import { isHealth } from "@mainstay/contract/health-words.ts";
import { componentPastDays } from "@mainstay/contract/topology-answers.ts";
import type { TopologyMoments, TopologyTurns } from "@mainstay/contract/topology-answers.ts";
import type { Tone } from "@mainstay/ui/StatusDot.tsx";
import { tonesInOrder } from "../shared/component-words.ts";
import type { Span } from "../shared/topology-view.ts";

/** A stretch of the past, as the slider has it; epoch milliseconds. */
export interface PastWindow {
  from: number;
  to: number;
  /** It ends now. */
  isLast: boolean;
}

const hourMs = 60 * 60_000;
export const spanMs: Readonly<Record<Span, number>> = {
  "30d": componentPastDays * 24 * hourMs,
  "7d": 7 * 24 * hourMs,
  "1d": 24 * hourMs,
  "1h": hourMs,
};
/** The server keeps so much and no more: a question takes a moment to come there. */
const marginMs = 60_000;
/** So short a stretch has a second for each of its steps. */
const leastMs = 5 * 60_000;

/** Steps of the slider. */
export const steps = 240;

/**
 * The stretch of a length that a moment lies in; they follow each other back from now, so that one stands still while a
 * moment moves in it.
 *
 * @param since before that nothing is known
 */
export function windowOf({
  span,
  at,
  now,
  since,
}: {
  span: Span;
  at: number | undefined;
  now: number;
  since: number | undefined;
}): PastWindow {
  const long = spanMs[span];
  const first = Math.max(now - spanMs["30d"] + marginMs, Math.min(since ?? 0, now - leastMs));
  const back = at === undefined ? 0 : Math.max(0, Math.ceil((now - at) / long) - 1);
  const to = Math.max(now - back * long, first + leastMs);
  return { from: Math.max(first, to - long), to, isLast: back === 0 };
}

export interface Turn {
  /** The moment when what turned has turned. */
  after: number;
  counts: readonly { tone: Tone; count: number }[];
}

/** When something turned, oldest first. */
export function turnsOf({ turns, stepMs, to }: TopologyMoments): readonly Turn[] {
  const end = Date.parse(to);
  return turns.map((turn) => ({
    after: Math.min(end, Date.parse(turn.at) + stepMs),
    counts: countsOf(turn),
  }));
}

const countsOf = (turn: TopologyTurns) =>
  tonesInOrder.flatMap((tone) => {
    const count = isHealth(tone) ? (turn[tone] ?? 0) : 0;
    return count > 0 ? [{ tone, count }] : [];
  });

const number = new Intl.NumberFormat();

/** "3 turned unhealthy, 1 healthy" */
export const turnWords = ({ counts }: Turn): string =>
  counts
    .map(
      ({ tone, count }, index) => `${number.format(count)} ${index === 0 ? "turned " : ""}${tone}`,
    )
    .join(", ");
