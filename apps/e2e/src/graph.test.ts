import { readFileSync } from "node:fs";
import { isWhole } from "@mainstay/testkit/sample.ts";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { journey, journeys } from "./journey.ts";

/** The graph as a part of its own: laid out in a worker under the server's policy, walked with the keyboard, saved. */

const card = (page: Page, id: string) => page.locator(`[data-card="${id}"]`);
const pods = ">checkout-7f9c/Kubernetes::Pod";
const graph = (page: Page) => page.getByRole("application");
/** The card that the keyboard is at. */
const at = (page: Page) => page.locator(".graph-card-active").getAttribute("data-card");

const scaleOf = (page: Page): Promise<number> =>
  page
    .locator(".react-flow__viewport")
    .evaluate((element) => new DOMMatrix(getComputedStyle(element).transform).a);

async function isInFrame(page: Page, name: string): Promise<boolean> {
  const frame = (await graph(page).boundingBox())!;
  const { x, y, width, height } = (await card(page, name).boundingBox())!;
  return (
    x > frame.x &&
    x + width < frame.x + frame.width &&
    y > frame.y &&
    y + height < frame.y + frame.height
  );
}

async function steps(page: Page, ...walk: (readonly [key: string, id: string])[]) {
  for (const [key, id] of walk) {
    await page.keyboard.press(key);
    await expect.poll(() => at(page), { message: key }).toBe(id);
  }
}

journeys("a graph", () => {
  journey("is walked, folded, unfolded and opened by keyboard alone", async ({ openPart }) => {
    const page = await openPart("graphs");
    await card(page, "production").waitFor();
    await graph(page).focus();
    await steps(
      page,
      ["ArrowRight", "web"],
      ["ArrowRight", "checkout"],
      ["Home", "production"],
      ["ArrowLeft", "production"],
    );
    await page.keyboard.press("0");
    // A group of three is open by itself, one of fourteen is not.
    await expect.poll(() => card(page, "data-2").count()).toBe(1);
    expect(await card(page, "checkout-7f9c-4").count()).toBe(0);
    await card(page, pods).click();
    await card(page, "checkout-7f9c-4").waitFor();
    await graph(page).focus();
    expect(await card(page, pods).textContent()).toBe("Kubernetes::Pod141112");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => at(page)).toMatch(/^checkout-7f9c-\d/);
    await steps(page, ["ArrowLeft", pods]);
    await page.keyboard.press("Space");
    await card(page, "checkout-7f9c-4").waitFor({ state: "detached" });
    await page.keyboard.press("0");
    // What has the keyboard goes with the fold: the graph keeps it.
    await card(page, "ledger").focus();
    await steps(page, ["Home", "production"], ["ArrowRight", "web"]);
    await page.keyboard.press("Space");
    await card(page, "web").getByText("folded").waitFor({ state: "attached" });
    await card(page, "ledger").waitFor({ state: "detached" });
    await page.keyboard.press("Space");
    await card(page, "ledger").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Opened web", { exact: true }).waitFor();
    const scale = () => scaleOf(page);
    const before = await scale();
    await page.keyboard.press("-");
    await expect.poll(scale).toBeLessThan(before);
    await page.keyboard.press("0");
    await expect.poll(scale).toBeCloseTo(before, 1);
  });

  journey(
    "begins whole where that is read with ease, else in full size at its start",
    async ({ openPart }) => {
      const page = await openPart("graphs");
      await card(page, "production").waitFor();
      await expect.poll(() => scaleOf(page)).toBe(1);
      expect(await isInFrame(page, "production")).toBe(true);
      await graph(page).focus();
      await page.keyboard.press("0");
      await expect.poll(() => scaleOf(page)).toBeLessThan(0.75);
      expect(await isInFrame(page, "left-over")).toBe(true);

      await card(page, "web").focus();
      await page.keyboard.press("Space");
      await card(page, "ledger").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Layers from above to below" }).click();
      await expect.poll(() => scaleOf(page)).toBeGreaterThanOrEqual(0.75);
      for (const name of ["production", "web", "left-over"])
        expect(await isInFrame(page, name)).toBe(true);
    },
  );

  journey("turns its layers, draws its lines with corners, and is saved", async ({ openPart }) => {
    const page = await openPart("graphs");
    const web = card(page, "web");
    await web.waitFor();
    const place = async (name: string) => (await card(page, name).boundingBox())!;
    expect((await place("web")).x).toBeGreaterThan((await place("production")).x);
    await page.getByRole("button", { name: "Layers from above to below" }).click();
    await expect
      .poll(async () => (await place("web")).y > (await place("production")).y + 40)
      .toBe(true);
    const curves = await page.locator(".graph-line").first().getAttribute("d");
    await page.getByRole("button", { name: "Lines with corners" }).click();
    await expect.poll(() => page.locator(".graph-line").first().getAttribute("d")).not.toBe(curves);
    for (const [format, start] of [
      ["SVG", "<svg xmlns="],
      ["PNG", "\u0089PNG"],
    ] as const) {
      await page.getByRole("button", { name: "Save a picture" }).click();
      const saved = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: `Save as ${format}` }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe(`things.${format.toLowerCase()}`);
      const content = readFileSync(await download.path());
      expect(content.toString("latin1").slice(0, start.length)).toBe(start);
      expect(content.length).toBeGreaterThan(4_000);
    }
  });

  journey("of twenty thousand things draws the nearest and says so", async ({ openPart }) => {
    const page = await openPart("graphs");
    await page.getByText("20,000", { exact: true }).click();
    await page.getByText("The nearest 1,000 cards are drawn.").waitFor();
    await card(page, "thing-0").waitFor();
    // Of a thousand cards those are in the page that are on the screen.
    expect(await page.locator(".graph-card").count()).toBeLessThan(150);
    if (!isWhole) return;
    await page.getByRole("button", { name: "Draw 1,000 more" }).click();
    await page.getByText("The nearest 2,000 cards are drawn.").waitFor();
  });
});
