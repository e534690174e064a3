import { cardsAtOnce, type GraphLook } from "@mainstay/ui/graph-view/graph.ts";
import type { UrlCodec } from "./url-state.ts";

/** An address holds no more; the oldest go. */
const longestToggled = 3_800;

const parseToggled = (text: string | undefined): ReadonlySet<string> =>
  new Set((text ?? "").split(",").filter(Boolean).map(decodeURIComponent));

function formatToggled(toggled: ReadonlySet<string>): string | undefined {
  const written: string[] = [];
  let length = 0;
  for (const id of [...toggled].toReversed()) {
    const text = encodeURIComponent(id);
    length += text.length + 1;
    if (length > longestToggled) break;
    written.unshift(text);
  }
  return written.length === 0 ? undefined : written.join();
}

const readable = (text: string): string | undefined => {
  try {
    decodeURIComponent(text);
    return text;
  } catch {
    return undefined;
  }
};

/** How a graph is looked at, as the address of its page says it. */
export const graphLookCodec: UrlCodec<GraphLook> = {
  parse: (raw) => ({
    direction: raw["direction"] === "down" ? "down" : "right",
    edgeStyle: raw["edges"] === "smoothstep" ? "smoothstep" : "bezier",
    toggled: parseToggled(readable(raw["toggled"] ?? "")),
    most: Math.max(cardsAtOnce, Math.trunc(Number(raw["cards"] ?? 0)) || 0),
  }),
  format: ({ direction, edgeStyle, toggled, most }) => ({
    direction: direction === "right" ? undefined : direction,
    edges: edgeStyle === "bezier" ? undefined : edgeStyle,
    toggled: formatToggled(toggled),
    cards: most === cardsAtOnce ? undefined : String(most),
  }),
};

/** The ends of ids, where no two are alike: addresses name cards by them. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const ends = Map.groupBy(ids, (id) => id.slice(-12));
  return (id) => (new Set(ends.get(id.slice(-12))).size === 1 ? id.slice(-12) : id);
}
