import type { Span } from "../lines/spans.ts";

/**
 * Terminal output as pieces of text with looks. Colours become those of the theme, so that every one can be read on
 * its background in both themes: the eight colours and their bright forms have names of ours, of the 256 and the 16
 * million the nearest is taken. Everything that moves a cursor is left out. Each line starts plain.
 */

type Colour = "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white";

const order: readonly Colour[] = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
];

const inks: Record<Colour, string> = {
  black: "text-muted",
  red: "text-unhealthy-fg",
  green: "text-healthy-fg",
  yellow: "text-warning-fg",
  blue: "text-info-fg",
  magenta: "text-(--syntax-keyword)",
  cyan: "text-(--ansi-cyan)",
  white: "text-text",
};

/** On these grounds the ink of the same state is used, whatever was asked for. */
const grounds: Record<Colour, string> = {
  black: "bg-hover text-text",
  red: "bg-unhealthy-bg text-unhealthy-fg",
  green: "bg-healthy-bg text-healthy-fg",
  yellow: "bg-warning-bg text-warning-fg",
  blue: "bg-info-bg text-info-fg",
  magenta: "bg-info-bg text-info-fg",
  cyan: "bg-info-bg text-info-fg",
  white: "bg-text text-raised",
};

interface Look {
  ink: Colour | null;
  ground: Colour | null;
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  isStruck: boolean;
  isInverse: boolean;
}

const plain: Look = {
  ink: null,
  ground: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isInverse: false,
};

/** The named colour that is nearest to a mix of red, green and blue (0–255). */
function nearest(red: number, green: number, blue: number): Colour {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most < 50) return "black";
  if (most - least < 40) return most > 140 ? "white" : "black";
  const half = (most + least) / 2;
  const bits = (red > half ? 1 : 0) | (green > half ? 2 : 0) | (blue > half ? 4 : 0);
  return order[bits] ?? "white";
}

function fromPalette(index: number): Colour {
  if (index < 16) return order[index % 8] ?? "white";
  if (index >= 232) return index >= 244 ? "white" : "black";
  const step = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return nearest(step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6));
}

/** `38;5;n` and `38;2;r;g;b`: the colour, and how many codes it took. */
function extended(codes: readonly number[], at: number): { colour: Colour | null; taken: number } {
  const code = (offset: number) => Math.min(255, codes[at + offset] ?? 0);
  if (codes[at + 1] === 5) return { colour: fromPalette(code(2)), taken: 3 };
  if (codes[at + 1] === 2) return { colour: nearest(code(2), code(3), code(4)), taken: 5 };
  return { colour: null, taken: codes.length - at };
}

function apply(look: Look, codes: readonly number[]): Look {
  let next = { ...look };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    const colour = order[code % 10] ?? null;
    if (code === 0) next = { ...plain };
    else if (code === 1) next.isBold = true;
    else if (code === 2) next.isDim = true;
    else if (code === 3) next.isItalic = true;
    else if (code === 4) next.isUnderlined = true;
    else if (code === 7) next.isInverse = true;
    else if (code === 9) next.isStruck = true;
    else if (code === 21 || code === 22) next = { ...next, isBold: false, isDim: false };
    else if (code === 23) next.isItalic = false;
    else if (code === 24) next.isUnderlined = false;
    else if (code === 27) next.isInverse = false;
    else if (code === 29) next.isStruck = false;
    else if (code === 38 || code === 48) {
      const { colour: mixed, taken } = extended(codes, at);
      if (code === 38) next.ink = mixed;
      else next.ground = mixed;
      at += taken - 1;
    } else if (code === 39) next.ink = null;
    else if (code === 49) next.ground = null;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) next.ink = colour;
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) next.ground = colour;
  }
  return next;
}

function classesOf(look: Look): string {
  const ground = look.isInverse ? (look.ink ?? "white") : look.ground;
  const names = [
    ground !== null ? grounds[ground] : look.ink !== null ? inks[look.ink] : "",
    look.isBold ? "font-semibold" : "",
    look.isDim && ground === null ? "text-muted!" : "",
    look.isItalic ? "italic" : "",
    look.isUnderlined ? "underline" : "",
    look.isStruck ? "line-through" : "",
  ];
  return names.filter(Boolean).join(" ");
}

// Control sequences, titles and other strings for the terminal, other escapes, and control characters except the tab.
const escapes =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /\u001b\[([0-9;:?<=>!]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/** What a terminal would still show of a line that went back to its start: progress bars do. */
function afterReturns(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const at = text.lastIndexOf("\r");
  return at < 0 ? text : text.slice(at + 1);
}

const needsWork =
  // oxlint-disable-next-line no-control-regex -- as above
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/;

/** One line of terminal output as pieces; joined, they are `plainLine`. */
export function ansiSpans(line: string): Span[] {
  if (!needsWork.test(line)) return [{ text: line, className: "" }];
  const shown = afterReturns(line);
  const spans: Span[] = [];
  let look = plain;
  let at = 0;
  const push = (text: string) => {
    if (text !== "") spans.push({ text, className: classesOf(look) });
  };
  for (const match of shown.matchAll(escapes)) {
    push(shown.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] !== "m" || /[?<=>!]/.test(match[1] ?? "")) continue;
    look = apply(look, (match[1] ?? "").split(/[;:]/).slice(0, 64).map(Number));
  }
  push(shown.slice(at));
  return spans;
}

// oxlint-disable-next-line no-control-regex -- as above
const looksOnly = /\u001b\[[\d;:]*m/g;

/** A line without anything that is not text. */
export function plainLine(line: string): string {
  // Most lines hold nothing else: searching a million of them depends on this being quick.
  const text = line.includes("\u001b") ? line.replaceAll(looksOnly, "") : line;
  if (!needsWork.test(text)) return text;
  return ansiSpans(line)
    .map((span) => span.text)
    .join("");
}
