// Takes long: tables of 100,000 rows are scrolled, chosen from and exported.
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { partShown } from "./gallery-server.ts";
import { journey, journeys } from "./journey.ts";

/** The table with a hundred thousand rows, in a browser: what it draws, what the keyboard does, what it keeps. */

/** Where their number does not matter, there are fewer. */
const few = "tables&rows=3000";

journeys("a table", () => {
  const jobs = (page: Page) => page.locator("[role=grid], [role=treegrid]").first();
  const rowsOf = (table: Locator) => table.locator("tbody tr[data-row-id]");
  const cells = (row: Locator) => row.locator("td").allInnerTexts();
  /** The row that has the keyboard: its place and the name in it. */
  const active = (page: Page) =>
    page.evaluate(() => {
      const row = document.activeElement;
      return [row?.getAttribute("aria-rowindex"), row?.querySelectorAll("td")[1]?.textContent];
    });
  const toast = (page: Page, text: string | RegExp) =>
    page.getByRole("region", { name: "Notifications" }).getByText(text);

  journey(
    "draws what is seen, with 10 rows beyond, wherever it is scrolled to",
    async ({ openPart }) => {
      const page = await openPart("tables");
      const table = jobs(page);
      await expect.poll(() => table.getAttribute("aria-rowcount")).toBe("100001");
      const scroller = table.locator("xpath=..");
      const view = await scroller.evaluate((node) => node.clientHeight);
      // What draws long lists is fetched when somebody is there who might scroll.
      await scroller.hover();
      await scroller.evaluate((node) => (node.scrollTop = node.scrollHeight));
      await expect.poll(() => rowsOf(table).last().getAttribute("aria-rowindex")).toBe("100001");
      for (const share of [0, 0.37, 1]) {
        const drawn = await scroller.evaluate((node, part) => {
          node.scrollTop = (node.scrollHeight - node.clientHeight) * part;
          return new Promise<{ count: number; filled: boolean }>((resolve) =>
            requestAnimationFrame(() => {
              const rows = [...node.querySelectorAll("tbody tr[data-row-id]")];
              const [top, bottom] = [rows[0]!, rows.at(-1)!].map((row) =>
                row.getBoundingClientRect(),
              );
              const seen = node.getBoundingClientRect();
              resolve({
                count: rows.length,
                filled: top!.top <= seen.top + 35 && bottom!.bottom >= seen.bottom - 1,
              });
            }),
          );
        }, share);
        // No frame shows an empty table.
        expect(drawn.filled, `at ${share}`).toBe(true);
        const inView = Math.ceil(view / 35) + 1;
        expect(drawn.count).toBeGreaterThanOrEqual(Math.floor((view - 35) / 35));
        expect(drawn.count).toBeLessThanOrEqual(inView + 2 * 10 + 2);
      }
      await expect
        .poll(() => scroller.evaluate((node) => node.scrollHeight))
        .toBe(35 + 100_000 * 35);
    },
  );

  journey("is walked, chosen from and opened by keyboard", async ({ openPart }) => {
    const page = await openPart("tables");
    // Until its mark has come, a letter stands in a row's text.
    await page.waitForLoadState("networkidle");
    await rowsOf(jobs(page)).first().focus();
    const [, first] = await active(page);
    await page.keyboard.press("End");
    await expect.poll(async () => (await active(page))[0]).toBe("100001");
    await page.keyboard.press("PageUp");
    await expect.poll(async () => Number((await active(page))[0])).toBeLessThan(100_000);
    await page.keyboard.press("Home");
    await expect.poll(() => active(page)).toEqual(["2", first]);
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    await expect.poll(async () => (await active(page))[0]).toBe("3");

    const selection = page.getByRole("status", { name: "Selection" }).first();
    await page.keyboard.press("Space");
    await expect.poll(() => selection.innerText()).toContain("1 selected");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+Space");
    await expect.poll(() => selection.innerText()).toContain("3 selected");
    await page.keyboard.press("Control+a");
    await expect.poll(() => selection.innerText()).toContain("100,000 selected");
    await selection.getByRole("button", { name: "Stop" }).click();
    await toast(page, "Stopped 100000").waitFor();
    await selection.getByRole("button", { name: "Clear selection" }).click();
    await expect.poll(() => selection.innerText()).toBe("");

    await rowsOf(jobs(page)).nth(4).focus();
    const [, fifth] = await active(page);
    await page.keyboard.press("Enter");
    // Without the letter that stands for its icon.
    await toast(page, /(?:Sync|Scrape|Check|Push) .+/.exec(fifth!)![0]).waitFor();
  });

  journey("sorts by its headers and opens and closes its groups", async ({ openPart }) => {
    const page = await openPart(few);
    const table = jobs(page);
    const durations = async () => (await cells(rowsOf(table).first()))[4];
    await expect.poll(() => durations()).toBe("1.5m");
    const header = table.getByRole("button", { name: "Duration" });
    await header.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    expect(
      await table.getByRole("columnheader", { name: /^Duration/ }).getAttribute("aria-sort"),
    ).toBe("ascending");
    await expect.poll(durations).toBe("3ms");

    await page.getByRole("button", { name: "Group by type" }).click();
    await expect.poll(() => table.getAttribute("role")).toBe("treegrid");
    const head = rowsOf(table).first();
    await expect.poll(() => head.getAttribute("aria-expanded")).toBe("true");
    await head.focus();
    for (let group = 0; group < 3; group += 1) {
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowDown");
    }
    await expect.poll(() => rowsOf(table).count()).toBe(3);
    const heads = (await rowsOf(table).allInnerTexts()).map((text) =>
      text.split(/\s+/).filter(Boolean),
    );
    // A name, how many there are, and the sum.
    expect(heads.map(([name, count]) => `${name} ${count}`).toSorted()).toEqual([
      "canary 1,000",
      "config_scraper 1,000",
      "topology 1,000",
    ]);
    expect(heads.every(([, , sum]) => /^[\d.]+h$/.test(sum ?? ""))).toBe(true);
  });

  journey(
    "can be used without what draws long lists, until rows are looked for that need it",
    async ({ gallery, openPart, provoked }) => {
      provoked.push(/ERR_FAILED|A part of the console could not be loaded/);
      const page = await openPart(few);
      const [windowing] = Object.entries(gallery.built.manifest).flatMap(([name, { file }]) =>
        /@tanstack\/react-virtual\//.test(name) ? [file] : [],
      );
      const refused = () => page.route(`**/${windowing}`, (route) => route.abort());
      await refused();
      const table = jobs(page);
      const header = table.getByRole("columnheader", { name: /^Duration/ });
      const isRefused = page.waitForEvent("requestfailed");
      await header.hover();
      await isRefused;
      // What is seen goes on, here to another order; the part is asked for once more.
      await header.getByRole("button").click();
      await expect.poll(() => header.getAttribute("aria-sort")).toBe("none");
      await page.unroute(`**/${windowing}`);
      const scroller = table.locator("xpath=..");
      await scroller.evaluate((node) => (node.scrollTop = node.scrollHeight));
      await expect.poll(() => rowsOf(table).last().getAttribute("aria-rowindex")).toBe("3001");

      await refused();
      await page.reload();
      await rowsOf(table).first().waitFor();
      // In the console that is shown in place of the page, with a way on; the gallery has nothing of the kind.
      const thrown = page.waitForEvent("pageerror");
      await scroller.evaluate((node) => (node.scrollTop = node.scrollHeight));
      expect((await thrown).message).toContain("A part of the console could not be loaded");
    },
  );

  journey("keeps which columns are shown and how wide they are", async ({ openPart }) => {
    const page = await openPart(few);
    const headers = () => jobs(page).getByRole("columnheader").allInnerTexts();
    await page.getByRole("button", { name: "Columns and export" }).focus();
    await page.keyboard.press("Enter");
    const menu = page.getByRole("menu").getByRole("group", { name: "Columns" });
    await menu.getByRole("menuitemcheckbox", { name: "Started" }).click();
    await menu.getByRole("menuitemcheckbox", { name: "Type" }).click();
    await page.keyboard.press("Escape");
    await expect.poll(() => headers()).toEqual(["", "Name", "Status", "Duration"]);

    const grip = jobs(page).getByRole("separator", { name: "Width of Status" });
    const width = () =>
      jobs(page)
        .getByRole("columnheader", { name: /^Status/ })
        .evaluate((node) => Math.round(node.getBoundingClientRect().width));
    const before = await width();
    const box = (await grip.boundingBox())!;
    await page.mouse.move(box.x + 3, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 83, box.y + 5, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBe(before + 80);
    await grip.focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(width).toBe(before + 64);

    await page.reload();
    await partShown(page);
    await expect.poll(() => headers()).toEqual(["", "Name", "Status", "Duration"]);
    await expect.poll(() => width()).toBe(before + 64);
  });

  journey("is exported as it is shown", async ({ openPart }) => {
    const page = await openPart("tables");
    const saved = async (entry: string) => {
      await page.getByRole("button", { name: "Columns and export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: entry }).click(),
      ]);
      return {
        name: download.suggestedFilename(),
        text: readFileSync(await download.path(), "utf8"),
      };
    };
    const [first] = await rowsOf(jobs(page)).first().locator("td").nth(1).allInnerTexts();
    const csv = await saved("Export as CSV");
    const lines = csv.text.split("\r\n");
    expect([csv.name, lines.length, lines[0]]).toEqual([
      "jobs.csv",
      100_002,
      "Name,Type,Status,Duration,Started",
    ]);
    expect(lines[1]).toContain(first!.trim());
    const json = await saved("Export as JSON");
    const records = JSON.parse(json.text) as { name: string }[];
    expect([json.name, records.length, records[0]?.name]).toEqual([
      "jobs.json",
      100_000,
      first!.trim(),
    ]);
  });

  journey(
    "without pages asks for twice as many rows each time its end is reached",
    async ({ openPart }) => {
      const page = await openPart(few);
      const part = page.locator("[data-show=without-pages]");
      const asked = async () => /^([\d,]+) of/.exec(await part.locator("p").innerText())?.[1];
      await expect.poll(() => asked()).toBe("50");
      await rowsOf(part).first().focus();
      for (const expected of ["100", "200", "400"]) {
        const end = String(Number(expected) / 2 + 1);
        await page.keyboard.press("End");
        // The last row of those that were there has the keyboard, and is seen.
        await expect
          .poll(() =>
            part.getByRole("grid").evaluate((grid) => {
              const row = grid.ownerDocument.activeElement!;
              const [box, own] = [grid.parentElement!, row].map((one) =>
                one.getBoundingClientRect(),
              );
              return [row.getAttribute("aria-rowindex"), own!.bottom <= box!.bottom];
            }),
          )
          .toEqual([end, true]);
        await expect.poll(asked).toBe(expected);
        // They come a moment after they were asked for; the end is elsewhere then.
        const rows = String(Number(expected) + 1);
        await expect.poll(() => part.getByRole("grid").getAttribute("aria-rowcount")).toBe(rows);
      }
    },
  );

  journey("with pages turns them, to any page and any size", async ({ openPart }) => {
    const page = await openPart(few);
    const part = page.locator("[data-show=with-pages]");
    const pages = part.getByRole("navigation", { name: "Pages" }).first();
    const names = () => rowsOf(part).allInnerTexts();
    await pages.getByRole("button", { name: "Next" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await names())[0]).toContain("config_scraper 5");
    const box = pages.getByRole("spinbutton", { name: /Go to page/ });
    await box.fill("100");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await names())[0]).toContain("495");
    await pages.getByRole("combobox", { name: "Rows per page" }).selectOption("25");
    await expect.poll(async () => (await names()).length).toBeGreaterThan(15);
    await expect.poll(() => pages.innerText()).toContain("1–25 of 1,234");
  });

  journey("on a phone has two lines for a row, and all else at hand", async ({ openPart }) => {
    const page = await openPart(few, { width: 390, height: 844 });
    const table = jobs(page);
    await expect.poll(() => table.getByRole("columnheader").count()).toBe(0);
    const heights = await rowsOf(table).evaluateAll((rows) => [
      ...new Set(rows.map((row) => row.getBoundingClientRect().height)),
    ]);
    expect(heights).toEqual([56]);
    // Others of the page may be drawn before it.
    const own = page
      .locator("section")
      .filter({ has: jobs(page) })
      .first();
    const sort = own.getByRole("combobox", { name: "Sort by" });
    await sort.selectOption({ label: "Name, ascending" });
    await expect.poll(() => rowsOf(table).first().innerText()).toContain("Check canary 6");
    await own.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "Export as CSV" }).waitFor();
  });
});
