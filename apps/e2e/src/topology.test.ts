import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { applyDocument } from "./bring.ts";
import { journey, journeys } from "./journey.ts";

/** A ferry: a bridge whose health is a check's, and an engine of which its source tells. */
const ferry = (url: string) => `apiVersion: canaries.flanksource.com/v1
kind: Topology
metadata: { name: ferry }
spec:
  type: Ferry
  schedule: "@every 24h"
  components:
    - name: bridge
      type: Deck
      checks: [{ inline: { schedule: "@every 1s", http: [{ name: radar, url: "${url}" }] } }]
      properties: [{ name: fuel, value: 950, max: 1000, unit: bytes }]
      components: [{ name: compass, health: healthy }]
    - name: engine
      type: Deck
      health: healthy
`;

journeys("the topology", () => {
  journey(
    "a document becomes cards; what fails turns its card, says why, and is found by the keyboard",
    async ({ openAsAdmin, target }) => {
      const page = await openAsAdmin();
      await applyDocument(page.request, ferry(target.address));
      await page.goto("/topology");
      const card = (name: string) => page.getByRole("article").filter({ hasText: name });
      await card("ferry").first().getByRole("link", { name: /ferry/ }).first().click();
      await page.waitForURL(/\/topology\/[\w-]{36}/);
      const bridge = page.getByRole("link", { name: /^bridge\. healthy/i });
      await bridge.waitFor();
      await card("bridge").getByText("95%").waitFor();

      target.answer(500);
      await page.getByRole("link", { name: /^bridge\. unhealthy/i }).waitFor();
      // What is wrong stands first.
      await expect.poll(() => page.getByRole("article").first().innerText()).toContain("bridge");
      await page.getByRole("link", { name: /^bridge\. unhealthy/i }).focus();
      await page.keyboard.press("ArrowRight");
      await expect
        .poll(() =>
          page.evaluate(
            () =>
              document.activeElement?.getAttribute("aria-label") ??
              document.activeElement?.textContent,
          ),
        )
        .toMatch(/engine/);
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Enter");
      await page.getByRole("article").filter({ hasText: "compass" }).waitFor();
      await page.getByText(/bridge is unhealthy: the check radar/).waitFor();
      await page.getByRole("link", { name: "radar" }).first().waitFor();

      await page.keyboard.press("[");
      await card("engine").waitFor();
      // The graph of the same: what fails leads to what it makes so, and its card to the component.
      await page.getByText("Graph", { exact: true }).click();
      await page.waitForURL(/view=graph/);
      const graph = page.getByRole("application", { name: /What hangs below ferry/ });
      await graph.focus();
      await page.locator(".graph-carry-mark").first().waitFor();
      expect(await page.getByText("leads to what it makes unhealthy").count()).toBe(1);
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowRight");
      const active = page.locator(".graph-card-active");
      await expect.poll(() => active.textContent()).toMatch(/bridge|engine/);
      if (!(await active.textContent())!.includes("bridge")) await page.keyboard.press("ArrowUp");
      await expect.poll(() => active.textContent()).toContain("bridge");
      await page.keyboard.press("Enter");
      await page.getByRole("application", { name: /What hangs below bridge/ }).waitFor();
      await page.getByText("Cards", { exact: true }).click();
      await page.getByRole("article").filter({ hasText: "compass" }).waitFor();
      await page.keyboard.press("[");
      await card("engine").waitFor();

      target.answer(200);
      await page.getByRole("link", { name: /^bridge\. healthy/i }).waitFor();

      // What it was before is found from turn to turn, and shown as the past.
      await page.getByRole("button", { name: "Look back" }).click();
      const earlier = page.getByRole("button", { name: "Previous turn" });
      const wasUnhealthy = page.getByRole("link", { name: /^bridge\. unhealthy/i });
      // One turn at a time: in some of them another card turned, and this one stays as it was.
      const isDrawn = () =>
        wasUnhealthy.waitFor({ timeout: 5_000 }).then(
          () => true,
          () => false,
        );
      do {
        const read = page.waitForResponse((one) => one.url().includes("/api/topology/states"));
        await earlier.click();
        await read;
      } while (!(await isDrawn()));
      await page.getByText(/this is the past/).waitFor();
      expect(page.url()).toMatch(/at=20/);
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole("slider", { name: /^Moment/ }).focus();
      await page.keyboard.press("End");
      await page.getByRole("link", { name: /^bridge\. healthy/i }).waitFor();
      await page.getByRole("button", { name: "Close the past" }).click();
      await expect.poll(() => page.url()).not.toContain("at=");
    },
  );
});
