// Takes long: one journey through five dialogs, with a database of its own.
import { startTestCluster } from "@mainstay/testkit/postgres.ts";
import { listenForPostgres } from "@mainstay/testkit/servers/index.ts";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { journey, journeys } from "./journey.ts";

journeys("connections", () => {
  journey(
    "a database's is made by form, tried, used by a check, and named where it is deleted",
    async ({ openAsAdmin, onTestFinished }) => {
      const cluster = await startTestCluster();
      onTestFinished(() => cluster.stop());
      const { accounts } = cluster.connection;
      const { user, password } = accounts.application;
      const relay = await listenForPostgres(cluster.connection);
      onTestFinished(() => relay.close());
      const page = await openAsAdmin();

      await page.goto("/settings/connections");
      await page.getByRole("button", { name: "Add connection" }).first().click();
      const picker = page.getByRole("dialog", { name: "Add connection" });
      await picker.getByRole("searchbox").fill("postgres");
      await page.keyboard.press("Enter");
      const form = page.getByRole("dialog", { name: "Add Postgres connection" });
      await form.getByRole("textbox", { name: "Name", exact: true }).fill("journey-db");
      await form.getByRole("textbox", { name: "Namespace" }).fill("connections");
      await form
        .getByRole("textbox", { name: "URL" })
        .fill(`postgres://$(username):$(password)@127.0.0.1:${relay.port}/postgres`);
      await form.getByRole("textbox", { name: "Username" }).fill(user);
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("This field is required").waitFor();
      await form.getByLabel("Password", { exact: true }).fill("not-the-password");
      expect(await accessibilityFindings(page)).toEqual([]);
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("Connection added successfully").waitFor();

      // The toast offers it; the database tells why not.
      await page.getByRole("button", { name: "Test", exact: true }).click();
      const results = page.getByRole("dialog", { name: "Test of journey-db" });
      await results.getByText(/password authentication failed|authentication/i).waitFor();
      await expect.poll(() => results.textContent()).not.toContain("not-the-password");
      await results.getByRole("button", { name: "Close" }).click();

      await page.getByText("journey-db").first().click();
      const opened = page.getByRole("dialog", { name: "journey-db" });
      await opened.getByText("Stored, and never shown").waitFor();
      expect(await page.content()).not.toContain("not-the-password");
      await opened.getByRole("button", { name: "Replace Password" }).click();
      await opened.getByLabel("Password", { exact: true }).fill(password);
      await opened.getByRole("button", { name: "Update" }).click();
      await page.getByText("Connection updated successfully").waitFor();
      await page.getByRole("button", { name: "Actions for journey-db" }).click();
      await page.getByRole("menuitem", { name: "Test" }).click();
      await page.getByText("Connection successful").waitFor();

      await page.goto("/health?addCheck=true");
      const adding = page.getByRole("dialog", { name: "Add check" });
      await adding.getByRole("searchbox", { name: "Search check types" }).fill("postgres");
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await adding.getByRole("textbox", { name: "Name", exact: true }).fill("rows");
      await adding
        .getByRole("combobox", { name: "Connection" })
        .selectOption("connection://connections/journey-db");
      await adding.getByRole("textbox", { name: "Query" }).fill("select 1");
      await adding.getByRole("combobox", { name: "Schedule" }).selectOption("@hourly");
      await adding.getByRole("tab", { name: "YAML" }).click();
      await adding
        .getByRole("textbox", { name: "Canary document" })
        .getByText("connection://connections/journey-db")
        .waitFor();
      await adding.getByRole("tab", { name: "Form" }).click();
      await adding.getByRole("button", { name: "More fields" }).click();
      await adding.getByRole("region", { name: "Document" }).getByLabel("Namespace").fill("rows");
      expect(await accessibilityFindings(page)).toEqual([]);
      await adding.getByRole("button", { name: "Run once" }).click();
      await adding.getByText("Ran 1 check: all passed").waitFor();
      await adding.getByRole("button", { name: "Review changes" }).click();
      await adding.getByRole("button", { name: "Save" }).click();
      await adding.waitFor({ state: "detached" });

      await page.goto("/settings/connections?query=journey-db");
      await page.getByRole("button", { name: "Actions for journey-db" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const question = page.getByRole("dialog", { name: "Delete journey-db?" });
      await question.getByRole("link", { name: /rows/ }).waitFor();
      await question.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Connection deleted successfully").waitFor();
    },
  );
});
