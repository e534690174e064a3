// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { DeliveriesPage } from "./DeliveriesPage.tsx";

const delivery = (id: number, changes: object = {}) => ({
  id,
  event_id: "e",
  event: "check.failed",
  handler: "example/tell",
  subject: `check-${id}`,
  priority: 100,
  due_at: "2026-01-02T00:00:00Z",
  attempts: 33,
  last_attempt: "2026-01-01T00:00:00Z",
  error: `no route to host ${id}\nat line 2`,
  parked_at: "2026-01-01T00:00:00Z",
  ...changes,
});
const rows = [delivery(1), delivery(2), delivery(3, { parked_at: null, attempts: 2 })];
let asked: URLSearchParams[];
let sent: unknown[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  localStorage.clear();
  asked = [];
  sent = [];
  ({ routes } = fakeApi({
    "GET /api/db/event_deliveries": ({ url }) => {
      asked.push(url.searchParams);
      return { body: rows, headers: { "content-range": "0-2/60" }, status: 206 };
    },
    "POST /api/event-deliveries/retry": ({ body }) => {
      sent.push(body);
      return { body: { retried: 2 } };
    },
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (address = "/d", session = {}) =>
  renderPage(DeliveriesPage, { path: "/d", address, session });
test("shows what is parked, newest first, with its error and its tries", async () => {
  show();
  expect(await screen.findByText("no route to host 1")).toBeTruthy();
  expect(Object.fromEntries(asked[0]!)).toEqual({
    parked_at: "not.is.null",
    order: "parked_at.desc.nullslast,due_at.asc,id.desc",
    limit: "50",
    offset: "0",
  });
});

test("is searched, filtered, sorted and turned in the address", async () => {
  const { user, history } = show("/d?query=x,y&state=waiting&sortBy=attempts&sortOrder=desc");
  await screen.findByText("no route to host 1");
  expect(Object.fromEntries(asked[0]!)).toMatchObject({
    parked_at: "is.null",
    or: '(event.ilike."*x,y*",handler.ilike."*x,y*",subject.ilike."*x,y*",error.ilike."*x,y*")',
    order: "attempts.desc.nullslast,parked_at.desc.nullslast,due_at.asc,id.desc",
  });
  await user.click(screen.getByRole("button", { name: "Next" }));
  await waitFor(() => expect(asked.at(-1)?.get("offset")).toBe("50"));
  await user.selectOptions(screen.getByRole("combobox", { name: "State" }), "All");
  await waitFor(() => expect(asked.at(-1)?.has("parked_at")).toBe(false));
  expect(history.location.search).toBe("?query=x%2Cy&state=all&sortBy=attempts&sortOrder=desc");
  await user.click(screen.getByRole("button", { name: "Handler" }));
  await waitFor(() =>
    expect(asked.at(-1)?.get("order")).toMatch(/^handler\.asc\.nullslast,parked_at/),
  );
});

test("what the address names and nobody offers is not asked for", async () => {
  show("/d?state=gone&sortBy=error;drop&pageSize=7&pageIndex=-3");
  await screen.findByText("no route to host 1");
  expect(Object.fromEntries(asked[0]!)).toMatchObject({
    parked_at: "not.is.null",
    order: "parked_at.desc.nullslast,due_at.asc,id.desc",
    limit: "50",
    offset: "0",
  });
});

test("chosen ones are retried together, after a question; what waits cannot be chosen", async () => {
  const { user } = show();
  await screen.findByText("no route to host 1");
  expect(screen.getAllByRole("checkbox", { name: /^Select row/ })).toHaveLength(2);
  screen.getAllByRole("row")[1]!.focus();
  await user.keyboard(" {ArrowDown} ");
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(await screen.findByRole("dialog", { name: "Retry 2 deliveries?" })).toBeTruthy();
  expect(sent).toEqual([]);
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Retry" }));
  expect(await screen.findByText("2 deliveries are tried again")).toBeTruthy();
  expect(sent).toEqual([{ ids: [1, 2] }]);
  expect(screen.queryByText("2 selected")).toBeNull();
});

test.each([
  ["Retry", { ids: [1] }, "Retry this delivery?"],
  [
    "Retry all of this handler",
    { handler: "example/tell" },
    "Retry all parked deliveries to example/tell?",
  ],
])("one is opened with Enter and offers: %s", async (name, which, question) => {
  const { user } = show();
  await screen.findByText("no route to host 1");
  screen.getAllByRole("row")[1]!.focus();
  await user.keyboard("{Enter}");
  const dialog = await screen.findByRole("dialog", { name: "check.failed to example/tell" });
  expect(dialog.textContent).toContain("at line 2");
  await user.click(within(dialog).getByRole("button", { name }));
  const asking = await screen.findByRole("dialog", { name: question });
  await user.click(within(asking).getByRole("button", { name: "Retry" }));
  await waitFor(() => expect(sent).toEqual([which]));
});

test("who may not retry sees why not, and has nothing to choose", async () => {
  const { user } = show("/d", { roles: ["viewer"] });
  await user.click(await screen.findByText("no route to host 1"));
  const dialog = await screen.findByRole("dialog", { name: "check.failed to example/tell" });
  expect(within(dialog).getByRole("button", { name: "Retry" }).getAttribute("aria-disabled")).toBe(
    "true",
  );
  expect(screen.queryByRole("checkbox")).toBeNull();
});

test("a refused retry leaves the question and says why", async () => {
  const { user } = show();
  await user.click(await screen.findByText("no route to host 1"));
  routes["POST /api/event-deliveries/retry"] = () => ({ status: 503, body: { message: "busy" } });
  await user.click(
    within(await screen.findByRole("dialog")).getByRole("button", { name: "Retry" }),
  );
  const asking = await screen.findByRole("dialog", { name: "Retry this delivery?" });
  await user.click(within(asking).getByRole("button", { name: "Retry" }));
  expect(await screen.findByText("busy")).toBeTruthy();
  expect(screen.getByRole("dialog", { name: "Retry this delivery?" })).toBeTruthy();
});

test("all that is found is exported, and it is said when that is not all", async () => {
  const texts: Promise<string>[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    texts.push((blob as Blob).text());
    return "blob:x";
  });
  const { user } = show("/d?state=all");
  await screen.findByText("no route to host 1");
  await user.click(screen.getByRole("button", { name: "Columns and export" }));
  await user.click(await screen.findByRole("menuitem", { name: "Export as CSV" }));
  await waitFor(() => expect(texts).toHaveLength(1));
  expect(asked.at(-1)?.get("limit")).toBe("10000");
  expect((await texts[0])?.split("\r\n")[0]).toBe(
    "Event,Handler,Error,Tries,Next Try,Parked Since",
  );
  expect(await screen.findByText(/Only the first 3 of 60 rows are in the file/)).toBeTruthy();
});

test("nothing parked is said in words", async () => {
  routes["GET /api/db/event_deliveries"] = () => ({
    body: [],
    headers: { "content-range": "*/0" },
  });
  show();
  expect(await screen.findByText("Nothing is parked")).toBeTruthy();
});
