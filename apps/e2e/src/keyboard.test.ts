// Takes long: whole tasks are done key by key.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  browserMissing,
  launchBrowser,
  signedIn,
  type State,
  type Visit,
  visit,
} from "./browser.ts";
import { fillServer } from "./fill-server.ts";
import { expectFocus, expectVisibleFocus, goBy, tabTo } from "./keyboard.ts";
import { type RunningServer, startServer } from "./server.ts";
import { startTarget, type Target } from "./target.ts";

/** The main tasks without a mouse: keys alone, the focus always visible, and back where it was after a dialog. */

if (browserMissing) process.stderr.write(`SKIPPED ${browserMissing}\n`);

describe.skipIf(browserMissing)("by keyboard alone", () => {
  let server: RunningServer;
  let browser: Browser;
  let target: Target;
  let state: State;
  let current: Visit | undefined;

  beforeAll(async () => {
    [server, browser, target] = await Promise.all([startServer(), launchBrowser(), startTarget()]);
    target.answer(500);
    state = await signedIn(browser, server);
    const { context } = await visit(browser, server.address, { state });
    await fillServer(context.request, target.address);
    await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await target?.close();
  });
  afterEach(async () => {
    const problems = current?.problems ?? [];
    await current?.context.close();
    current = undefined;
    expect(problems).toEqual([]);
  });

  async function open(address: string, as?: State): Promise<Page> {
    current = await visit(browser, server.address, { state: as ?? state });
    current.page.setDefaultTimeout(15_000);
    await current.page.goto(address);
    return current.page;
  }

  const dialogOf = (page: Page) => page.getByRole("dialog");
  const buttonOf = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

  test("one signs in, and out again", async () => {
    current = await visit(browser, server.address);
    const { page } = current;
    await page.goto("/login?return_to=%2Fdocs");
    await tabTo(page, page.locator("input[name=identifier]"));
    await page.keyboard.type(server.email);
    await tabTo(page, page.locator("input[name=password]"));
    await page.keyboard.type(server.password);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs$/);

    await tabTo(page, buttonOf(page, "User menu"));
    await page.keyboard.press("Enter");
    const last = page.getByRole("menuitem", { name: "Sign out" });
    await last.waitFor();
    await page.keyboard.press("Escape");
    await expectFocus(buttonOf(page, "User menu"));
    await page.keyboard.press("Enter");
    // It is seen a moment before its first item has the keyboard.
    await expectFocus(page.getByRole("menuitem").first());
    await page.keyboard.press("End");
    await expectFocus(last);
    await expectVisibleFocus(page);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/login/);
  });

  test("a failing check is found, opened and run", async () => {
    const page = await open("/health?groupBy=none");
    const row = page.getByRole("row").filter({ hasText: "orders page" });
    await row.waitFor();
    await page.keyboard.press("/");
    await expectFocus(page.getByPlaceholder("Search by name, description, or endpoint"));
    await expectVisibleFocus(page);
    await page.keyboard.type("orders");
    await page.waitForURL(/query=orders/);
    await tabTo(page, row);
    await page.keyboard.press("Enter");
    await page.waitForURL(/checkId=/);
    const failed = dialogOf(page).getByRole("row").filter({ hasText: "Failed" });
    await failed.first().waitFor();
    const before = await failed.count();
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Run Now" }));
    await page.keyboard.press("Enter");
    await expect.poll(() => failed.count(), { timeout: 20_000 }).toBe(before + 1);
    await page.keyboard.press("Escape");
    await dialogOf(page).waitFor({ state: "detached" });
    await expectFocus(row);
  });

  test("the health page is filtered by a label", async () => {
    const page = await open("/health?groupBy=none&hidePassing=false");
    await page.getByRole("row").filter({ hasText: "answers" }).first().waitFor();
    const trigger = page.getByRole("complementary", { name: "Filters" }).getByRole("button", {
      name: /team/,
    });
    await tabTo(page, trigger);
    await page.keyboard.press("Enter");
    const popup = page.getByRole("dialog", { name: "Values of team" });
    await popup.waitFor();
    await tabTo(page, popup.getByRole("button", { name: "Select all" }));
    await page.keyboard.press("Enter");
    await page.waitForURL(/labels=/);
    await page.getByRole("row").filter({ hasText: "answers" }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await expectFocus(trigger);
  });

  test("a check is added from a document", async () => {
    const page = await open("/health");
    const add = buttonOf(page, "Add check");
    await tabTo(page, add);
    await page.keyboard.press("Enter");
    const editor = page.getByRole("textbox", { name: "Canary document" });
    await tabTo(page, editor);
    await page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      [
        "apiVersion: canaries.flanksource.com/v1",
        "kind: Canary",
        "metadata: { name: by-keyboard }",
        "spec:",
        '  schedule: "@every 1h"',
        "  http:",
        "    - name: typed",
        `      url: ${target.address}`,
        "",
      ].join("\n"),
    );
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+v");
    // Tab writes in an editor, until Control+M says that it leaves.
    await page.keyboard.press("Control+m");
    await page.keyboard.press("Tab");
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Review changes" }));
    await page.keyboard.press("Enter");
    const save = dialogOf(page).getByRole("button", { name: "Save" });
    await save.waitFor();
    await expectFocus(save);
    await page.keyboard.press("Enter");
    await page.getByText("by-keyboard saved").waitFor();
    await dialogOf(page).waitFor({ state: "detached" });
    await expectFocus(add);
  });

  test("a person is invited, and gets another role", async () => {
    const page = await open("/docs");
    await page.getByRole("button", { name: "Search", exact: true, disabled: false }).waitFor();
    await goBy(page, "Users", /\/settings\/users/);
    const invite = buttonOf(page, "Invite User");
    await tabTo(page, invite);
    await page.keyboard.press("Enter");
    await expectFocus(dialogOf(page).getByLabel("First name"));
    await page.keyboard.type("Kay");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Board");
    await page.keyboard.press("Tab");
    await page.keyboard.type("kay@example.com");
    await tabTo(page, dialogOf(page).getByLabel("Role"));
    await page.keyboard.type("Viewer");
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Invite" }));
    await page.keyboard.press("Enter");
    await page.getByText("Kay Board invited successfully").waitFor();
    await page.getByLabel("Link of the invitation").waitFor();
    await page.keyboard.press("Escape");
    await expectFocus(invite);

    const row = page.getByRole("row").filter({ hasText: "kay@example.com" });
    await tabTo(page, page.getByRole("row").and(page.locator("tbody tr[tabindex='0']")));
    for (
      let steps = 0;
      steps < 20 && !(await row.evaluate((one) => one === document.activeElement));
      steps += 1
    )
      await page.keyboard.press("j");
    await expectFocus(row);
    await expectVisibleFocus(page);
    await page.keyboard.press("Enter");
    await tabTo(page, dialogOf(page).getByLabel("Role"));
    await page.keyboard.type("Editor");
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Update" }));
    await page.keyboard.press("Enter");
    await page.getByText("Kay Board updated successfully").waitFor();
    await row.getByText("editor").waitFor();
    await expectFocus(row);
  });

  test("a team gets a member", async () => {
    const page = await open("/settings/teams");
    const row = page.getByRole("row").filter({ hasText: "Night shift" });
    await row.waitFor();
    await page.keyboard.press("/");
    await expectFocus(page.getByRole("searchbox", { name: "Search teams" }));
    await page.keyboard.type("night");
    await tabTo(page, row);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/settings\/teams\/.+/);
    const add = buttonOf(page, "Add users");
    await tabTo(page, add);
    await page.keyboard.press("Enter");
    await dialogOf(page).getByRole("checkbox").first().waitFor();
    await expectFocus(dialogOf(page).getByLabel("Search users"));
    await page.keyboard.press("Tab");
    await expectFocus(dialogOf(page).getByRole("checkbox"));
    await page.keyboard.press("Space");
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Add", exact: true }));
    await page.keyboard.press("Enter");
    await page.getByText(/added to the team successfully/).waitFor();
    await expectFocus(add);
  });

  test("a feature flag is added", async () => {
    const page = await open("/settings/feature-flags");
    const add = buttonOf(page, "Add feature flag");
    await tabTo(page, add);
    await page.keyboard.press("Enter");
    await tabTo(page, dialogOf(page).getByLabel("Name"));
    await page.keyboard.type("by.keyboard");
    await tabTo(page, dialogOf(page).getByLabel("Value"));
    await page.keyboard.type("true");
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Save" }));
    await page.keyboard.press("Enter");
    await page.getByText("Feature flag added successfully").waitFor();
    await page.getByRole("row").filter({ hasText: "by.keyboard" }).waitFor();
    await expectFocus(add);
  });

  test("an access token is created and revoked", async () => {
    const page = await open("/settings/tokens");
    const create = buttonOf(page, "Create access token");
    await tabTo(page, create);
    await page.keyboard.press("Enter");
    await expectFocus(dialogOf(page).getByLabel("Name"));
    await page.keyboard.type("typed");
    await page.keyboard.press("Enter");
    await page.getByLabel("Token", { exact: true }).waitFor();
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Close" }));
    await page.keyboard.press("Enter");
    await expectFocus(create);
    const revoke = buttonOf(page, "Revoke typed");
    await tabTo(page, revoke);
    await page.keyboard.press("Enter");
    await expectFocus(dialogOf(page).getByRole("button", { name: "Cancel" }));
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Revoke" }));
    await page.keyboard.press("Enter");
    await page.getByText("typed revoked").waitFor();
    await dialogOf(page).waitFor({ state: "detached" });
    // The row, and the button with it, is gone: the focus is still somewhere.
    await page.keyboard.press("Tab");
    await expectVisibleFocus(page);
  });
});
