// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { ConfigTab } from "./ConfigTab.tsx";
import type { Item } from "./queries.ts";

const first = "2026-11-01T00:00:00.000Z";
const second = "2026-11-03T00:00:00.000Z";
const third = "2026-11-05T00:00:00.000Z";
const state = {
  name: "orders",
  type: "Thing",
  health: "healthy",
  status: "Running",
  description: null,
  deleted_at: null,
};
const asked: string[] = [];
let api: ReturnType<typeof fakeApi>;
let moments: object[];
beforeEach(() => {
  asked.length = 0;
  moments = [
    { at: third, isConfig: true, changed: ["health"], summary: "spec.replicas" },
    { at: second, isConfig: true, changed: [], summary: "spec.image" },
  ];
  const note = (url: URL) => asked.push(`${url.pathname.split("/").at(-1)}${url.search}`);
  api = fakeApi({
    "GET /api/db/config_items": () => ({ body: [{ config: { replicas: 3 } }] }),
    "GET /api/catalog/items/i1/moments": () => ({
      body: { since: first, hasMore: false, moments },
    }),
    "GET /api/catalog/items/i1/at": ({ url }) => {
      note(url);
      const time = url.searchParams.get("time");
      return {
        body: { ...state, id: "i1", time, from: first, until: second, config: { replicas: 1 } },
      };
    },
    "GET /api/catalog/items/i1/difference": ({ url }) => {
      note(url);
      return {
        body: {
          from: url.searchParams.get("from"),
          to: url.searchParams.get("to"),
          before: state,
          after: { ...state, health: "unhealthy" },
          isSame: false,
          summary: "replicas",
          diff: '--- before\n+++ after\n@@ -1,3 +1,3 @@\n {\n-  "replicas": 1\n+  "replicas": 3\n }\n',
          patch: [{ op: "replace", path: "/replicas", value: 3 }],
          merge_patch: { replicas: 3 },
        },
      };
    },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const item = { id: "i1" } as Item;
const Page = () => <ConfigTab item={item} />;
const open = (address = "/catalog/i1") => renderPage(Page, { path: "/catalog/$itemId", address });
const code = () => screen.findByRole("region", { name: "Config" });
const searchOf = (history: { location: { search: string } }) =>
  Object.fromEntries(new URLSearchParams(history.location.search));

test("one goes through what it was with the keyboard; the address says when", async () => {
  const { user, history } = open();
  const line = await screen.findByRole("slider", { name: "When it became another" });
  expect(line.getAttribute("aria-valuenow")).toBe("2");
  expect((await code()).textContent).toContain('"replicas": 3');
  line.focus();
  await user.keyboard("{Home}");
  expect(searchOf(history)).toEqual({ at: first });
  await waitFor(async () => expect((await code()).textContent).toContain('"replicas": 1'));
  expect(screen.getByText(/^As it was from/)).toBeTruthy();
  await user.keyboard("{ArrowRight}");
  expect(searchOf(history)).toEqual({ at: second });
  await user.click(screen.getByRole("button", { name: "What it became" }));
  expect(searchOf(history)).toEqual({});
  expect(line.getAttribute("aria-valuetext")).toContain("spec.replicas, health");
});

test("two moments are compared, and both stand in the address", async () => {
  const { user, history } = open(`/catalog/i1?at=${first}`);
  await user.selectOptions(await screen.findByLabelText("Compare with"), second);
  expect(searchOf(history)).toEqual({ at: first, with: second });
  expect(await screen.findByText("1 added, 1 removed")).toBeTruthy();
  expect(asked.at(-1)).toBe(
    `difference?from=${encodeURIComponent(first)}&to=${encodeURIComponent(second)}`,
  );
  expect(screen.getByText("unhealthy", { exact: false })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Merge patch" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Back to now" }));
  expect(searchOf(history)).toEqual({});
});

test("what is compared with now needs no other moment, and what is too different is told in steps", async () => {
  const body = {
    before: state,
    after: state,
    isSame: false,
    diff: null,
    patch: [{ op: "remove", path: "/gone" }],
    merge_patch: null,
  };
  api.routes["GET /api/catalog/items/i1/difference"] = () => ({ body });
  open(`/catalog/i1?with=${first}`);
  const steps = await screen.findByRole("region", { name: "Steps" });
  await waitFor(() => expect(steps.textContent).toContain("/gone"));
  expect(screen.queryByRole("button", { name: "Merge patch" })).toBeNull();
});

test("why a moment cannot be shown is said", async () => {
  api.routes["GET /api/catalog/items/i1/at"] = () => ({
    status: 404,
    body: { error: "It was read for the first time at noon: nobody knows what it was before." },
  });
  open("/catalog/i1?at=2020-01-01T00:00:00Z");
  const alert = await screen.findByRole("alert");
  expect(within(alert).getByText(/^It was read for the first time/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Back to now" })).toBeTruthy();
});

test("an item that never became another has no line of time", async () => {
  moments = [];
  open();
  await code();
  expect(screen.queryByRole("slider")).toBeNull();
});
