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

/** How light a colour is written, from 0 to 1; nothing for what is no colour of its own. */
function lightness(colour: string): number | undefined {
  const hex = /^#([\da-f]{3,8})$/i.exec(colour)?.[1];
  if (hex) {
    const digits = hex.length < 6 ? hex.replaceAll(/./g, "$&$&") : hex;
    const parts = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255);
    return Math.max(...parts) / 2 + Math.min(...parts) / 2;
  }
  const percents = /^rgb\(([\d.]+)%,\s*([\d.]+)%,\s*([\d.]+)%\)$/.exec(colour);
  if (percents) {
    const parts = percents.slice(1).map((part) => Number(part) / 100);
    return Math.max(...parts) / 2 + Math.min(...parts) / 2;
  }
  return { black: 0, white: 1 }[colour.toLowerCase()];
}

/** A picture that is all black, all white or without colours would vanish in one of the themes: it is drawn in ink. */
function isInked(svg: string): boolean {
  const colours = [...svg.matchAll(/ (?:fill|stroke|stop-color)="([^"]+)"/g)]
    .map(([, colour = ""]) => colour)
    .filter((colour) => !/^(none|currentcolor)$/i.test(colour));
  const shades = colours.map((colour) => lightness(colour));
  const all = (test: (shade: number) => boolean) =>
    shades.every((shade) => shade !== undefined && test(shade));
  return all((shade) => shade < 0.2) || all((shade) => shade > 0.85);
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
      return [name, { svg, isInked: isInked(svg) }];
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
  // Files under `assets/` are kept by browsers for ever, so the name changes with the library.
  const folder = `assets/marks-${version}/`;
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
