import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { paste } from "./browser.ts";
import { journey, journeys } from "./journey.ts";

const documentOf = (name: string, url: string) => `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
  namespace: documents
  labels:
    team: web
spec:
  schedule: "@every 1h"
  http:
    - name: ${name} page
      url: ${url} # of ${name}
`;

journeys("documents", () => {
  journey(
    "of three with a bad one none is stored; repaired they are, then changed, exported and deleted",
    async ({ openAsAdmin, server }) => {
      const page = await openAsAdmin();
      const stored = async () => {
        const reply = await page.request.get("/api/documents/canary?namespace=documents");
        const { documents } = (await reply.json()) as {
          documents: { document: { metadata: { name: string } } }[];
        };
        return documents.map(({ document }) => document.metadata.name).toSorted();
      };
      const good = ["one", "two", "three"].map((name) => documentOf(name, server.address));
      const bad = good.with(1, documentOf("two", "nowhere"));

      await page.goto("/settings/documents");
      await page.getByRole("button", { name: "Apply documents" }).click();
      await paste(page, "Documents", bad.join("---\n"));
      await page.getByRole("button", { name: "Review changes" }).click();
      const problem = page.getByRole("alert", { name: /Nothing was saved/ });
      await problem.getByText(/spec\.http\.0\.url/).waitFor();
      await expect.poll(() => problem.textContent()).toMatch(/25:12 spec\.http\.0\.url/);
      expect(await stored()).toEqual([]);
      await page.reload();
      await page.getByRole("textbox", { name: "Documents" }).getByText("nowhere").waitFor();

      await paste(page, "Documents", good.join("---\n"));
      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByText("3 documents: 3 would be created").waitFor();
      expect(await stored()).toEqual([]);
      await page.getByRole("button", { name: "Apply", exact: true }).click();
      await page.waitForURL(/\/settings\/documents$/);
      expect(await stored()).toEqual(["one", "three", "two"]);

      await page.getByRole("searchbox", { name: "Search documents" }).fill("documents");
      await page.getByRole("checkbox", { name: "Select all rows" }).click();
      const [all] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export as YAML" }).click(),
      ]);
      const exported = readFileSync(await all.path(), "utf8");
      expect(exported.match(/^kind: Canary$/gm)).toHaveLength(3);
      // As it was written.
      expect(exported.match(/ # of /g)).toHaveLength(3);
      // What was exported is what is stored.
      const again = await page.request.post("/api/documents?dryRun=true&source=UI", {
        data: exported,
        headers: { "content-type": "application/yaml" },
      });
      const { documents } = (await again.json()) as { documents: { outcome: string }[] };
      expect(documents.map(({ outcome }) => outcome)).toEqual([
        "unchanged",
        "unchanged",
        "unchanged",
      ]);

      await page.getByRole("row").filter({ hasText: "two" }).click();
      await page.waitForURL(/\/settings\/documents\/canary\//);
      await page.getByRole("textbox", { name: "Document" }).getByText("# of two").waitFor();
      await paste(page, "Document", documentOf("two", server.address).replace("1h", "2h"));
      await page.getByRole("button", { name: "Review changes" }).click();
      const review = page.getByRole("status", { name: "Review" });
      await review.getByText("@every 2h").first().waitFor();
      await page.getByRole("button", { name: "Update" }).click();
      await page.getByText("two updated successfully").waitFor();
      // The list as it was left.
      await page.waitForURL(/\/settings\/documents\?query=documents$/);
      expect(await stored()).toEqual(["one", "three", "two"]);
      await page.getByRole("row").filter({ hasText: "two" }).click();

      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("two deleted successfully").waitFor();
      expect(await stored()).toEqual(["one", "three"]);
    },
  );
});
