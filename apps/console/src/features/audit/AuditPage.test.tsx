// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../testing/fake-api.ts";
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
let asked: URLSearchParams[];

beforeEach(() => {
  asked = [];
  fakeApi({
    "GET /api/db/audit_entries": ({ url }) => {
      asked.push(url.searchParams);
      return { body: [entry], headers: { "content-range": "0-0/120" }, status: 206 };
    },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (address = "/audit") => renderPage(AuditPage, { path: "/audit", address });

test("lists newest first, page by page", async () => {
  const { user, history } = show();
  expect(await screen.findByText("properties")).toBeTruthy();
  expect(Object.fromEntries(asked[0]!)).toEqual({
    order: "created_at.desc,id.desc",
    limit: "50",
    offset: "0",
  });
  await user.click(screen.getByRole("button", { name: "Next" }));
  await waitFor(() => expect(asked.at(-1)?.get("offset")).toBe("50"));
  expect(history.location.search).toBe("?pageIndex=1");
});

test("searches by person, table and row; what a text would mean to the server is quoted", async () => {
  show(`/audit?query=${encodeURIComponent('a,b"c\\d)')}&verb=delete`);
  await screen.findByText("properties");
  const text = String.raw`"*a,b\"c\\d)*"`;
  expect(asked[0]!.get("or")).toBe(
    `(actor_name.ilike.${text},table_name.ilike.${text},row_id.ilike.${text},row_name.ilike.${text})`,
  );
  expect(asked[0]!.get("verb")).toBe("eq.delete");
});

test("an entry shows what was before and after", async () => {
  const { user } = show();
  await user.click(await screen.findByText("properties"));
  const dialog = await screen.findByRole("dialog", { name: "properties changed" });
  const row = within(dialog).getByRole("rowheader", { name: "value" }).closest("tr")!;
  expect([...row.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual([
    "false",
    "true",
  ]);
  for (const text of ["Ada (ci)", "10.0.0.1", "r-1", "logs.disable", "Logs off"])
    expect(within(dialog).getByText(text)).toBeTruthy();
});
