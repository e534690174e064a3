import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";

/** The same browser without windows takes half as much of the machine: the other draws its own menus as pages, for every profile. */
const [shell, whole] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;
const executablePath = existsSync(shell) ? shell : whole;

/** Why the journeys cannot run here, or undefined. */
export const browserMissing = existsSync(executablePath)
  ? undefined
  : `${shell} is not installed: the browser journeys were NOT run`;

/** Debian's Chromium without anything that calls out. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export interface Visit {
  context: BrowserContext;
  page: Page;
  /** Errors of the page and of its console, and answers of 500 and more: none is expected, ever. */
  problems: string[];
}

/** The cookies of somebody who is signed in, so that each visit need not sign in anew. */
export type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** A fresh profile; everything that goes wrong in the page is collected. */
export async function visit(
  browser: Browser,
  address: string,
  options: { width?: number; height?: number; theme?: "light" | "dark"; state?: State } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.theme ?? "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    ...(options.state && { storageState: options.state }),
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    // The browser's own note about an answer that a journey provokes on purpose.
    if (/the server responded with a status of 4\d\d/.test(message.text())) return;
    problems.push(`console: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`);
  });
  return { context, page, problems };
}

export async function signIn(page: Page, who: { email: string; password: string }): Promise<void> {
  await page.goto("/login");
  await page.getByLabel(/e-?mail|^id$/i).fill(who.email);
  await page
    .getByLabel(/password/i)
    .first()
    .fill(who.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/login"));
}

/** Replaces what an editor holds. */
export async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.getByRole("textbox", { name: label }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
}

/** All that an editor holds, also what it has not drawn. */
export async function copied(page: Page, label: string): Promise<string> {
  await page.getByRole("textbox", { name: label }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+c");
  return page.evaluate(() => navigator.clipboard.readText());
}

/** How much of the page, or of what is scrolled in it, lies beyond its right edge. */
export const overflow = (of: Page | Locator): Promise<number> =>
  "goto" in of
    ? of.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    : of.evaluate((box) => box.scrollWidth - box.clientWidth);

/** The tables that are scrolled sideways, and by how much. */
export const tablesTooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll("[role=grid], [role=treegrid]"), (table) => {
      const { scrollWidth = 0, clientWidth = 0 } = table.parentElement ?? {};
      return { name: table.getAttribute("aria-label"), beyond: scrollWidth - clientWidth };
    })
      .filter(({ beyond }) => beyond > 0)
      .map(({ name, beyond }) => `${beyond} pixels of the table "${name}"`),
  );

/**
 * Boxes that hide what lies beyond their foot, and have something there: the browser scrolls them to what is focused, and
 * nobody scrolls them back.
 */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    // Less is a line that is cut short, or a mark that is clipped.
    const least = 100;
    return Array.from(document.querySelectorAll("body *"))
      .filter(
        (box) =>
          box.clientHeight > least &&
          box.scrollHeight > box.clientHeight + 1 &&
          /^(hidden|clip)$/.test(getComputedStyle(box).overflowY),
      )
      .map((box) => {
        const beyond = box.scrollHeight - box.clientHeight;
        return `${beyond} pixels are hidden in "${box.getAttribute("class")?.slice(0, 80)}"`;
      });
  });

/** Signs in once and keeps what a later visit needs to be signed in. */
export async function signedIn(
  browser: Browser,
  server: { address: string; email: string; password: string },
): Promise<State> {
  const { context, page } = await visit(browser, server.address);
  try {
    await signIn(page, server);
    return await context.storageState();
  } finally {
    await context.close();
  }
}

/** Waits until the page shows what it has, and no placeholder. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").first().waitFor();
  await page.waitForFunction(
    () => document.querySelector(".skeleton, [aria-busy=true], main:empty") === null,
  );
}

/** Notes from the next navigation on how much moves on a page by itself. */
export async function followMoves(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { sum: 0 };
    const add = (entries: PerformanceEntryList) => {
      for (const entry of entries as (PerformanceEntry & { value: number })[])
        seen.sum += entry.value;
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    Object.assign(window, {
      movedSoFar: () => {
        add(observer.takeRecords());
        return seen.sum;
      },
    });
  });
}

/** What has moved so far, once everything is drawn: the sum of the browser's layout shifts. */
export const movedOn = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const { movedSoFar } = window as unknown as { movedSoFar: () => number };
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(movedSoFar())));
      }),
  );
