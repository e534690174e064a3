// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { parseScrapeConfigs } from "@mainstay/contract/scrape-config/parse-scrape-config.ts";
import { scraperTypes } from "@mainstay/contract/scrape-config/scraper-types.ts";
import { renderPage } from "../../../../../testing/render-page.tsx";
import { scraperFields, scraperTypeLabel } from "./scraper-fields.ts";
import { ScraperForm } from "./ScraperForm.tsx";

afterEach(cleanup);

let now = "";
function open(begin = "") {
  function Page() {
    const [text, setText] = useState(begin);
    return (
      <ScraperForm
        text={text}
        onChange={(next) => {
          now = next;
          setText(next);
        }}
        isTried={false}
        readOnly={false}
      />
    );
  }
  return renderPage(Page, { path: "/", address: "/" });
}
const written = () => parse(now) as { metadata: object; spec: Record<string, unknown[]> };

test.each(scraperTypes)(
  "a scraper of type %s is begun by form, with every field of its own",
  async (type) => {
    const { user } = open();
    const tile = await screen.findByText(scraperTypeLabel(type), { exact: true });
    await user.click(tile);
    const scraper = within(await screen.findByRole("region", { name: "Scraper" }));
    expect(written().spec[type]).toEqual([{}]);
    // A field that no control could write would be a field that the form does not have.
    for (const { label } of scraperFields(type).own)
      expect(scraper.getAllByText(label, { exact: false }).length, label).toBeGreaterThan(0);
    expect(scraper.getByText("What becomes an item")).toBeTruthy();
    expect(parseScrapeConfigs(now).problems.filter(({ path }) => path === "metadata.name")).toEqual(
      [],
    );
  },
);

const text = `# who owns it
apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata:
  name: shop
spec:
  schedule: "@every 10m"
  http:
    - url: https://example.com/ # the first
  file:
    - paths: [a.json]
`;

test("a value that is changed is changed in the text, and nothing around it", async () => {
  const { user } = open(text);
  fireEvent.change(await screen.findByRole("textbox", { name: /^URL/ }), {
    target: { value: "https://example.com/items" },
  });
  expect(now).toBe(text.replace("example.com/", "example.com/items"));
  await user.selectOptions(screen.getByRole("combobox", { name: "Scraper" }), "File 1");
  await user.click(screen.getByRole("button", { name: "Remove this scraper" }));
  expect(Object.keys(written().spec)).not.toContain("file");
  await user.click(screen.getByRole("button", { name: "Add a scraper" }));
  await user.click(await screen.findByRole("button", { name: /^HTTP/ }));
  expect(written().spec["http"]).toHaveLength(2);
});

test("a text that cannot be read is not lost to a form", async () => {
  open("spec: [\n");
  expect(await screen.findByText("The text cannot be read")).toBeTruthy();
});
