// Takes long: texts of a million lines are walked and searched.
import type { Locator, Page } from "playwright-core";
import { sample } from "@mainstay/testkit/sample.ts";
import { expect } from "vitest";
import { journey, journeys } from "./journey.ts";

/** What is read and written by the line: logs of a million, code, differences, YAML under a schema, JSON. */

const million = 1_000_000;

journeys("texts", () => {
  const linesOf = (view: Locator) => view.getByRole("listbox");
  const drawn = (view: Locator) => view.locator("[data-line]").count();
  const line = (view: Locator, number: number) => view.locator(`[data-line="${number}"]`);
  /** Whether a line lies within the list, and is drawn. */
  const isSeen = (view: Locator, number: number) =>
    linesOf(view).evaluate((list, wanted) => {
      const box = list.getBoundingClientRect();
      const own = list.querySelector(`[data-line="${wanted}"]`)?.getBoundingClientRect();
      return own !== undefined && own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
    }, number);
  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

  async function makeMillion(page: Page): Promise<Locator> {
    await page.getByRole("button", { name: "Make a million lines" }).click();
    const view = page.getByRole("region", { name: "A million lines" }).last();
    await view.getByText("1,000,000 lines").waitFor();
    return view;
  }

  journey(
    "a million lines are walked from end to end with few of them in the page, searched, chosen and linked to",
    async ({ openPart }) => {
      const page = await openPart("logs");
      const view = await makeMillion(page);
      const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
      const before = await elements();
      await expect.poll(() => drawn(view)).toBeLessThan(80);
      const list = linesOf(view);
      await list.focus();
      await page.keyboard.press("Control+End");
      await expect.poll(() => isSeen(view, million)).toBe(true);
      await page.keyboard.press("Control+Home");
      await expect.poll(() => isSeen(view, 1)).toBe(true);
      await page.keyboard.press("PageDown");
      await page.keyboard.press("j");
      const active = () => list.getAttribute("aria-activedescendant");
      await expect.poll(() => active()).toMatch(/-2\d$/);

      for (const share of [0.25, 0.5, 0.75]) {
        const filled = await list.evaluate((node, part) => {
          node.scrollTop = (node.scrollHeight - node.clientHeight) * part;
          return new Promise<boolean>((resolve) =>
            requestAnimationFrame(() => {
              const shown = [...node.querySelectorAll("[data-line]")].map((one) =>
                one.getBoundingClientRect(),
              );
              const box = node.getBoundingClientRect();
              resolve(shown[0]!.top <= box.top && shown.at(-1)!.bottom >= box.bottom - 1);
            }),
          );
        }, share);
        // No frame shows an empty list.
        expect(filled, `at ${share}`).toBe(true);
        await expect.poll(() => drawn(view)).toBeLessThan(80);
      }
      expect(Math.abs((await elements()) - before)).toBeLessThan(400);

      // What is searched for is found, walked to, and marked.
      await list.focus();
      await page.keyboard.press("/");
      const box = view.getByRole("searchbox");
      await expect.poll(() => box.evaluate((node) => node.matches(":focus"))).toBe(true);
      // Seen through colours: the letters are not next to each other in the raw line.
      await page.keyboard.type("shop request 999999 ");
      await view.getByText("1 of 1", { exact: true }).waitFor();
      await expect.poll(() => isSeen(view, million)).toBe(true);
      await expect
        .poll(() => line(view, million).locator(".underline").allInnerTexts())
        .toEqual(["shop", " request 999999 "]);
      await box.fill("request 12345");
      await view.getByText("1 of 11", { exact: true }).waitFor();
      await expect.poll(() => isSeen(view, 12_346)).toBe(true);
      await page.keyboard.press("Shift+Enter");
      await view.getByText("11 of 11", { exact: true }).waitFor();
      await expect.poll(() => isSeen(view, 123_460)).toBe(true);
      await page.keyboard.press("Enter");
      await expect.poll(() => isSeen(view, 12_346)).toBe(true);
      await box.fill("nothing like this");
      await view.getByText("No result").waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await expect.poll(() => linesOf(view).evaluate((node) => node.matches(":focus"))).toBe(true);

      // Some are chosen, copied, linked to, and the link leads back to them.
      await linesOf(view).evaluate((node) => {
        node.scrollTop = node.scrollHeight / 2;
      });
      await line(view, 500_003).locator("[data-gutter]").click();
      await line(view, 500_005)
        .locator("[data-gutter]")
        .click({ modifiers: ["Shift"] });
      await expect.poll(() => view.locator("[aria-selected=true]").count()).toBe(3);
      await page.keyboard.press("Control+c");
      await page.getByText("Copied 3 lines to clipboard").waitFor();
      const copied = await clipboard(page);
      // As it is read: without the colours.
      expect(copied.split("\n").map((text) => /shop request (\d+) took/.exec(text)?.[1])).toEqual([
        "500002",
        "500003",
        "500004",
      ]);
      await view.getByRole("button", { name: "Copy link to L500003-500005" }).click();
      await page.getByText("Copied to clipboard", { exact: true }).waitFor();
      await page.goto(await clipboard(page));
      const again = await makeMillion(page);
      await expect.poll(() => isSeen(again, 500_004)).toBe(true);
      await expect.poll(() => again.locator("[aria-selected=true]").count()).toBe(3);
      await linesOf(again).focus();
      await page.keyboard.press("Escape");
      await expect.poll(() => again.locator("[aria-selected=true]").count()).toBe(0);
    },
  );

  journey("what comes is followed until the reader goes elsewhere", async ({ openPart }) => {
    const page = await openPart("logs");
    const view = page.getByRole("region", { name: "Live log" });
    const follow = view.getByRole("button", { name: /^Follow/ });
    const count = async () =>
      Number(/([\d,]+) lines/.exec(await view.innerText())?.[1]?.replace(",", ""));
    await expect.poll(() => isSeen(view, 200)).toBe(true);
    await page.getByRole("button", { name: "Start" }).click();
    await expect.poll(count).toBeGreaterThan(215);
    await expect.poll(async () => isSeen(view, await count())).toBe(true);
    await expect.poll(() => follow.getAttribute("aria-pressed")).toBe("true");

    await linesOf(view).focus();
    await page.keyboard.press("Control+Home");
    await expect.poll(() => follow.getAttribute("aria-pressed")).toBe("false");
    const then = await count();
    await expect.poll(count).toBeGreaterThan(then + 5);
    // It stays where the reader is.
    await expect.poll(() => isSeen(view, 1)).toBe(true);
    await follow.click();
    await expect.poll(async () => isSeen(view, await count())).toBe(true);
    await page.getByRole("button", { name: "Stop" }).click();
  });

  journey.for(sample(["light", "dark"] as const, 1))(
    "terminal colours are told apart, %s",
    async (theme, { openPart }) => {
      const page = await openPart("logs", { theme });
      const view = page.getByRole("region", { name: "Colours" }).last();
      const inks = () =>
        line(view, 1)
          .locator("code span")
          .evaluateAll((spans) => new Set(spans.map((span) => getComputedStyle(span).color)).size);
      await expect.poll(inks).toBe(8);
      const grounds = await line(view, 2)
        .locator("code span")
        .evaluateAll((spans) => spans.map((span) => getComputedStyle(span).backgroundColor));
      expect(grounds).toHaveLength(8);
      expect(grounds).not.toContain("rgba(0, 0, 0, 0)");
      await expect.poll(() => line(view, 5).locator("code").innerText()).toBe("downloaded");
      await expect
        .poll(() => line(view, 8).locator("code").innerText())
        .toContain("<script>alert(1)</script>");
    },
  );

  journey("code is searched, chosen, wrapped and linked to", async ({ openPart }) => {
    const page = await openPart("code&lines=L3");
    const view = page.getByRole("region", { name: "Canary", exact: true });
    await expect.poll(() => line(view, 3).getAttribute("aria-selected")).toBe("true");
    await linesOf(view).focus();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("responsecodes");
    await view.getByText("1 of 1", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await linesOf(view).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Control+c");
    await expect
      .poll(() => clipboard(page))
      .toBe("apiVersion: canaries.flanksource.com/v1\nkind: Canary");
    await view.getByRole("button", { name: "Copy link to L1-2" }).click();
    await expect.poll(() => clipboard(page)).toMatch(/[?&]lines=L1-2$/);
    await page.setViewportSize({ width: 390, height: 844 });
    const height = () => line(view, 12).evaluate((node) => node.getBoundingClientRect().height);
    await expect.poll(() => height()).toBe(18);
    await view.getByRole("button", { name: "Wrap lines" }).click();
    await expect.poll(height).toBeGreaterThan(40);
  });

  journey(
    "differences stand side by side, in one column, and in one on a phone",
    async ({ openPart }) => {
      const page = await openPart("code");
      const view = page.getByRole("region", { name: "Change of shop" });
      await view.getByText("2 added, 2 removed").waitFor();
      const columns = () => view.locator("col").count();
      await expect.poll(() => columns()).toBe(4);
      await expect.poll(() => view.getByText("added:").count()).toBe(2);
      await view.getByRole("button", { name: "Show unified" }).click();
      await expect.poll(() => columns()).toBe(2);
      await view.getByRole("button", { name: "Show side by side" }).click();
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(columns).toBe(2);
      await view.getByRole("button", { name: "Copy today" }).click();
      await expect.poll(() => clipboard(page)).toContain("# applied from a file");
      await page.getByRole("region", { name: "No change" }).getByText("No differences").waitFor();
    },
  );

  journey(
    "a document is written under its schema: problems, completion, help, format",
    async ({ openPart }) => {
      const page = await openPart("code");
      const editor = page.getByRole("textbox", { name: "Spec", exact: true });
      const problems = page.locator("[data-show=yaml-editor] p");
      await expect.poll(() => problems.innerText()).toBe("1 problem");
      // What is drawn anew under a resting pointer does not know of it: the pointer comes again.
      const shows = (place: Locator, words: Locator) =>
        expect
          .poll(
            async () => {
              await page.mouse.move(0, 0);
              await place.hover();
              return words.waitFor({ timeout: 1_500 }).then(
                () => "shown",
                () => "not yet",
              );
            },
            { timeout: 30_000 },
          )
          .toBe("shown");
      await shows(
        page.locator(".cm-lintRange-error").first(),
        page.locator(".cm-diagnosticText", { hasText: "spec.replicas: Expected integer" }),
      );
      await shows(
        editor.getByText("schedule", { exact: true }),
        page.locator(".cm-help", { hasText: "When it runs: cron" }),
      );

      await editor.focus();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("\n");
      await page.keyboard.press("Home");
      await page.keyboard.press("Shift+End");
      await page.keyboard.press("Delete");
      await page.keyboard.type("  sev");
      const list = page.locator(".cm-tooltip-autocomplete");
      await list.getByText("severity").waitFor();
      // Escape closes the list, not what is around.
      await page.keyboard.press("Escape");
      await list.waitFor({ state: "detached" });
      await page.keyboard.press("Control+Space");
      await list.getByText("severity").waitFor();
      await page.keyboard.press("Escape");
      await list.waitFor({ state: "detached" });
      await page.keyboard.type("erity: none   # why");
      await expect.poll(() => problems.innerText()).toBe("2 problems");
      await page.keyboard.press("Shift+Alt+KeyF");
      await expect.poll(() => editor.innerText()).toContain("severity: none # why");
      await expect.poll(() => editor.innerText()).toContain("team: web # who is called");

      const closed = page.getByRole("textbox", { name: "Read only spec" });
      await closed.focus();
      await page.keyboard.type("x");
      await expect.poll(() => closed.innerText()).not.toContain("x\napi");
    },
  );

  journey("JSON is opened, walked, searched and copied", async ({ openPart }) => {
    const page = await openPart("code");
    const view = page.getByRole("region", { name: "Pod", exact: true });
    const tree = view.getByRole("tree");
    const active = () => tree.locator("[aria-selected=true]").innerText();
    await tree.focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => active()).toContain("kind:");
    await page.keyboard.press("End");
    await expect.poll(active).toContain("4999:");
    await expect.poll(() => tree.getByRole("treeitem").count()).toBeLessThan(60);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(active).toContain("many:");
    await page.keyboard.press("ArrowLeft");
    await expect
      .poll(() => tree.locator("[aria-selected=true]").getAttribute("aria-expanded"))
      .toBe("false");
    await page.keyboard.press("/");
    await page.keyboard.type("sidecar:9");
    await page.keyboard.press("Enter");
    await expect.poll(active).toContain("registry/sidecar:9");
    await view.getByRole("button", { name: "Copy path .spec.containers[1].image" }).click();
    await expect.poll(() => clipboard(page)).toBe(".spec.containers[1].image");
  });
});
