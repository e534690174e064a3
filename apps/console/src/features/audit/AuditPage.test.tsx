// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { AuditPage } from "./AuditPage.tsx";

const entry = {
  id: "a1",
  created_at: "2026-01-01T00:00:00Z",
  actor_id: "p1",
  actor_name: "Ada",
  address: "10.0.0.1",
  request_id: "r-1",
  verb: "update",
  table_name: "properties",
  row_id: "logs.disable",
  row_name: "Logs off",
  token_name: "ci",
  before: { value: "false" },
  after: { value: "true", spec: { a: 1 } },
};
const sentence = "changed feature flag Logs off (value, spec)";
let asked: URLSearchParams[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  asked = [];
  ({ routes } = fakeApi({
    "GET /api/db/audit_entries": ({ url }) => {
      asked.push(url.searchParams);
      return { body: [entry], headers: { "content-range": "0-0/120" }, status: 206 };
    },
    "GET /api/audit/acts": ({ url }) => {
      asked.push(url.searchParams);
      return { body: { rows: [entry], total: 120 } };
    },
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (address = "/audit") => renderPage(AuditPage, { path: "/audit", address });

test("lists newest first, page by page", async () => {
  const { user, history } = show();
  expect(await screen.findByText(sentence)).toBeTruthy();
  expect(Object.fromEntries(asked[0]!)).toEqual({
    is_first: "is.true",
    order: "created_at.desc,id.desc",
    limit: "50",
    offset: "0",
  });
  await user.click(screen.getByRole("button", { name: "Next" }));
  await waitFor(() => expect(asked.some((one) => one.get("offset") === "50")).toBe(true));
  expect(history.location.search).toBe("?pageIndex=1");
});

test("all columns are seen at 1024 pixels, beside the sidebar", async () => {
  show();
  await screen.findByText(sentence);
  expect(Number.parseInt(screen.getByRole("grid").style.minWidth)).toBeLessThanOrEqual(1024 - 216);
});

test("acts that are looked for are counted and paged by the server, as acts", async () => {
  const { user } = show(
    `/audit?query=${encodeURIComponent(" a,b ")}&verb=delete&sortBy=actor_name`,
  );
  await screen.findByText(sentence);
  expect(Object.fromEntries(asked[0]!)).toEqual({
    query: "a,b",
    verb: "delete",
    sortBy: "actor_name",
    sortOrder: "asc",
    limit: "50",
    offset: "0",
  });
  await user.click(screen.getByRole("button", { name: "Next" }));
  await waitFor(() => expect(asked.some((one) => one.get("offset") === "50")).toBe(true));
});

test("an entry shows what was before and after", async () => {
  const { user } = show();
  await user.click(await screen.findByText(sentence));
  const dialog = await screen.findByRole("dialog", { name: sentence });
  const row = within(dialog).getByRole("rowheader", { name: "value" }).closest("tr")!;
  expect([...row.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual([
    "false",
    "true",
  ]);
  for (const text of ["Ada (ci)", "10.0.0.1", "r-1", "logs.disable", "Logs off"])
    expect(within(dialog).getByText(text)).toBeTruthy();
});

test("what was empty is left out, and a role is named", async () => {
  const granted = { id: 7, ptype: "g", v0: "p2", v1: "editor", v2: null, v3: null };
  const row = { ...entry, verb: "insert", table_name: "casbin_rule", before: null, after: granted };
  routes["GET /api/db/audit_entries"] = () => ({ body: [row] });
  const { user } = show();
  await user.click(await screen.findByText("made Logs off editor"));
  const dialog = await screen.findByRole("dialog", { name: "made Logs off editor" });
  const shown = within(dialog).getAllByRole("rowheader");
  expect(shown.map(({ textContent }) => textContent)).toEqual(["id", "ptype", "v0", "v1"]);
});

test("a page beyond the last one says so, and how many there are", async () => {
  routes["GET /api/db/audit_entries"] = ({ url }) =>
    [null, "0"].includes(url.searchParams.get("offset"))
      ? { body: [entry], headers: { "content-range": "0-0/120" }, status: 206 }
      : { status: 416, body: { message: "Requested range not satisfiable" } };
  const { user } = show("/audit?pageIndex=99");
  expect(await screen.findByText("No data available")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "First" }));
  expect(await screen.findByText(sentence)).toBeTruthy();
});

test("says what went wrong when it cannot be loaded, and tries again", async () => {
  const answer = routes["GET /api/db/audit_entries"]!;
  routes["GET /api/db/audit_entries"] = () => ({ status: 500, body: { message: "no log" } });
  const { user } = show();
  expect(await screen.findByText("no log")).toBeTruthy();
  routes["GET /api/db/audit_entries"] = answer;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText(sentence)).toBeTruthy();
});

test("what was tried out and run is told in words, with the digest of what it was", async () => {
  const tried = {
    ...entry,
    id: "a2",
    request_id: "r-2",
    verb: "dry_run",
    table_name: "documents",
    row_id: "default/attempt",
    row_name: "default/attempt",
    before: null,
    after: { sha256: "c0ffee", documents: 1, refused: true },
  };
  const ran = {
    ...tried,
    id: "a3",
    request_id: "r-3",
    verb: "run",
    table_name: "checks",
    row_name: "shop/web",
  };
  routes["GET /api/audit/acts"] = () => ({ body: { rows: [tried, ran], total: 2 } });
  routes["GET /api/db/audit_entries"] = () => ({ body: [tried, ran] });
  const { user } = show("/audit?verb=dry_run");
  expect(await screen.findByText("ran check shop/web")).toBeTruthy();
  await user.click(await screen.findByText("tried out document default/attempt"));
  const dialog = await screen.findByRole("dialog", {
    name: "tried out document default/attempt",
  });
  expect(dialog.textContent).toContain("c0ffee");
  expect(within(dialog).getByRole("row", { name: /refused true/ })).toBeTruthy();
});

test("an act of very many rows takes no words from those before it", async () => {
  const rowsOf = (request: string, at: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...entry,
      id: `${request}-${String(index).padStart(5, "0")}`,
      request_id: request,
      created_at: at,
      row_name: `${request} ${index}`,
    }));
  const many = rowsOf("many", "2026-01-02T00:00:00Z", 1_200);
  const two = rowsOf("two", "2026-01-01T00:00:00Z", 2);
  routes["GET /api/db/audit_entries"] = ({ url }) => {
    const requests = url.searchParams.get("request_id");
    if (requests === null)
      return { body: [many[0], two[0]], headers: { "content-range": "0-1/2" }, status: 206 };
    const told = [...many, ...two].filter((row) => requests.includes(row.request_id));
    return { body: told.slice(0, Number(url.searchParams.get("limit"))) };
  };
  show();
  expect(await screen.findByText("changed feature flags two 0 and two 1")).toBeTruthy();
});

test("one act is one entry, in people's words, with all its rows behind it", async () => {
  const invited = { ...entry, verb: "insert", before: null, row_name: "Vera" };
  const act = [
    { ...invited, id: "b1", table_name: "people", after: { name: "Vera" } },
    { ...invited, id: "b2", table_name: "casbin_rule", after: { v0: "p2", v1: "viewer" } },
  ];
  routes["GET /api/db/audit_entries"] = ({ url }) => {
    asked.push(url.searchParams);
    const isPage = url.searchParams.has("is_first");
    return { body: isPage ? [act[0]] : act, headers: { "content-range": "0-0/1" } };
  };
  const { user } = show();
  await user.click(await screen.findByText("invited Vera as viewer"));
  const dialog = await screen.findByRole("dialog", { name: "invited Vera as viewer" });
  expect(within(dialog).getAllByText(/^(people|casbin_rule)$/)).toHaveLength(2);
  expect(asked[1]?.get("request_id")).toBe("in.(r-1)");
});

test("of an act of which one row was looked for all rows are told", async () => {
  routes["GET /api/db/audit_entries"] = () => ({
    body: [entry, { ...entry, id: "a2", row_id: "other", row_name: "Other" }],
  });
  show("/audit?query=o");
  expect(await screen.findByText("changed feature flags Logs off and Other")).toBeTruthy();
  expect(screen.getAllByRole("row")).toHaveLength(2);
});
