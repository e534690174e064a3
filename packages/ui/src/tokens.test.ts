import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

type Oklch = readonly [lightness: number, chroma: number, hue: number];

const source = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function readTheme(selector: string): Map<string, Oklch> {
  const start = source.indexOf(`${selector} {`);
  expect(start, `tokens.css has no block for ${selector}`).toBeGreaterThanOrEqual(0);
  const block = source.slice(start, source.indexOf("\n}", start));
  const colours = new Map<string, Oklch>();
  for (const [, name, l, c, h] of block.matchAll(
    /--([\w-]+): oklch\(([\d.]+) ([\d.]+) ?([\d.]*)\);/g,
  )) {
    colours.set(name ?? "", [Number(l), Number(c), Number(h ?? 0)]);
  }
  return colours;
}

/** OKLab to linear sRGB (Björn Ottosson's matrices), then WCAG relative luminance. */
function luminance([lightness, chroma, hue]: Oklch): number {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const red = clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Oklch, other: Oklch): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((x, y) => x - y) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ["surface", "surface-raised", "surface-sunken"];
const states = ["healthy", "warning", "unhealthy", "unknown", "info"];
const syntax = ["key", "string", "number", "keyword", "comment"].map((part) => `syntax-${part}`);

const pairs: [ink: string, ground: string, least: number][] = [
  ...["text", "text-muted"].flatMap((ink) =>
    [...surfaces, "surface-hover", "surface-selected"].map(
      (ground) => [ink, ground, 4.5] as [string, string, number],
    ),
  ),
  ...[...states.map((state) => `${state}-fg`), "accent", "ansi-cyan", ...syntax].flatMap((ink) =>
    surfaces.map((ground) => [ink, ground, 4.5] as [string, string, number]),
  ),
  ...states.map((state) => [`${state}-fg`, `${state}-bg`, 4.5] as [string, string, number]),
  ["accent-text", "accent", 4.5],
  ["accent-text", "accent-hover", 4.5],
  ...[
    ...states,
    "running",
    ...states.map((state) => `${state}-border`),
    "border-control",
    "focus",
  ].flatMap((ink) => surfaces.map((ground) => [ink, ground, 3] as [string, string, number])),
];

describe.each([
  ["light", ":root"],
  ["dark", ':root[data-theme="dark"]'],
])("%s theme", (_name, selector) => {
  const theme = readTheme(selector);

  test.each(pairs)("%s on %s has a contrast of at least %d", (ink, ground, least) => {
    const [front, back] = [theme.get(ink), theme.get(ground)];
    expect(front, `--${ink} is missing`).toBeDefined();
    expect(back, `--${ground} is missing`).toBeDefined();
    if (front !== undefined && back !== undefined)
      expect(contrast(front, back)).toBeGreaterThanOrEqual(least);
  });
});
