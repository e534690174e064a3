import { expect } from "vitest";
import { parse } from "yaml";
import { accessibilityFindings } from "./axe.ts";
import { copied } from "./browser.ts";
import { journey, journeys } from "./journey.ts";

interface Written {
  metadata: { name: string };
  spec: { components: Readonly<Record<string, unknown>>[] };
}

journeys("a topology by form", () => {
  journey(
    "components are written, moved, tried and saved without a line of YAML, and become cards",
    async ({ openAsAdmin, target }) => {
      const page = await openAsAdmin();
      await page.goto("/settings/topologies?addTopology=true");
      const adding = page.getByRole("dialog", { name: "Add topology" });
      const document = adding.getByRole("region", { name: "Document", exact: true });
      await document.getByRole("textbox", { name: "Name", exact: true }).fill("harbour");
      const tree = adding.getByRole("tree", { name: "Components" });
      const component = adding.getByRole("region", { name: "Component", exact: true });
      const named = (name: string) =>
        component.getByRole("textbox", { name: "Name", exact: true }).fill(name);
      const names = () => tree.locator("[role=treeitem] bdi").allInnerTexts();
      await named("crane");

      await component.getByRole("button", { name: "Add one within it" }).click();
      await expect.poll(names).toEqual(["crane", "new-component"]);
      await named("hook");
      await component.locator("summary", { hasText: "Properties" }).click();
      await component.getByRole("button", { name: "Add to Properties" }).click();
      const property = component.getByRole("group", { name: "Properties" });
      await property.getByRole("textbox", { name: "Name", exact: true }).fill("load");
      await property.getByRole("textbox", { name: "Text", exact: true }).fill("4 tons");

      await adding.getByRole("button", { name: "Add a component" }).click();
      await expect.poll(names).toEqual(["crane", "hook", "new-component"]);
      await named("radio");
      await component.locator("summary", { hasText: /^Health/ }).click();
      await component.getByRole("button", { name: "Add to Checks" }).click();
      await component.getByRole("combobox", { name: "Add a check to Inline" }).selectOption("http");
      const check = component.getByRole("group", { name: "HTTP", exact: true });
      await check.getByRole("textbox", { name: "Name", exact: true }).fill("answers");
      await check.getByRole("textbox", { name: "URL", exact: true }).fill(target.address);

      await tree.focus();
      await page.keyboard.press("Alt+ArrowUp");
      await expect.poll(names).toEqual(["radio", "crane", "hook"]);
      await page.keyboard.press("End");
      await page.keyboard.press("Delete");
      await expect.poll(names).toEqual(["radio", "crane"]);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(names).toEqual(["radio", "crane", "hook"]);
      expect(await accessibilityFindings(page)).toEqual([]);

      await adding.getByRole("button", { name: "Run once" }).click();
      const tried = adding.getByRole("region", { name: "default/harbour", exact: true });
      await tried.getByText("harbour: 4 components").waitFor();
      await adding.getByRole("button", { name: "Review changes" }).click();
      await adding.getByRole("button", { name: "Save", exact: true }).click();
      await adding.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.waitForURL(/\/settings\/topologies\/[^?]/);
      const { metadata, spec } = parse(await copied(page, "Document")) as Written;
      expect(metadata.name).toBe("harbour");
      expect(spec.components).toEqual([
        {
          name: "radio",
          checks: [{ inline: { http: [{ name: "answers", url: target.address }] } }],
        },
        {
          name: "crane",
          type: "Service",
          components: [{ name: "hook", properties: [{ name: "load", text: "4 tons" }] }],
        },
      ]);

      await page.getByRole("tab", { name: "Form" }).click();
      await page.getByRole("treeitem", { name: "crane", exact: true }).click();
      const stored = page.getByRole("region", { name: "Component", exact: true });
      await stored.getByRole("textbox", { name: "Owner", exact: true }).fill("dockers");
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByRole("button", { name: "Update", exact: true }).click();
      await page.getByText("harbour updated successfully").waitFor();

      await page.goto("/topology");
      await page
        .getByRole("link", { name: /^harbour\b/ })
        .first()
        .click();
      await page.getByRole("link", { name: /^radio\. healthy/i }).waitFor();
      await page.getByRole("article").filter({ hasText: "crane" }).waitFor();
    },
  );
});
