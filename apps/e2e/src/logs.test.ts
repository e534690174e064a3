import type { Page } from "playwright-core";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { journey, journeys } from "./journey.ts";

/** Sends lines to the server's own store, as a program would. */
async function send(page: Page, lines: readonly object[]): Promise<void> {
  const reply = await page.request.post("/api/logs/ingest", {
    headers: { "content-type": "application/x-ndjson" },
    data: lines.map((line) => JSON.stringify(line)).join("\n"),
  });
  expect(reply.status(), await reply.text()).toBe(200);
}

const line = (app: string, level: string, message: string) => ({
  timestamp: new Date().toISOString(),
  level,
  message,
  labels: { app },
});

journeys("lines that were sent", () => {
  journey("are searched, opened, narrowed and followed as they come", async ({ openAsAdmin }) => {
    const page = await openAsAdmin();
    await send(page, [
      line("quay", "info", "a crane <b>moves</b>"),
      line("quay", "error", "a crane stands still"),
      line("ship", "warn", "a crane is seen"),
    ]);

    await page.goto("/logs");
    const grid = page.getByRole("treegrid", { name: "Log lines" });
    await page.getByLabel("Search logs").first().fill("crane level>=info");
    await expect
      .poll(() => new URL(page.url()).searchParams.get("query"))
      .toBe("crane level>=info");
    await page.getByRole("status").filter({ hasText: "3 lines" }).waitFor();
    // As it was written, and not what that says.
    await grid.getByText("a crane <b>moves</b>").waitFor();
    await page.getByRole("region", { name: "Lines over time" }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);

    await grid.getByText("a crane stands still").click();
    await expect.poll(() => new URL(page.url()).searchParams.has("line")).toBe(true);
    // Whoever follows the address finds the same line open.
    await page.reload();
    await page.getByRole("table", { name: "Labels" }).waitFor();
    await page.getByRole("button", { name: "Only lines with this app" }).click();
    await page.getByRole("status").filter({ hasText: "2 lines" }).waitFor();
    expect(new URL(page.url()).searchParams.get("query")).toContain("app=quay");
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.getByRole("button", { name: "Live", exact: true }).click();
    await page.getByText("Live", { exact: true }).nth(1).waitFor();
    await send(page, [
      line("quay", "info", "a crane moves again"),
      line("ship", "info", "a crane is gone"),
    ]);
    await grid.getByText("a crane moves again").waitFor();
    expect(await grid.getByText("a crane is gone").count()).toBe(0);

    await page.goto("/logs?query=app%3Dnobody");
    await page.getByText("There are no logs matching the search query").waitFor();
    await page.goto("/logs?query=pod%3D~(");
    await page.getByText("the pattern cannot be read", { exact: false }).first().waitFor();
  });
});
