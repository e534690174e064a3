import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { addressOf, budgetOf, type ConsoleRoute, type Parts, readBuilt } from "./console-routes.ts";

/** The machinery of an editor, or of long texts, is fetched when the page stands; it alone is as large as the budget. */
const editors = new Set([
  // A chart, and a box of choices.
  "/logs",
  "/catalog/$itemId",
  "/catalog/$itemId/$tab",
  "/catalog/scrapers/$scraperId",
  "/settings/canaries/$canaryId",
  "/settings/topologies/$topologyId",
  "/settings/logging-backends/$logBackendId",
  "/settings/documents/apply",
  "/settings/integrations/$integrationType/$integrationId",
  "/settings/documents/$kind/$documentId",
]);

const sizes = new Map<string, number>();

function sizeOf(file: string): number {
  let size = sizes.get(file);
  if (size === undefined) {
    size = gzipSync(readBuilt(file), { level: 9 }).length;
    sizes.set(file, size);
  }
  return size;
}

/** Bytes of script over the wire. */
export const sum = (files: Iterable<string>): number =>
  Array.from(files, sizeOf).reduce((total, size) => total + size, 0);

export function overBudget(route: ConsoleRoute, files: Iterable<string>): string[] {
  const [size, budget] = [sum(files), budgetOf(route)];
  if (size <= budget) return [];
  const others = Array.from(files).filter((file) => !route.files.includes(file));
  return [
    `${route.path} loads ${size} bytes of ${budget}: what it needs, and ${others.join(", ")}`,
  ];
}

export interface FollowedScripts {
  /** Begins anew, for the page that is opened next. */
  begin(): void;
  /** The answer with which that page came. */
  readonly answer: Response | undefined;
  /** The scripts that it asked for, also those that the browser still has. */
  readonly loaded: ReadonlySet<string>;
}

export async function followScripts(page: Page): Promise<FollowedScripts> {
  // A browser tells a page that comes where the mouse is; what is fetched at a sign of somebody is for who moves it.
  await page.addInitScript(() =>
    addEventListener("pointermove", (event) => event.stopImmediatePropagation(), true),
  );
  const loaded = new Set<string>();
  let answer: Response | undefined;
  page.on("response", (response) => {
    if (response.request().isNavigationRequest()) answer ??= response;
  });
  page.on("request", (request) => {
    // What the page before still fetched.
    if (!answer) return;
    const { pathname } = new URL(request.url());
    if (/^\/assets\/.*\.js$/.test(pathname)) loaded.add(pathname.slice(1));
  });
  return {
    begin() {
      answer = undefined;
      loaded.clear();
    },
    get answer() {
      return answer;
    },
    loaded,
  };
}

/** What is wrong with the scripts of a page that was opened: those that its answer names, and those that it loaded. */
export async function wrongScripts(
  { answer, loaded }: FollowedScripts,
  route: ConsoleRoute,
  { page, parts }: { page: Page; parts: Parts },
): Promise<string[]> {
  const { link = "" } = (await answer?.allHeaders()) ?? {};
  const named = Array.from(link.matchAll(/<\/([^>]+)>/g), ([, file]) => file!);
  // Whoever is sent on to another page loads that as well.
  const isSentOn =
    route.path !== "/" && new URL(page.url()).pathname !== addressOf(route, parts).split("?")[0];
  return [
    // All at once: a script that is not named is found only when another one that needs it has come.
    ...route.files
      .filter((file) => !named.includes(file))
      .map((file) => `${route.path} does not name ${file}`),
    ...named
      .filter((file) => !route.files.includes(file))
      .map((file) => `${route.path} names ${file} for nothing`),
    ...route.files
      .filter((file) => !loaded.has(file))
      .map((file) => `${route.path} does not load ${file}`),
    ...(isSentOn || editors.has(route.path) ? [] : overBudget(route, loaded)),
  ];
}
