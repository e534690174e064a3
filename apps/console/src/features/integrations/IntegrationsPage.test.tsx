// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import type { Session } from "#lib/use-access.ts";
import { IntegrationsPage } from "./IntegrationsPage.tsx";

vi.mock("@mainstay/ui/code-view/CodeView.tsx", () => ({
  CodeView: ({ label, text }: { label: string; text: string }) => (
    <pre aria-label={label}>{text}</pre>
  ),
}));

const saved: [name: string, text: string][] = [];
vi.mock("@mainstay/ui/export/export-rows.ts", async (original) => ({
  ...(await original<object>()),
  downloadText: (name: string, _mediaType: string, text: string) => saved.push([name, text]),
}));

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const at = "2026-01-01T00:00:00Z";
const row = (id: string, integration_type: string) => ({
  id,
  name: `${integration_type} of the shop`,
  namespace: "default",
  integration_type,
  source: "UI",
  created_at: at,
  updated_at: at,
});
const rows = [row("s1", "scrapers"), row("t1", "topologies"), row("b1", "logging_backends")];

function show(query = "", session: Partial<Session> = {}) {
  fakeApi({
    "GET /api/db/integrations_with_status": () => ({
      body: rows,
      headers: { "content-range": "0-2/3" },
    }),
  });
  const path = "/settings/integrations";
  return renderPage(IntegrationsPage, { path, address: `${path}${query}`, session });
}

test.each(rows)("one of $integration_type opens as what it is", async ({ id, ...of }) => {
  const { user, history } = show();
  await user.click((await screen.findByText(of.name)).closest("tr")!);
  expect(history.location.pathname).toBe(`/settings/integrations/${of.integration_type}/${id}`);
});

const add = "?addIntegration=pick";
const off = (name: string): Partial<Session> => ({ properties: [{ name, value: "true" }] });

test.each([
  ["Custom Topology", "/settings/topologies?addTopology=true"],
  ["Catalog Scraper", "/catalog/scrapers?addScraper=true"],
  ["Log Backends", "/settings/logging-backends?addLogBackend=true"],
])("%s is added directly, in its own form", async (name, address) => {
  const { user, history } = show(add);
  await user.click(await screen.findByRole("button", { name }));
  expect(history.location.href).toBe(address);
});

test.each([
  ["logs.disable", ["Custom Topology", "Catalog Scraper"]],
  ["settings.topology.disable", ["Catalog Scraper", "Log Backends"]],
])("what %s switches off is not offered", async (flag, left) => {
  show(add, off(flag));
  const dialog = within(await screen.findByRole("dialog"));
  const all = ["Custom Topology", "Catalog Scraper", "Log Backends"];
  await dialog.findByRole("button", { name: "Catalog Scraper" });
  expect(all.filter((name) => dialog.queryByRole("button", { name }))).toEqual(left);
});

test("the preview that is shown is saved as a file", async () => {
  const { user } = show("?addIntegration=aws");
  await user.click(await screen.findByRole("tab", { name: "Helm CLI" }));
  await user.click(screen.getByRole("button", { name: "Download" }));
  expect(saved).toEqual([
    ["mission-control-aws.sh", screen.getByLabelText("Helm CLI preview").textContent],
  ]);
});

test("the preview that is shown is copied", async () => {
  const { user } = show("?addIntegration=aws");
  await user.type(await screen.findByRole("textbox", { name: /^Chart values/ }), "a: 'b # c'");
  for (const label of ["Flux", "Helm CLI"]) {
    await user.click(screen.getByRole("tab", { name: label }));
    await user.click(screen.getByRole("button", { name: "Copy" }));
    const { textContent } = screen.getByLabelText(`${label} preview`);
    expect(textContent).toContain("a: 'b # c'");
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe(textContent));
  }
});

test("what is typed into a chart is in both previews, and survives going back for another chart", async () => {
  const { user } = show("?addIntegration=aws");
  const field = (name: RegExp) => screen.findByRole<HTMLInputElement>("textbox", { name });
  const type = async (name: RegExp, text: string) => {
    await user.clear(await field(name));
    await user.type(await field(name), text);
  };
  await type(/^Namespace/, "shop");
  await type(/^Interval/, "1h");
  await type(/^Chart version/, "1.x");
  await type(/^Chart values/, "region: eu");
  const flux = screen.getByLabelText("Flux preview").textContent;
  for (const words of ["namespace: shop", "interval: 1h", "version: 1.x", "region: eu"])
    expect(flux).toContain(words);
  await user.click(screen.getByRole("tab", { name: "Helm CLI" }));
  const helm = screen.getByLabelText("Helm CLI preview").textContent;
  for (const words of ["--namespace shop", "--version '1.x'", "region: eu"])
    expect(helm).toContain(words);
  await user.click(screen.getByRole("button", { name: "Back" }));
  await user.click(await screen.findByRole("button", { name: "Azure" }));
  await waitFor(async () => expect((await field(/^Chart values/)).value).toBe("region: eu"));
});
