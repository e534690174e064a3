import { expect } from "vitest";
import { journey, journeys } from "./journey.ts";

const documentOf = (name: string, target: string) => `# of ${name}
apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata: { name: ${name}, namespace: work }
spec:
  schedule: "@every 1h"
  http:
    # the first
    - { name: ${name} one, url: "${target}one" }
    # the second
    - { name: ${name} two, url: "${target}two" }
`;

journeys("work on the Health page", () => {
  journey(
    "chosen checks are labelled, one is deleted, and both are taken back",
    async ({ openAsAdmin, target }) => {
      const page = await openAsAdmin();
      const saved = await page.request.post("/api/documents?source=UI", {
        data: documentOf("bulk", target.address),
        headers: { "content-type": "application/yaml" },
      });
      expect(saved.ok()).toBe(true);
      const text = async () =>
        (await page.request.get("/api/documents/canary/work/bulk?output=yaml")).text();
      const before = await text();
      await page.goto("/health?groupBy=none&hidePassing=false&query=bulk ");
      const rows = page.getByRole("row").filter({ hasText: /bulk (one|two)/ });
      const dialog = page.getByRole("dialog");
      await rows.nth(1).waitFor();

      await rows.filter({ hasText: "bulk one" }).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Label", exact: true }).click();
      await dialog.getByText("this reaches 1 more check").waitFor();
      await dialog.getByLabel("Label").last().fill("owner");
      await dialog.getByLabel("Value").fill("night shift");
      await dialog.getByRole("button", { name: "Label 1 canary" }).click();
      await dialog.getByRole("button", { name: "Undo 1" }).waitFor();
      expect(await text()).toContain("night shift");
      await dialog.getByRole("button", { name: "Undo 1" }).click();
      await expect.poll(text).toBe(before);
      await dialog.getByRole("button", { name: "Close" }).last().click();

      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await dialog.getByText("bulk one – 1 other of it stays").waitFor();
      await dialog.getByRole("button", { name: "Delete 1 check" }).click();
      await dialog.getByRole("button", { name: "Undo 1" }).waitFor();
      expect(await text()).toContain("# the second");
      await dialog.getByRole("button", { name: "Close" }).last().click();
      await expect.poll(() => rows.count()).toBe(1);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => rows.count()).toBe(2);
      expect(await text()).toBe(before);
    },
  );

  journey(
    "a view is saved, and its link shows somebody else the same",
    async ({ open, openAsAdmin, makePerson }) => {
      const page = await openAsAdmin();
      await page.goto("/health?groupBy=none&hidePassing=false&query=answers");
      await page.getByRole("row").filter({ hasText: "answers" }).first().waitFor();
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByLabel("Save what is shown as").fill("What answers");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const saved = page.getByRole("list", { name: "Saved views" });
      await saved.getByText("What answers").waitFor();
      await page.getByRole("button", { name: "Actions for What answers" }).click();
      await page.getByRole("menuitem", { name: "Copy link" }).click();
      await page.getByText("Copied to clipboard").waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());

      const guest = await open();
      const { email, password } = await makePerson("looker@example.com");
      await guest.goto(link);
      await guest.waitForURL(/\/login/);
      await guest.locator("input[name=identifier]").fill(email);
      await guest
        .getByLabel(/password/i)
        .first()
        .fill(password);
      await guest.keyboard.press("Enter");
      await guest.waitForURL(/query=answers/);
      await guest.getByRole("row").filter({ hasText: "answers" }).first().waitFor();
      expect(await guest.getByPlaceholder(/^Search by name/).inputValue()).toBe("answers");
      expect(await guest.getByLabel("Group By").inputValue()).toBe("none");
      // A view is its maker's: somebody else has the link alone.
      await guest.getByRole("button", { name: "Views" }).click();
      await guest.getByText(/A view is what the page shows now/).waitFor();
    },
  );

  journey(
    "a check of several steps is made by its tile, saved, and opened again as a form",
    async ({ openAsAdmin, target }) => {
      const page = await openAsAdmin();
      await page.goto("/settings/canaries?addCheck=true");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("searchbox", { name: "Search check types" }).fill("multi-step");
      await page.keyboard.press("Enter");
      await dialog.getByRole("textbox", { name: /^Name/ }).first().fill("two steps");
      await dialog.getByLabel(/^URL/).first().fill(target.address);
      const steps = dialog.getByRole("group", { name: /^Steps/ }).first();
      for (const [at, path] of ["/first", "/second"].entries()) {
        await steps.getByRole("button", { name: "Add to Steps", exact: true }).click();
        await steps.getByLabel(/^URL/).nth(at).fill(path);
      }
      await dialog.getByRole("button", { name: "Run once" }).click();
      await dialog.getByText(/Ran 1 check: all passed/).waitFor();
      await dialog.getByRole("button", { name: "Review changes" }).click();
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("two steps saved").waitFor();
      // Whoever came from this list is still there.
      expect(new URL(page.url()).pathname).toBe("/settings/canaries");
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.waitForURL(/\/settings\/canaries\/./);
      await page.getByRole("tab", { name: "Form" }).click();
      const kept = page
        .getByRole("group", { name: /^Steps/ })
        .first()
        .getByLabel(/^URL/);
      await expect.poll(() => kept.count()).toBe(2);
      expect([await kept.nth(0).inputValue(), await kept.nth(1).inputValue()]).toEqual([
        "/first",
        "/second",
      ]);
    },
  );
});
