import { firstLetter } from "../first-letter.ts";
import { type Tone, toneShapes } from "../StatusDot.tsx";
import type { Card, EdgeStyle } from "./graph.ts";
import type { PlacedCard, PlacedGraph } from "./layout/plan-layout.ts";
import { linePath } from "./line-path.ts";

/** The colours of the theme that is shown, as every program that draws SVG knows them. */
export interface PictureInk {
  /** `light` or `dark`: some marks have other colours in one than in the other, whoever looks at the picture. */
  scheme: string;
  surface: string;
  raised: string;
  sunken: string;
  border: string;
  line: string;
  text: string;
  muted: string;
  tones: Readonly<Record<Tone, string>>;
}

export interface PictureOptions {
  ink: PictureInk;
  edgeStyle: EdgeStyle;
  kindLabel: (kind: string) => string;
  /** The mark of a kind, as SVG; its first letter is drawn where there is none. */
  markOf: (kind: string) => string | undefined;
  /** How wide a text is, in pixels. */
  measure: (text: string, size: number) => number;
}

const margin = 24;
const font = 'font-family="Inter, system-ui, sans-serif"';

const escaped = (text: string) =>
  text
    // What XML cannot hold at all.
    // oxlint-disable-next-line no-control-regex -- as said
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** As much of a text as there is room for. */
export function clip(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  const letters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  let [fits, tooLong] = [0, letters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (measure(`${letters.slice(0, middle).join("")}…`) <= width) fits = middle;
    else tooLong = middle;
  }
  return `${letters.slice(0, fits).join("")}…`;
}

/** A graph as a picture of its own: SVG that needs nothing from anywhere. */
export function drawPicture(placed: PlacedGraph, options: PictureOptions): string {
  const { ink, edgeStyle } = options;
  const width = placed.width + 2 * margin;
  const height = placed.height + 2 * margin;
  const lines = placed.lines.map((line) => {
    const { stroke, head, back, labelX, labelY } = linePath(line, placed.direction, edgeStyle);
    if (line.carries !== undefined) {
      const colour = ink.tones[line.carries];
      return `<path d="${stroke}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="8 4"/><path d="${back}" fill="${colour}"/>${dot(line.carries, labelX - 5, labelY - 5, options)}`;
    }
    const dashes = line.isSoft ? ' stroke-dasharray="5 4"' : "";
    return `<path d="${stroke}" fill="none" stroke="${ink.line}" stroke-width="1.25"${dashes}/><path d="${head}" fill="${ink.line}"/>`;
  });
  const frames = placed.frames.map(
    ({ x, y, width: wide, height: high }) =>
      `<rect x="${x}" y="${y}" width="${wide}" height="${high}" rx="8" fill="${ink.sunken}" stroke="${ink.border}"/>`,
  );
  const marks = drawMarks(placed, options);
  const cards = [...placed.cards.values()].map((card) => drawCard(card, { ...options, marks }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" style="color-scheme:${ink.scheme}">`,
    `<rect x="${-margin}" y="${-margin}" width="${width}" height="${height}" fill="${ink.surface}"/>`,
    `<defs>${marks.drawn}</defs>`,
    ...frames,
    ...lines,
    ...cards,
    "</svg>",
  ].join("\n");
}

const markSize = 16;

interface Marks {
  /** Each once, by the ids that cards use. */
  drawn: string;
  ids: ReadonlyMap<string, string>;
}
type Drawing = PictureOptions & { marks: Marks };

/** The marks of all kinds in the picture, as pictures within it. */
function drawMarks({ cards }: PlacedGraph, { ink, markOf }: PictureOptions): Marks {
  const ids = new Map<string, string>();
  const drawn = [...new Set([...cards.values()].map(({ card }) => markName(card)))].map((kind) => {
    const id = `mark-${ids.size}`;
    ids.set(kind, id);
    const mark = markOf(kind);
    if (mark !== undefined) {
      const address = escaped(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(mark)}`);
      return `<image id="${id}" width="${markSize}" height="${markSize}" href="${address}"/>`;
    }
    const letter = escaped(firstLetter(kind).toUpperCase() || "?");
    return `<g id="${id}"><rect x="0.5" y="0.5" width="15" height="15" rx="4" fill="none" stroke="${ink.border}"/><text x="8" y="11.5" ${font} font-size="9" font-weight="600" text-anchor="middle" fill="${ink.muted}">${letter}</text></g>`;
  });
  return { drawn: drawn.join(""), ids };
}

/** By which the mark of a card is found. */
export const markName = (card: Card): string =>
  card.type === "group" ? card.kind : (card.node.icon ?? card.node.kind);

const markAt = (kind: string, x: number, y: number, { marks }: Drawing) =>
  `<use href="#${marks.ids.get(kind)}" x="${x}" y="${y}"/>`;

function drawCard({ card, x, y, width, height }: PlacedCard, options: Drawing): string {
  const { ink } = options;
  const tone = toneOf(card);
  const isLoud = tone === "unhealthy" || tone === "warning";
  const box = `<rect width="${width}" height="${height}" rx="8" fill="${card.type === "group" ? ink.sunken : ink.raised}" stroke="${isLoud ? ink.tones[tone] : ink.border}"/>`;
  return `<g transform="translate(${x} ${y})">${box}${card.type === "group" ? groupFace(card, width, options) : nodeFace(card, width, options)}</g>`;
}

const toneOf = (card: Card): Tone | undefined =>
  card.type === "group" ? card.tones[0]?.[0] : card.node.tone;

interface TextLook {
  x: number;
  y: number;
  size: number;
  colour: string;
  room: number;
  isStrong?: boolean;
  isAtEnd?: boolean;
}

function words(text: string, look: TextLook, { measure }: PictureOptions): string {
  const { x, y, size, colour, room, isStrong = false, isAtEnd = false } = look;
  const shown = escaped(clip(text, room, (part) => measure(part, size)));
  return `<text x="${x}" y="${y}" ${font} font-size="${size}" fill="${colour}"${isStrong ? ' font-weight="500"' : ""}${isAtEnd ? ' text-anchor="end"' : ""}>${shown}</text>`;
}

const dot = (tone: Tone, x: number, y: number, { ink }: PictureOptions) =>
  `<path transform="translate(${x} ${y})" fill-rule="evenodd" d="${toneShapes[tone].path}" fill="${ink.tones[tone]}"/>`;

function nodeFace(
  { node }: Extract<Card, { type: "node" }>,
  width: number,
  options: Drawing,
): string {
  const { ink, kindLabel, measure } = options;
  const state = node.toneLabel ?? "";
  const stateWidth = node.tone ? measure(state, 11) + 18 : 0;
  const note = node.note ?? "";
  const noteWidth = note === "" ? 0 : measure(note, 11) + 8;
  const small = { size: 11, colour: ink.muted };
  return [
    markAt(node.icon ?? node.kind, 10, 11, options),
    words(
      node.title,
      { x: 32, y: 24, size: 13, colour: ink.text, room: width - 42 - stateWidth, isStrong: true },
      options,
    ),
    node.tone && dot(node.tone, width - 6 - stateWidth, 14, options),
    node.tone && words(state, { ...small, x: width - 10, y: 23, room: 90, isAtEnd: true }, options),
    words(kindLabel(node.kind), { ...small, x: 10, y: 43, room: width - 20 - noteWidth }, options),
    note !== "" &&
      words(note, { ...small, x: width - 10, y: 43, room: 90, isAtEnd: true }, options),
    words((node.tags ?? []).join("   "), { ...small, x: 10, y: 64, room: width - 20 }, options),
  ]
    .filter(Boolean)
    .join("");
}

function groupFace(
  card: Extract<Card, { type: "group" }>,
  width: number,
  options: Drawing,
): string {
  const { ink, kindLabel, measure } = options;
  let x = 36 + measure(String(card.count), 11) + 8;
  const counts = card.tones.map(([tone, count]) => {
    const drawn = `${dot(tone, x, 29, options)}${words(String(count), { x: x + 13, y: 38, size: 11, colour: ink.muted, room: 60 }, options)}`;
    x += 13 + measure(String(count), 11) + 8;
    return drawn;
  });
  return [
    markAt(card.kind, 12, 16, options),
    words(
      kindLabel(card.kind),
      { x: 36, y: 20, size: 12, colour: ink.text, room: width - 48, isStrong: true },
      options,
    ),
    words(String(card.count), { x: 36, y: 38, size: 11, colour: ink.muted, room: 60 }, options),
    ...counts,
  ].join("");
}
