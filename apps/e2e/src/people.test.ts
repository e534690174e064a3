// Takes long: two people work beside each other, each in a browser of their own.
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { followMoves, movedOn, settled, signIn } from "./browser.ts";
import { journey, journeys } from "./journey.ts";
import { readAccess } from "./server.ts";

/** People, roles, teams and flags, through the console of a real server. */

journeys("people", () => {
  /** Invites somebody in the console and gives what the dialog shows. */
  async function invite(page: Page, first: string, email: string, role: string): Promise<string> {
    await page.goto("/settings/users");
    await page.getByRole("button", { name: "Invite User" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("First name").fill(first);
    await dialog.getByLabel("Last name").fill("Example");
    await dialog.getByLabel("Email").fill(email);
    await dialog.getByLabel("Role").selectOption(role);
    await dialog.getByRole("button", { name: "Invite" }).click();
    await page.getByText(`${first} Example invited successfully`).waitFor();
    const link = await page.getByLabel("Link of the invitation").inputValue();
    await page.getByRole("button", { name: "Close" }).last().click();
    return link;
  }

  const password = "plenty of pears in march";

  /** Follows an invitation and chooses a password. */
  async function accept(page: Page, link: string): Promise<Page> {
    await page.goto(link);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(/profile-settings/);
    await page.getByLabel("New password").fill(password);
    await page
      .getByRole("region", { name: "Password" })
      .or(page.locator("section").filter({ has: page.getByLabel("New password") }))
      .getByRole("button", { name: "Save" })
      .first()
      .click();
    await page.getByText(/saved/i).first().waitFor();
    return page;
  }

  journey(
    "an invited person chooses a password, signs in, and sees what the role allows",
    async ({ open, openAsAdmin }) => {
      const admin = await openAsAdmin();
      const link = await invite(admin, "Vera", "vera@example.com", "viewer");
      const guest = await accept(await open(), link);
      // The page would notice, and go to the sign-in page by itself at the same time.
      await guest.goto("about:blank");
      await guest.context().clearCookies();
      await signIn(guest, { email: "vera@example.com", password });
      await guest.getByRole("navigation").first().waitFor();
      await expect.poll(() => guest.getByRole("button", { name: "Settings" }).count()).toBe(0);
      await guest.goto("/settings/users");
      await guest
        .getByText("Unauthorized - You do not have permission to access this page")
        .waitFor();
      // The link works once.
      const again = await open();
      await again.goto(link);
      await again.getByRole("alert").or(again.getByText(/link/i)).first().waitFor();
      await expect.poll(() => again.getByRole("button", { name: "Continue" }).count()).toBe(0);
    },
  );

  journey(
    "a change by one is seen by the other within moments, without a reload",
    async ({ open, openAsAdmin, server }) => {
      const admin = await openAsAdmin();
      const guest = await accept(
        await open(),
        await invite(admin, "Eddie", "eddie@example.com", "viewer"),
      );
      await guest.goto("/health");
      await expect.poll(() => guest.getByRole("button", { name: "Settings" }).count()).toBe(0);
      await admin.getByText("eddie@example.com").click();
      await admin.getByRole("dialog").getByLabel("Role").selectOption("editor");
      await admin.getByRole("dialog").getByRole("button", { name: "Update" }).click();
      await admin.getByText("Eddie Example updated successfully").waitFor();
      // His own rights: the navigation follows.
      await guest.getByRole("button", { name: "Settings" }).click();
      await guest.getByRole("link", { name: "Teams" }).click();
      await guest.getByRole("heading", { name: "Teams" }).waitFor();
      // A row that somebody else makes.
      await admin.goto("/settings/teams");
      await admin.getByRole("button", { name: "Add team" }).first().click();
      await admin.getByRole("dialog").getByLabel("Name").fill("Evening shift");
      await admin.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await guest.getByText("Evening shift").waitFor();
      // A switched-off feature is gone from the navigation; for other journeys it is there again in any case.
      const flag = "/api/db/properties?name=eq.settings.teams.disable";
      onTestFinished(async () => {
        const { token } = await readAccess(server.dataDir);
        const headers = { authorization: `Bearer ${token}` };
        const { ok } = await fetch(`${server.address}${flag}`, { method: "DELETE", headers });
        expect(ok).toBe(true);
      });
      await admin.goto("/settings/feature-flags");
      await admin.getByRole("button", { name: "Add feature flag" }).first().click();
      await admin.getByRole("dialog").getByLabel("Name").fill("settings.teams.disable");
      await admin.getByRole("dialog").getByLabel("Value").fill("true");
      await admin.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await admin.getByText("Feature flag added successfully").waitFor();
      await guest.getByText("Page not found").first().waitFor();
      await expect.poll(() => guest.getByRole("link", { name: "Teams" }).count()).toBe(0);
      await admin.getByText("settings.teams.disable").click();
      await admin.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await admin.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await guest.getByText("Evening shift").waitFor();
    },
  );

  journey("who is deleted is signed out everywhere", async ({ open, openAsAdmin }) => {
    const admin = await openAsAdmin();
    const guest = await accept(
      await open(),
      await invite(admin, "Gone", "gone@example.com", "editor"),
    );
    await guest.goto("/settings/teams");
    await guest.getByRole("heading", { name: "Teams" }).waitFor();
    await admin.goto("/settings/users");
    await admin.getByText("gone@example.com").click();
    await admin.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await admin.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await admin.getByText("user deleted successfully").waitFor();
    // The stream of changes tells their page, which leaves by itself.
    await guest.waitForURL(/\/login/);
    await admin.goto("/settings/audit?query=people");
    await admin
      .getByText(/^deleted user/)
      .first()
      .waitFor();
  });

  journey("what comes late moves nothing on the page", async ({ openAsAdmin }) => {
    const page = await openAsAdmin();
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await followMoves(page);
    await page.route("**/api/people/unmailed-invitations", async (route) => {
      await isAsked;
      await route.fulfill({
        json: [{ id: "late", name: "Lara Late", email: null, invited_by: "Ada", expires_at }],
      });
    });
    await page.goto("/settings/users");
    await settled(page);
    const before = await movedOn(page);
    answer();
    await page.getByText("Lara Late is invited").waitFor();
    expect(await movedOn(page)).toBe(before);
    // Where one searches is in one place, whether or not a page says how old it is.
    const search = page.getByRole("banner").getByRole("button", { name: /^Search/ });
    const place = await search.boundingBox();
    // One's own page and the bar above it come in parts, whose places are kept.
    await page.goto("/profile-settings");
    await settled(page);
    await page.getByRole("heading", { name: "Password", exact: true }).waitFor();
    expect(await movedOn(page)).toBeLessThan(0.02);
    expect(await search.boundingBox()).toEqual(place);
  });

  journey("a team gets and loses members", async ({ openAsAdmin }) => {
    const page = await openAsAdmin();
    await page.goto("/settings/teams");
    await page.getByRole("button", { name: "Add team" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("Plumbers");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("You haven't added any team members to the team yet.").waitFor();
    await page.getByRole("button", { name: "Add users" }).click();
    const dialog = page.getByRole("dialog", { name: "Add users to the team" });
    await dialog.getByRole("checkbox").first().check();
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByText(/added to the team successfully/).waitFor();
    await page.getByRole("button", { name: /^Remove user/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove user" }).click();
    await page.getByText(/removed from team successfully/).waitFor();
    await page.getByText("You haven't added any team members to the team yet.").waitFor();
  });

  journey("an access token works as long as it is not revoked", async ({ openAsAdmin, server }) => {
    const page = await openAsAdmin();
    await page.goto("/settings/tokens");
    await page.getByRole("button", { name: "Create access token" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("robot");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    const token = await page.getByLabel("Token", { exact: true }).inputValue();
    await page.getByRole("button", { name: "Close" }).last().click();
    const ask = () =>
      fetch(`${server.address}/api/auth/whoami`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    await page.getByRole("button", { name: "Revoke robot" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("robot revoked").waitFor();
    expect((await ask()).status).toBe(401);
  });
});
