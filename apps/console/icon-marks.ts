import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createElement, type ComponentType } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { Plugin } from "vite";
import { partOf } from "@mainstay/ui/icon-marks.ts";

const virtualId = "virtual:icon-marks/";
const resolvedId = `\0${virtualId}`;

interface Mark {
  svg: string;
  isInked: boolean;
}

/** How much red, green and blue a colour has, from 0 to 1; nothing for what is no colour of its own. */
function partsOfColour(colour: string): readonly [number, number, number] | undefined {
  const hex = /^#([\da-f]{3,8})$/i.exec(colour)?.[1];
  if (hex) {
    const digits = hex.length < 6 ? hex.replaceAll(/./g, "$&$&") : hex;
    const part = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return [part(0), part(2), part(4)];
  }
  const percents = /^rgb\(([\d.]+)%,\s*([\d.]+)%,\s*([\d.]+)%\)$/.exec(colour);
  if (percents)
    return [Number(percents[1]) / 100, Number(percents[2]) / 100, Number(percents[3]) / 100];
  const one = { black: 0, white: 1 }[colour.toLowerCase()];
  return one === undefined ? undefined : [one, one, one];
}

/** How light a colour is written, from 0 to 1. */
function lightness(colour: string): number | undefined {
  const parts = partsOfColour(colour);
  return parts && Math.max(...parts) / 2 + Math.min(...parts) / 2;
}

/** Whether a colour may look so light, as white and yellow do, that something dark is seen on it. */
function isBright(colour: string): boolean {
  const parts = partsOfColour(colour);
  if (!parts) return true;
  const [red, green, blue] = parts;
  return 0.3 * red + 0.59 * green + 0.11 * blue > 0.76;
}

/** The colours that a picture names, each once, as it writes them. */
const coloursOf = (svg: string): string[] => [
  ...new Set(
    [...svg.matchAll(/ (?:fill|stroke|stop-color)="([^"]+)"/g)]
      .map(([, colour = ""]) => colour)
      .filter((colour) => !/^(none|currentcolor)$/i.test(colour)),
  ),
];
const isDark = (shade: number | undefined) => shade !== undefined && shade < 0.2;
const isLight = (shade: number | undefined) => shade !== undefined && shade > 0.85;

/** A picture that is all black, all white or without colours would vanish in one of the themes: it is drawn in ink. */
function isInked(svg: string): boolean {
  const shades = coloursOf(svg).map(lightness);
  return shades.every(isDark) || shades.every(isLight);
}

/**
 * A picture whose dark parts are light on the dark theme: words beside a coloured sign. Not where they may lie on bright
 * parts of their own or under what a gradient paints.
 */
export function readableOnDark(svg: string): string {
  const colours = coloursOf(svg);
  const dark = colours.filter((colour) => isDark(lightness(colour)));
  if (dark.length === 0 || svg.includes("url(") || colours.some(isBright)) return svg;
  const rules = ["fill", "stroke"].map(
    (of) => `${dark.map((colour) => `[${of}="${colour}"]`).join()}{${of}:#e4e7ec}`,
  );
  const style = `<style>@media (prefers-color-scheme:dark){${rules.join("")}}</style>`;
  return svg.replace(/^<svg[^>]*>/, (root) => root + style);
}

async function readMarks(): Promise<Map<string, Mark>> {
  const { IconMap } = await import("@flanksource/icons/mi");
  return new Map(
    Object.entries(IconMap).map(([name, icon]) => {
      const drawn = renderToStaticMarkup(createElement(icon as ComponentType, {}));
      const svg = drawn
        .replace(
          /^<svg stroke="currentColor" fill="currentColor" stroke-width="0" role="img"/,
          "<svg",
        )
        .replace(' height="1em" width="1em"', "")
        .replace(
          "<svg",
          drawn.includes("xlink:") ? '<svg xmlns:xlink="http://www.w3.org/1999/xlink"' : "<svg",
        );
      const inked = isInked(svg);
      return [name, { svg: inked ? svg : readableOnDark(svg), isInked: inked }];
    }),
  );
}

/**
 * The marks of technologies as pictures of their own, one file each, of which a page fetches only those it shows; and
 * the lists of their names as the modules `virtual:icon-marks/<part>`. The library itself is not bundled.
 */
export function iconMarks(): Plugin {
  const manifest = createRequire(import.meta.url)
    .resolve("@flanksource/icons")
    .replace(/index\.js$/, "package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  // Files under `assets/` are kept by browsers for ever, so the name changes with the library, and with what is made of it.
  const folder = `assets/marks-${version}-dark/`;
  let marks: Promise<Map<string, Mark>> | undefined;
  const load = () => (marks ??= readMarks());

  return {
    name: "icon-marks",
    resolveId: (id) => (id.startsWith(virtualId) ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith(resolvedId)) return undefined;
      const part = id.slice(resolvedId.length);
      const entries = [...(await load())].filter(([name]) => partOf(name) === part);
      const names = (inked: boolean) =>
        JSON.stringify(
          entries.flatMap(([name, mark]) => (mark.isInked === inked ? [name] : [])).join(" "),
        );
      return `export const folder = "/${folder}";\nexport const coloured = ${names(false)};\nexport const inked = ${names(true)};\n`;
    },
    async generateBundle() {
      for (const [name, { svg }] of await load())
        this.emitFile({ type: "asset", fileName: `${folder}${name}.svg`, source: svg });
    },
    configureServer(server) {
      server.middlewares.use(`/${folder}`, (request, response) => {
        const name = /^\/([\w-]+)\.svg$/.exec(request.url?.split("?")[0] ?? "")?.[1] ?? "";
        void load().then((known) => {
          const mark = known.get(name);
          if (mark) response.setHeader("content-type", "image/svg+xml").end(mark.svg);
          else response.writeHead(404).end();
        });
      });
    },
  };
}
