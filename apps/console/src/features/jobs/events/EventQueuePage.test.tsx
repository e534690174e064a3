// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { EventQueuePage } from "./EventQueuePage.tsx";

let asked: URLSearchParams[];
let rows: object[];

beforeEach(() => {
  localStorage.clear();
  asked = [];
  rows = [
    {
      name: "check.failed",
      pending: 1200,
      failed: 2,
      average_attempts: 1.25,
      first_failure: "2026-01-01T00:00:00Z",
      last_failure: "2026-01-02T00:00:00Z",
      most_common_error: "no route to host\nat line 2",
    },
  ];
  fakeApi({
    "GET /api/db/event_queue_summary": ({ url }) => {
      asked.push(url.searchParams);
      return { body: rows };
    },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = () =>
  renderPage(EventQueuePage, {
    path: "/settings/event-queue-status",
    address: "/settings/event-queue-status",
  });

test("events that wait stand with what went wrong, the last failure first", async () => {
  show();
  const table = await screen.findByRole("grid", { name: "event queue" });
  await within(table).findByText("check.failed");
  expect(asked[0]?.get("order")).toBe("last_failure.desc.nullslast,name.asc");
  expect(
    within(table)
      .getAllByRole("columnheader")
      .map(({ textContent }) => textContent),
  ).toEqual([
    "Name",
    "Pending",
    "Failed",
    "Average Attempts",
    "First Failure",
    "Last Failure",
    "Most Common Error",
  ]);
  expect(within(table).getByText((1200).toLocaleString())).toBeTruthy();
  expect(within(table).getByText("no route to host")).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Event Queue" })).toBeTruthy();
});

test("they are sorted by how often they were tried, and say it", async () => {
  rows = [
    rows[0]!,
    { ...rows[0], name: "team.update", failed: 0, average_attempts: 3.5 },
    { ...rows[0], name: "person.invite", average_attempts: 0 },
  ];
  const { user } = show();
  const table = await screen.findByRole("grid", { name: "event queue" });
  await within(table).findByText("3.5");
  await user.click(within(table).getByRole("button", { name: "Average Attempts" }));
  const names = () =>
    within(table)
      .getAllByText(/^[a-z]+\.[a-z]+$/)
      .map(({ textContent }) => textContent);
  expect(names()).toEqual(["person.invite", "check.failed", "team.update"]);
});

test("an event leads to its deliveries", async () => {
  const { user, history } = show();
  await user.click(await screen.findByText("check.failed"));
  expect(history.location.href).toBe(
    "/settings/event-queue-status/deliveries?query=check.failed&state=all",
  );
});

test("nothing waits", async () => {
  rows = [];
  show();
  expect(await screen.findByText(/every event has been handled/)).toBeTruthy();
});
