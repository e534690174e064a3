// Takes long: checks run by the clock, and pages are seen to follow.
import { readFileSync } from "node:fs";
import { isWhole, sample } from "@mainstay/testkit/sample.ts";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { overflow, paste, signIn } from "./browser.ts";
import { journey, journeys } from "./journey.ts";

const seconds = (count: number) => ({ timeout: count * 1000 });

const documentOf = (name: string, target: string) => `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
  namespace: health
  labels:
    team: web
spec:
  schedule: "@every 1h"
  severity: high
  http:
    - name: ${name} page
      url: ${target}
      responseCodes: [200]
`;

const leavesReport = {
  name: "leaves a report",
  script: "echo fine > report.txt",
  artifacts: [{ path: "*.txt" }],
};

journeys("the Health page", () => {
  journey(
    "a first visitor signs in and sees Mainstay's own checks, which really ran",
    async ({ open, server }) => {
      const page = await open();
      await page.goto("/");
      await page.waitForURL(/\/login\?/);
      await page
        .getByLabel(/password/i)
        .first()
        .fill("wrong password");
      await page.locator("input[name=identifier]").fill(server.email);
      await page.keyboard.press("Enter");
      await page
        .getByText(/not (right|correct|valid)|wrong|incorrect|invalid/i)
        .first()
        .waitFor();
      await page
        .getByLabel(/password/i)
        .first()
        .fill(server.password);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/topology$/);

      await page.goto("/health?hidePassing=false&groupBy=none");
      const rows = page.getByRole("row");
      for (const name of ["answers", "database", "scheduler", "name resolution", "free space"]) {
        await rows.filter({ hasText: name }).first().waitFor();
      }
      // Each has run within the last minute, and says so.
      await expect
        .poll(async () => {
          const reply = await page.request.get("/api/canary/api/summary");
          const { checks_summary: checks } = (await reply.json()) as {
            checks_summary: { namespace: string; status: string; uptime: { passed: number } }[];
          };
          return checks.filter(
            ({ namespace, status, uptime }) =>
              namespace === "mainstay" && status === "healthy" && uptime.passed > 0,
          ).length;
        }, seconds(60))
        .toBe(5);
    },
  );

  journey(
    "a document is tried, saved, fails, is repaired, and its history tells",
    async ({ openAsAdmin, target }) => {
      const page = await openAsAdmin();
      await page.goto("/health");
      target.answer(500);
      await page.getByRole("button", { name: "Add check" }).click();
      await page.getByRole("button", { name: "Paste a document" }).click();
      await paste(page, "Canary document", documentOf("invoices", target.address));
      await page.getByRole("button", { name: "Run once" }).click();
      const results = page.getByRole("region", { name: "Results" });
      await results.getByText(/500/).first().waitFor();
      // The dry run stored nothing.
      const stored = await page.request.get("/api/db/canaries?name=eq.invoices");
      expect(await stored.json()).toEqual([]);

      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("invoices saved").waitFor();
      const search = page.getByPlaceholder("Search by name, description, or endpoint");
      await search.fill("invoices page");
      await page.waitForURL(/query=invoices/);
      const group = page.getByRole("row").filter({ hasText: "invoices" });
      await group.first().waitFor();
      await page.goto("/health?groupBy=none&query=invoices");
      await page.getByRole("row").filter({ hasText: "invoices page" }).first().click();
      await page.waitForURL(/checkId=/);
      const dialog = page.getByRole("dialog");
      const history = dialog.getByRole("row").filter({ hasText: "Failed" });
      await history.first().waitFor();
      const failedBefore = await history.count();

      const runNow = dialog.getByRole("button", { name: "Run Now" });
      await runNow.click();
      await expect.poll(() => history.count(), seconds(20)).toBe(failedBefore + 1);

      target.answer(200);
      await runNow.click();
      await dialog.getByRole("row").filter({ hasText: "Passed" }).first().waitFor();
      await dialog.getByText(/1 passed, 2 failed/).waitFor();
      // What is said of it stands above the dialog.
      await dialog.getByRole("button", { name: /^Copy/ }).first().click();
      const toast = page.getByRole("status").filter({ hasText: "Copied to clipboard" });
      await toast.getByRole("button", { name: "Dismiss" }).click();
      await toast.waitFor({ state: "detached" });
      await dialog
        .getByRole("region", { name: "Result of Run Now" })
        .getByText(/^Passed/)
        .waitFor();

      // The chart is zoomed with the pointer; Escape leads back and closes nothing, as do the button and two clicks.
      const chart = dialog.getByRole("group", { name: /^Duration of runs.*1 passed, 2 failed/ });
      await chart.waitFor();
      const box = (await chart.boundingBox())!;
      const range = () => new URL(page.url()).searchParams.get("checkRange");
      const before = range();
      const zoomOut = dialog.getByRole("button", { name: "Zoom out" });
      for (const back of [
        () => page.keyboard.press("Escape"),
        () => zoomOut.click(),
        () => page.mouse.dblclick(box.x + box.width * 0.5, box.y + 60),
      ]) {
        await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 3 });
        await page.mouse.up();
        await page.waitForURL(/checkRange=20\d\d-/);
        await dialog.getByText("No results in this range.").first().waitFor();
        await zoomOut.waitFor();
        await back();
        await expect.poll(range).toBe(before);
        await chart.waitFor();
      }
      await dialog.getByRole("tab", { name: "Spec" }).click();
      await dialog.getByText(target.address).first().waitFor();

      // Its document is tried and saved in the same way, and leads back to where it was opened.
      await dialog.getByRole("link", { name: "Edit" }).click();
      await page.waitForURL(/\/settings\/canaries\//);
      await page.getByRole("button", { name: "Run once" }).click();
      await page.getByText("Ran 1 check: all passed. Nothing was stored.").waitFor();
      await paste(page, "Document", documentOf("invoices", target.address).replace("high", "low"));
      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByRole("button", { name: "Update" }).click();
      await page.waitForURL(/\/health\?.*checkId=/);
      await dialog.waitFor();

      // What a script leaves is carried away from its history. As an ordinary user scripts are off.
      if (process.getuid?.() !== 0) return;
      const spec = { schedule: "@every 1h", exec: [leavesReport] };
      await page.request.post("/api/db/canaries", { data: { name: "leaving", spec } });
      await page.goto("/health?hidePassing=false&groupBy=none&query=leaves a report");
      await page.getByRole("row").filter({ hasText: "leaves a report" }).first().click();
      await dialog.getByRole("row").filter({ hasText: "Passed" }).first().focus();
      await page.keyboard.press("Enter");
      const started = page.waitForEvent("download");
      await dialog.getByRole("link", { name: "report.txt" }).press("Enter");
      expect(readFileSync(await (await started).path(), "utf8")).toBe("fine\n");
      expect(await accessibilityFindings(page)).toEqual([]);
    },
  );

  journey(
    "what is wrong with a document is told with its place, and nothing is saved or lost",
    async ({ openAsAdmin, target }) => {
      const page = await openAsAdmin();
      await page.goto("/health");
      await page.getByRole("button", { name: "Add check" }).click();
      await page.getByRole("tab", { name: "YAML" }).click();
      const text = documentOf("broken", target.address).replace(
        '"@every 1h"',
        '"every now and then"',
      );
      await paste(page, "Canary document", text);
      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByText(/Nothing was saved: 1 problem/).waitFor();
      await page
        .getByText(/spec\.schedule/)
        .first()
        .waitFor();
      expect(await (await page.request.get("/api/db/canaries?name=eq.broken")).json()).toEqual([]);
      // The open dialog is part of the address; what was typed is in it again.
      await page.reload();
      await page.getByText("every now and then").waitFor();
    },
  );

  journey(
    "a heartbeat is given an address, and what calls it is heard",
    async ({ openAsAdmin }) => {
      const page = await openAsAdmin();
      await page.goto("/health?hidePassing=false&groupBy=none&query=scheduler");
      await page.getByRole("row").filter({ hasText: "scheduler" }).first().click();
      await page.getByRole("button", { name: "Address" }).click();
      await page.getByRole("button", { name: "Make address" }).click();
      const url = await page.getByText(/\/api\/canary\/beat\/[\w-]{20,}/).innerText();
      expect((await fetch(url)).status).toBe(200);
      expect((await fetch(`${url}x`)).status).toBe(404);
    },
  );

  journey(
    "the address is the view: filters, tab and dialog survive a reload, and Back undoes them",
    async ({ openAsAdmin }) => {
      const page = await openAsAdmin();
      await page.goto("/health");
      await page.getByRole("switch", { name: "Hide Passing" }).click();
      await page.waitForURL(/hidePassing=false/);
      await page.getByRole("tab", { name: "mainstay" }).click();
      await page.waitForURL(/mainstay/);
      await page.reload();
      await page.getByRole("tab", { name: "mainstay", selected: true }).waitFor();
      await expect
        .poll(() => page.getByRole("switch", { name: "Hide Passing" }).isChecked())
        .toBe(false);
      await page.goBack();
      await page.getByRole("tab", { name: "All", selected: true }).waitFor();
    },
  );

  journey(
    "signing out ends the session, and the next sign-in returns to the same page",
    async ({ open, server }) => {
      const page = await open();
      // The session of its own, not the one that others use.
      await signIn(page, server);
      await page.goto("/health?groupBy=none&query=answers");
      await page.getByRole("button", { name: "User menu" }).click();
      const signOut = page.getByRole("menuitem", { name: "Sign out" });
      await signOut.click();
      await page.waitForURL(/\/login\?.*return_to/);
      expect((await page.request.get("/api/auth/whoami")).status()).toBe(401);
      await page.locator("input[name=identifier]").fill(server.email);
      await page
        .getByLabel(/password/i)
        .first()
        .fill(server.password);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/health\?.*query=answers/);
    },
  );

  for (const theme of sample(["light", "dark"] as const, 1)) {
    journey(
      `no serious accessibility finding in cards and dialogs, ${theme}`,
      async ({ openAsAdmin }) => {
        const page = await openAsAdmin({ theme });
        await page.goto("/health?hidePassing=false&layout=card");
        await page
          .getByRole("button", { name: "Open answers" })
          .or(page.getByText("answers"))
          .first()
          .waitFor();
        expect(await accessibilityFindings(page)).toEqual([]);
        await page.goto("/health?hidePassing=false&groupBy=none");
        await page.getByRole("row").filter({ hasText: "answers" }).first().click();
        await page.getByRole("dialog").getByRole("row").nth(1).waitFor();
        expect(await accessibilityFindings(page)).toEqual([]);
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Add check" }).click();
        await page.getByRole("searchbox", { name: "Search check types" }).fill("http");
        await page.keyboard.press("Enter");
        await page.getByRole("textbox", { name: "URL" }).fill("nowhere");
        await page.getByRole("button", { name: "More fields" }).click();
        await page
          .getByRole("region", { name: "Check" })
          .getByText("Scripts", { exact: true })
          .click();
        expect(await accessibilityFindings(page)).toEqual([]);
        await page.getByRole("tab", { name: "YAML" }).click();
        await page.getByRole("textbox", { name: "Canary document" }).waitFor();
        expect(await accessibilityFindings(page)).toEqual([]);
      },
    );
  }

  journey(
    "a page that is left open does not stay green when the server is gone",
    async ({ openAsAdmin, provoked }) => {
      provoked.push(/ERR_CONNECTION_REFUSED|ERR_FAILED/);
      const page = await openAsAdmin();
      await page.clock.install();
      await page.goto("/health?hidePassing=false&groupBy=none");
      const row = page.getByRole("row").filter({ hasText: "answers" });
      await row
        .getByRole("img", { name: /^Healthy/ })
        .first()
        .waitFor();
      await page.route("**/api/**", (route) => route.abort("connectionrefused"));
      await page.clock.fastForward("10:00");
      await row.getByText(/^no result for \d+ min$/).waitFor();
      await page.getByText(/^No answer from the server for .+; what you see is from /).waitFor();
      await expect.poll(() => row.getByRole("img", { name: /^Healthy/ }).count()).toBe(0);
    },
  );

  // What fits 1024 fits 1280, but for what is left out at the smaller one.
  for (const width of isWhole ? [1280, 1024, 390] : [1024, 390]) {
    journey(`nothing scrolls sideways at ${width} pixels`, async ({ openAsAdmin }) => {
      const page = await openAsAdmin({ width, height: 844 });
      // The list has a column more where something ends some day.
      await page.route("**/api/canary/api/summary*", async (route) => {
        const response = await route.fetch();
        if (response.status() !== 200) return route.fulfill({ response });
        const json = (await response.json()) as { checks_summary: { expires_at?: string }[] };
        json.checks_summary[0]!.expires_at = "2040-01-01T00:00:00Z";
        return route.fulfill({ response, json });
      });
      await page.goto("/health?hidePassing=false&groupBy=none");
      await page.getByText("answers").first().waitFor();
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      if (width >= 1024) {
        await page.getByRole("columnheader", { name: "Expires" }).waitFor();
        const list = page.getByRole("treegrid", { name: "Checks" }).locator("xpath=..");
        await expect.poll(() => overflow(list)).toBeLessThanOrEqual(0);
        // Of a strip that has too little room the newest are seen.
        const strip = list.getByRole("gridcell").locator("svg[role=img][height='20']").last();
        const [bars, cell] = await strip.evaluate((drawn) => [
          drawn.getBoundingClientRect().right,
          drawn.closest("td, [role=gridcell]")!.getBoundingClientRect().right,
        ]);
        expect(bars).toBeLessThanOrEqual(cell);
      }
      await page.getByText("answers").first().click();
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      // On a low screen a run that is opened lies below the list's pages, and not over them.
      await page.setViewportSize({ width, height: 768 });
      await dialog.getByRole("row").filter({ hasText: "Passed" }).first().click();
      const run = dialog.getByRole("region", { name: "Run", exact: true });
      const pages = dialog.getByRole("button", { name: "Next", exact: true });
      const [above, below] = await Promise.all([pages.boundingBox(), run.boundingBox()]);
      expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y);
    });
  }
});

journeys("the bar of the Health page", () => {
  journey("is one line from 1024 pixels on, also with a pivot", async ({ openAsAdmin }) => {
    const page = await openAsAdmin();
    // What is grouped by may be called anything: a choice is as wide as the longest of its words.
    const wide = `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata:\n  name: wide\n  namespace: bar\n  labels: { "${"long.".repeat(10)}example.org/part-of": shop }\nspec:\n  schedule: "@never"\n  tcp: [{ name: wide, endpoint: "127.0.0.1:1" }]\n`;
    const applied = await page.request.post("/api/documents", {
      data: wide,
      headers: { "content-type": "application/yaml" },
    });
    expect(await applied.json()).toMatchObject({ documents: [{ outcome: "created" }] });
    await page.goto("/health?hidePassing=false&pivotBy=namespace");
    await page.getByRole("combobox", { name: "Cells" }).waitFor();
    await expect
      .poll(() => page.getByRole("combobox", { name: "Tab By" }).locator("option").allInnerTexts())
      .toContain(`${"long.".repeat(10)}example.org/part-of`);
    const bar = page.getByRole("search");
    const field = bar.getByRole("searchbox");
    const refresh = bar.getByRole("combobox", { name: /Refresh/ });
    for (const width of [1536, 1440, 1280, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      // What has no room in it stands beside the list, or is a press away.
      if (width < 1280) await page.getByRole("button", { name: "Filters" }).click();
      await page.getByRole("combobox", { name: "Pivot By" }).waitFor();
      const [first, last] = await Promise.all([field.boundingBox(), refresh.boundingBox()]);
      expect([width, last!.y < first!.y + first!.height]).toEqual([width, true]);
    }
    await page.request.delete("/api/documents/canary/bar/wide");
  });
});

journeys("checker-only", () => {
  journey(
    "shows the health page alone, without signing in, and changes nothing",
    async ({ openAt, startOwn }) => {
      const server = await startOwn({ args: ["--checker-only"] });
      const page = await openAt(server.address);
      await page.goto("/");
      await page.waitForURL(/\/health/);
      await page.goto("/health?hidePassing=false&groupBy=none");
      await page.getByRole("row").filter({ hasText: "answers" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Last run").waitFor();
      const run = dialog.getByRole("button", { name: "Run Now" });
      await expect.poll(() => run.getAttribute("aria-disabled")).toBe("true");
      await expect.poll(() => run.getAttribute("data-tooltip")).toBe("This server is read-only.");
      await expect.poll(() => page.getByRole("button", { name: "Add check" }).count()).toBe(0);
      const refused = await page.request.post("/api/db/canaries", {
        data: { name: "x", namespace: "x", spec: {} },
      });
      expect(refused.status()).toBe(403);
      expect((await page.request.get("/api/db/people")).status()).toBe(403);
    },
  );
});
