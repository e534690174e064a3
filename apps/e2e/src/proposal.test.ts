import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { journey, journeys } from "./journey.ts";

const scraper = `
apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata: { name: proposal-journey }
spec:
  schedule: "@every 24h"
  exec:
    - script: |
        echo '[{"id": "proposal-1", "name": "kiosk", "fleet": "harbour <b>1</b>"}, {"id": "proposal-2", "name": "crane", "fleet": "harbour <b>1</b>"}]'
      items: "$"
      id: $.id
      name: $.name
      type: Quay
      tags: [{ name: fleet, jsonpath: $.fleet }]
`;

journeys("a topology out of the catalog", () => {
  journey(
    "is proposed by a tag, seen, edited, saved, and what is known of one of its parts is fetched as a zip",
    async ({ openAsAdmin }) => {
      const page = await openAsAdmin();
      const applied = await page.request.post("/api/documents", {
        data: scraper,
        headers: { "content-type": "application/yaml" },
      });
      expect(applied.status(), await applied.text()).toBe(200);
      await expect
        .poll(async () => {
          const offers = await page.request.get("/api/topology/propose");
          const { tags } = (await offers.json()) as { tags: { key: string }[] };
          return tags.map(({ key }) => key);
        })
        .toContain("fleet");

      await page.goto("/settings/topologies");
      await page.getByRole("button", { name: "Propose from the catalog" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Propose from the catalog" });
      await dialog.getByLabel("Tag").selectOption("fleet");
      await dialog.getByRole("button", { name: "Preview" }).click();
      const preview = dialog.getByRole("region", { name: "Preview" });
      await preview.getByText("2 items of the catalog in 1 group").waitFor();
      // As it is called, and not what that says.
      await preview.getByText("harbour <b>1</b>", { exact: true }).waitFor();
      await preview.getByText("crane", { exact: true }).waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Go on in the editor" }).click();
      const editor = page.getByRole("dialog", { name: "Add topology" });
      const document = editor.getByRole("region", { name: "Document", exact: true });
      const name = document.getByRole("textbox", { name: "Name", exact: true });
      await expect.poll(() => name.inputValue()).toBe("by-fleet");
      await editor.getByRole("button", { name: "Review" }).click();
      await editor.getByRole("button", { name: "Save" }).click();
      await editor.waitFor({ state: "hidden" });

      const component = async () => {
        const found = await page.request.get("/api/db/components?select=id&name=eq.By fleet");
        return ((await found.json()) as { id: string }[])[0]?.id;
      };
      await expect.poll(component, { timeout: 20_000 }).toBeDefined();
      await page.goto(`/topology/${await component()}`);
      await page.getByRole("button", { name: "Actions for harbour <b>1</b>" }).click();
      await page.getByRole("menuitem", { name: "Snapshot" }).click();
      const snapshot = page.getByRole("dialog", { name: "Snapshot of harbour <b>1</b>" });
      await snapshot.getByLabel("Time range").selectOption({ label: "Last hour" });
      await snapshot.getByLabel("Include related components").check();
      expect(await accessibilityFindings(page)).toEqual([]);
      const download = page.waitForEvent("download");
      await snapshot.getByRole("button", { name: "Download" }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe("harbour _b_1__b_-snapshot.zip");
      const bytes = await readFile(await file.path());
      // The signature that a zip begins with, and that of its directory, which only a whole one has.
      expect([bytes.subarray(0, 2).toString(), bytes.includes("PK\u0005\u0006")]).toEqual([
        "PK",
        true,
      ]);
      await snapshot.waitFor({ state: "hidden" });
    },
  );
});
