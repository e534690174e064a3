// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { downloadText } from "@mainstay/ui/export/export-rows.ts";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import type { Session } from "#lib/use-access.ts";
import { DocumentsPage } from "./DocumentsPage.tsx";
import { listed, roll, sheet, stored } from "../../testing/document-kinds.ts";

vi.mock("@mainstay/ui/export/export-rows.ts", async (original) => ({
  ...(await original<object>()),
  downloadText: vi.fn(),
}));

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.mocked(downloadText).mockClear();
});

function open({
  session,
  sheets = [
    stored("Sheet", "front", { labels: { team: "red" } }),
    stored("Sheet", "back", { source: "git/paper.yaml" }),
  ],
  routes = {},
  rollIs = {},
}: {
  session?: Partial<Session>;
  /** What is otherwise of the second kind. */
  rollIs?: Partial<ConsoleDocumentKind>;
  sheets?: StoredDocument[];
  routes?: Record<string, FakeRoute>;
} = {}) {
  const rolls = [stored("Roll", "long")];
  const list =
    (all: StoredDocument[]): FakeRoute =>
    ({ url }) => {
      const [limit, offset] = ["limit", "offset"].map((key) => Number(url.searchParams.get(key)));
      return { body: all.slice(offset, offset! + limit!).map(listed) };
    };
  const whole =
    (all: StoredDocument[]): FakeRoute =>
    ({ url }) => {
      const ids = url.searchParams.get("ids")?.split(",") ?? [];
      return { body: { documents: all.filter(({ id }) => ids.includes(id)) } };
    };
  const api = fakeApi({
    "GET /api/db/sheets": list(sheets),
    "GET /api/db/rolls": list(rolls),
    "GET /api/documents/sheet": whole(sheets),
    "GET /api/documents/roll": whole(rolls),
    ...routes,
  });
  const page = renderPage(DocumentsPage, {
    path: "/settings/documents",
    address: "/settings/documents",
    documents: [sheet, { ...roll, ...rollIs }],
    ...(session && { session }),
  });
  return { api, ...page };
}
const rowOf = async (name: string) => {
  const row = (await screen.findByText(name)).closest("tr");
  return row as HTMLElement;
};

test("documents of all kinds stand in one list, with what each kind says of itself", async () => {
  const { user, history } = open();
  const front = await rowOf("front");
  expect(front.textContent).toMatch(/Sheet.*shop.*Console.*4.*team=red/);
  expect((await rowOf("long")).textContent).toContain("Roll");
  const back = await rowOf("back");
  const locked = within(back).getByText("git/paper.yaml").closest("[data-tooltip]");
  expect(locked?.getAttribute("data-tooltip")).toBe(
    "This document is changed where it comes from: git/paper.yaml.",
  );
  await user.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "Rolls");
  await vi.waitFor(() => expect(screen.queryByText("front")).toBeNull());
  expect(history.location.search).toBe("?kind=roll");
  expect(screen.queryByRole("columnheader", { name: /Size/ })).toBeNull();
  await user.click(screen.getByText("long"));
  expect(history.location.pathname).toBe("/settings/documents/roll/id-long");
});

test("where only the sort of a place is known, it is said in words", async () => {
  open({ sheets: [stored("Sheet", "front", { source: "ConfigFile" })] });
  const kept = within(await rowOf("front"))
    .getByText("a file")
    .closest("[data-tooltip]");
  expect(kept?.getAttribute("data-tooltip")).toBe(
    "This document is changed where it comes from: a file.",
  );
});

test("all columns are seen at 1440 pixels, with what two kinds say of themselves", async () => {
  const facts = ["Schedule", "Types"].map((header) => ({
    id: header,
    header,
    fields: ["long"],
    of: () => 7,
  }));
  open({ rollIs: { facts } });
  await rowOf("front");
  expect(screen.getByRole("columnheader", { name: /Types/ })).toBeTruthy();
  const beside = 216;
  expect(Number.parseInt(screen.getByRole("grid").style.minWidth)).toBeLessThanOrEqual(
    1440 - beside,
  );
});

test("a kind whose table has no namespaces and labels is not asked for them", async () => {
  const asked: (string | null)[] = [];
  open({
    rollIs: { without: ["namespace", "labels"] },
    routes: {
      "GET /api/db/rolls": ({ url }) => {
        asked.push(url.searchParams.get("select"));
        return { body: [{ id: "r", name: "bare", source: null, created_at: null }] };
      },
    },
  });
  expect((await rowOf("bare")).textContent).toContain("Roll");
  expect(asked[0]).toMatch(/^id,name,source,created_at(,spec_|$)/);
});

test("what no longer says what its source applied is said to have drifted, and found by that", async () => {
  const asked: string[] = [];
  const { user } = open({
    routes: {
      "GET /api/documents/sheet": ({ url }) => {
        asked.push(url.search);
        return { body: { documents: [stored("Sheet", "back")] } };
      },
    },
  });
  expect(within(await rowOf("back")).getByText("git/paper.yaml")).toBeTruthy();
  await screen.findByText("drifted");
  expect(within(await rowOf("back")).getByText("drifted")).toBeTruthy();
  // Of kinds with nothing from elsewhere there is nothing to ask.
  expect(asked).toEqual(["?drifted=true"]);
  await user.type(screen.getByRole("searchbox", { name: "Search documents" }), "drifted");
  await vi.waitFor(() => expect(screen.queryByText("front")).toBeNull());
  expect(screen.getByText("back")).toBeTruthy();
});

test("what is found can be chosen at once and exported as a text that can be applied", async () => {
  const { user } = open();
  await rowOf("front");
  await user.type(screen.getByRole("searchbox", { name: "Search documents" }), "paper.yaml");
  await vi.waitFor(() => expect(screen.queryByText("front")).toBeNull());
  await user.clear(screen.getByRole("searchbox"));
  await user.type(screen.getByRole("searchbox"), "shop");
  await rowOf("front");
  await user.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  await user.click(screen.getByRole("button", { name: "Export as YAML" }));
  await vi.waitFor(() => expect(downloadText).toHaveBeenCalled());
  const [name, , text] = vi.mocked(downloadText).mock.calls[0]!;
  expect(name).toBe("documents.yaml");
  expect(text.split("---\n").map((part) => /name: (\w+)/.exec(part)?.[1])).toEqual(
    expect.arrayContaining(["front", "back", "long"]),
  );
});

test("the list asks for what it shows alone, in portions, and for whole documents when they are exported", async () => {
  const sheets = Array.from({ length: 1001 }, (_, index) => stored("Sheet", `s${index}`));
  const { api, user } = open({ sheets });
  await screen.findByText("s0");
  const select =
    "select=id%2Cname%2Cnamespace%2Csource%2Ccreated_at%2Clabels%2Cspec_size%3Aspec-%3Esize";
  expect(api.calls.filter((call) => call.includes("/sheets?"))).toEqual([
    `GET /api/db/sheets?${select}&deleted_at=is.null&order=id.asc&limit=1000&offset=0`,
    `GET /api/db/sheets?${select}&deleted_at=is.null&order=id.asc&limit=1000&offset=1000`,
  ]);
  expect(api.calls.some((call) => call.includes("/api/documents"))).toBe(false);
  await user.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  await user.click(screen.getByRole("button", { name: "Export as YAML" }));
  await vi.waitFor(() => expect(downloadText).toHaveBeenCalled());
  const [, , text] = vi.mocked(downloadText).mock.calls[0]!;
  expect(text.split("---\n")).toHaveLength(1002);
  expect(api.calls.filter((call) => call.includes("/api/documents/sheet"))).toHaveLength(11);
});

test("an export that fails says so, and can be tried again", async () => {
  const { user } = open({
    routes: {
      "GET /api/documents/sheet": () => ({ status: 500, body: { error: "the disk is full" } }),
    },
  });
  await rowOf("front");
  await user.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  await user.click(screen.getByRole("button", { name: "Export as YAML" }));
  await screen.findByText(/the disk is full/);
  expect(downloadText).not.toHaveBeenCalled();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Export as YAML" }).disabled).toBe(
    false,
  );
});

test("a kind that is switched off is neither asked for nor offered", async () => {
  const off = { name: "sheets.disable", value: "true" };
  const { api } = open({ session: { properties: [off] } });
  await rowOf("long");
  expect(api.calls.every((call) => call.includes("/rolls"))).toBe(true);
  expect(screen.queryByRole("combobox", { name: "Kind" })).toBeNull();
});

test("who may not write applies nothing", async () => {
  open({ session: { roles: ["viewer"] } });
  await rowOf("long");
  expect(screen.queryByRole("button", { name: "Apply documents" })).toBeNull();
});

test("what several kinds call by one name stands in one column", async () => {
  open({ rollIs: { facts: [{ id: "long", header: "Size", fields: ["long"], of: () => 7 }] } });
  const roll = await rowOf("long");
  expect(screen.getAllByRole("columnheader", { name: /^Size/ })).toHaveLength(1);
  const at = screen.getAllByRole("columnheader").findIndex((one) => one.textContent === "Size");
  expect(roll.children[at]!.textContent).toBe("7");
});
