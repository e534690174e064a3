// Takes long: whole tasks are done key by key.
import type { Locator, Page } from "playwright-core";
import { isWhole } from "@mainstay/testkit/sample.ts";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { tablesTooWide } from "./browser.ts";
import { journey, journeys } from "./journey.ts";
import { expectFocus, expectVisibleFocus, goBy, hasFocus, tabTo } from "./keyboard.ts";

/** The main tasks without a mouse: keys alone, the focus always visible, and back where it was after a dialog. */

journeys("by keyboard alone", () => {
  const dialogOf = (page: Page) => page.getByRole("dialog");
  const buttonOf = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

  journey("one signs in, and out again", async ({ open, server }) => {
    const page = await open();
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

  journey("a failing check is found, opened and run", async ({ openFilled }) => {
    const page = await openFilled();
    await page.goto("/health?groupBy=none");
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

  journey("the health page is filtered by a label", async ({ openFilled }) => {
    const page = await openFilled();
    await page.goto("/health?groupBy=none&hidePassing=false");
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

  journey("a check is added from a document", async ({ openAsAdmin, target }) => {
    const page = await openAsAdmin();
    await page.goto("/health");
    const add = buttonOf(page, "Add check");
    await tabTo(page, add);
    await page.keyboard.press("Enter");
    await tabTo(page, dialogOf(page).getByRole("button", { name: "Paste a document" }));
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

  journey("a person is invited, and gets another role", async ({ openAsAdmin }) => {
    const page = await openAsAdmin();
    await page.goto("/docs");
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
      steps < 60 && !(await row.evaluate((one) => one === document.activeElement));
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

  journey("a team gets a member", async ({ openFilled }) => {
    const page = await openFilled();
    await page.goto("/settings/teams");
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

  journey("a feature flag is added", async ({ openAsAdmin }) => {
    const page = await openAsAdmin();
    await page.goto("/settings/feature-flags");
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

  journey("an access token is created and revoked", async ({ openAsAdmin }) => {
    const page = await openAsAdmin();
    await page.goto("/settings/tokens");
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

  journey(
    "what opens on pages of the catalog closes with Escape and gives the keyboard back",
    async ({ openFilled }) => {
      const page = await openFilled({ width: 1024, height: 900 });
      const opened = page.locator("[role=dialog], [role=menu]");
      const opensAndCloses = async (trigger: Locator) => {
        await trigger.focus();
        await page.keyboard.press("Enter");
        await opened.first().waitFor();
        // The keyboard follows, so that it goes on there.
        await expect
          .poll(() => opened.last().evaluate((element) => element.contains(document.activeElement)))
          .toBe(true);
        await page.keyboard.press("Escape");
        await opened.first().waitFor({ state: "hidden" });
        await expectFocus(trigger);
      };
      const columns = "Columns and export";
      // What is on several pages is the same on each: it is tried on the first, unless all is wanted.
      const tried = new Set<string | RegExp>();
      for (const [address, triggers] of [
        ["/catalog", ["Preferences", "Health: All", "Labels: All", "Views", columns]],
        ["/catalog/changes", ["Change: All", "Views", /^Time range/, columns]],
        ["/catalog/insights", ["Views", columns]],
        ["/catalog/scrapers", ["Add scraper", columns]],
        ["/settings/integrations", ["Add integration", columns]],
      ] as const) {
        const own = triggers.filter((name) => isWhole || !tried.has(name));
        if (own.length === 0) continue;
        await page.goto(address);
        await page.getByRole("columnheader").first().waitFor();
        for (const name of own)
          await opensAndCloses(page.getByRole("button", { name, exact: true }).first());
        for (const name of own) tried.add(name);
      }
      for (const address of ["/catalog/changes", "/catalog/insights"]) {
        await page.goto(address);
        await opensAndCloses(page.locator("tbody tr[data-row-id]").first());
      }

      // There are columns for which there is no room, and the menu says so.
      await page.goto("/catalog/scrapers");
      const menu = page.getByRole("button", { name: columns });
      await menu.focus();
      await page.keyboard.press("Enter");
      const namespace = page.getByRole("menuitemcheckbox", { name: "Namespace no room" });
      await namespace.waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      const header = page.getByRole("columnheader", { name: "Namespace" });
      expect(await header.count()).toBe(0);
      const entries = await page.getByRole("menu").getByRole("menuitemcheckbox").count();
      for (let pressed = 0; !(await hasFocus(namespace)); pressed += 1) {
        expect(pressed, "Namespace is reached with ArrowDown").toBeLessThan(entries);
        await page.keyboard.press("ArrowDown");
      }
      await page.keyboard.press("Enter");
      await header.waitFor();
      expect(await tablesTooWide(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await expectFocus(menu);
      await page.reload();
      await header.waitFor();
    },
  );
});
