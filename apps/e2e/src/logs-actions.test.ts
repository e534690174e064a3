import { readFileSync } from "node:fs";
import { sample } from "@mainstay/testkit/sample.ts";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { journey, journeys } from "./journey.ts";

journeys("what is done with lines", () => {
  for (const theme of sample(["light", "dark"] as const, 1))
    journey(
      `they are left out, counted once, wrapped, chosen, copied and kept (${theme})`,
      async ({ openAsAdmin }) => {
        const page = await openAsAdmin({ theme });
        const app = `mill-${theme}`;
        const begun = Date.now() - 60_000;
        const line = (second: number, level: string, message: string, wheel: string) => ({
          timestamp: new Date(begun + second * 1000).toISOString(),
          level,
          message,
          labels: { app, wheel },
        });
        const send = async (...lines: object[]) => {
          const reply = await page.request.post("/api/logs/ingest", { data: lines });
          expect(reply.status(), await reply.text()).toBe(200);
        };
        const long = `a long turn ${"of the wheel ".repeat(40)}at its end`;
        await send(
          line(1, "info", "the mill starts", "one"),
          line(2, "warn", "the wheel creaks", "one"),
          line(3, "warn", "the wheel creaks", "one"),
          line(4, "warn", "the wheel creaks", "one"),
          line(5, "error", "the wheel stands still", "two"),
          line(6, "info", long, "two"),
        );
        const params = () => new URL(page.url()).searchParams;
        const count = (text: string) =>
          page.getByRole("status").filter({ hasText: new RegExp(`^${text}$`) });
        const grid = page.getByRole("treegrid", { name: "Log lines" });
        const row = (text: string) => grid.getByRole("row").filter({ hasText: text });
        const chosen = async () => {
          await expect.poll(() => params().get("selected")?.split(" ").length ?? 0).toBe(2);
          await page.getByText("2 chosen").waitFor();
        };
        const read = () => page.evaluate(() => navigator.clipboard.readText());

        await page.goto(`/logs?query=app%3D${app}`);
        await count("6 lines").waitFor();

        // Said three times in a row, shown once.
        await page.getByRole("button", { name: "Show repeated lines once" }).click();
        await row("×3").waitFor();
        expect(await row("the wheel creaks").count()).toBe(1);
        expect(params().get("dedupe")).toBe("true");
        await page.getByRole("button", { name: "Show repeated lines once" }).click();
        await expect.poll(() => row("the wheel creaks").count()).toBe(3);

        // Three lines of it, or all.
        const height = () =>
          row("a long turn").evaluate((one) => one.getBoundingClientRect().height);
        const low = await height();
        await page.getByRole("button", { name: "Wrap lines" }).click();
        await expect.poll(height).toBeGreaterThan(low);
        await page.reload();
        await count("6 lines").waitFor();
        expect(await height()).toBeGreaterThan(low);
        await page.getByRole("button", { name: "Wrap lines" }).click();
        await expect.poll(height).toBe(low);

        // Chosen lines stand in the address, and are copied with their times, the oldest first.
        await row("the mill starts").click({ modifiers: ["Shift"] });
        await row("the wheel stands still").focus();
        await page.keyboard.press("Space");
        await chosen();
        await page.reload();
        await chosen();
        await page.getByRole("button", { name: "Copy chosen lines" }).click();
        await expect.poll(read).toMatch(/^\S+ the mill starts\n\S+ the wheel stands still$/);
        await page.getByRole("button", { name: "Choose none" }).click();
        await expect.poll(() => params().has("selected")).toBe(false);

        // An open line is copied as text, as JSON and as a link to it.
        await row("the wheel stands still").click();
        await page.getByRole("button", { name: "Copy line" }).click();
        await expect.poll(read).toBe("the wheel stands still");
        await page.getByRole("button", { name: "Copy JSON" }).click();
        await expect
          .poll(async () => JSON.parse(await read()) as unknown)
          .toMatchObject({ message: "the wheel stands still", labels: { app, wheel: "two" } });
        await grid.getByRole("button", { name: "Copy link" }).click();
        await expect.poll(read).toContain(`line=${params().get("line")}`);
        await page.getByRole("button", { name: "Before and after" }).click();
        const around = page.getByRole("list", { name: "Lines before and after" });
        await around.getByText("a long turn").waitFor();
        const own = around.locator("[aria-current=true]");
        await expect.poll(() => own.textContent()).toContain("the wheel stands still");
        await expect
          .poll(() =>
            own.evaluate((one) => {
              const { top, bottom } = one.getBoundingClientRect();
              const box = one.parentElement!.getBoundingClientRect();
              return top >= box.top && bottom <= box.bottom;
            }),
          )
          .toBe(true);
        expect(await accessibilityFindings(page)).toEqual([]);

        // Left out by a label, and by a level in the legend.
        await page.getByRole("button", { name: "Leave out lines with this wheel" }).click();
        await count("4 lines").waitFor();
        expect(params().get("query")).toBe(`app=${app} -wheel=two`);
        await page.getByRole("button", { name: /^warn/ }).click();
        await count("1 line").waitFor();
        await row("the mill starts").waitFor();
        expect(params().get("query")).toBe(`app=${app} -wheel=two -level=warn`);
        await page.goBack();
        await count("4 lines").waitFor();

        // A file of what is shown: of text in one theme, of JSON in the other.
        const [format, holds] =
          theme === "light"
            ? (["As text", /the mill starts/] as const)
            : (["As JSON", /"message":\s*"the mill starts"/] as const);
        await page.getByRole("button", { name: "Download" }).click();
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("menuitem", { name: format }).click(),
        ]);
        const text = readFileSync(await file.path(), "utf8");
        expect(text).toMatch(holds);
        expect(text.match(/the wheel creaks/g)).toHaveLength(3);
        expect(text).not.toContain("stands still");

        // While it is paused what comes waits, and is counted.
        await page.getByRole("button", { name: "Live", exact: true }).click();
        await page.getByText("Live", { exact: true }).nth(1).waitFor();
        await page.getByRole("button", { name: "Pause" }).click();
        await page.getByText("Paused", { exact: true }).waitFor();
        const later = { level: "info", labels: { app, wheel: "one" } };
        await send({ ...later, message: "the mill stops" });
        await page.getByText("1 came meanwhile").waitFor();
        expect(await row("the mill stops").count()).toBe(0);
        expect(await accessibilityFindings(page)).toEqual([]);
        await page.getByRole("button", { name: "Go on" }).click();
        await row("the mill stops").waitFor();
      },
    );
});
