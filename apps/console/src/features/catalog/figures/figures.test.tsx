// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { renderPage } from "../../../testing/render-page.tsx";
import { costDifference, costText } from "./cost.ts";
import { CostText } from "./CostText.tsx";
import { HealthBadge } from "./HealthBadge.tsx";
import { ItemLink } from "../shared/ItemLink.tsx";
import { DeletedMark, isStale, StaleMark } from "./marks.tsx";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test.each([
  [null, "–"],
  [0, "–"],
  [0.004, "$0.00"],
  [3.456, "$3.46"],
  [10, "$10.00"],
  [10.4, "$10"],
  [999.6, "$1000"],
  [1234, "$1.2k"],
  [45_600, "$46k"],
  [25_690_000, "$26M"],
  [-12, "-$12"],
])("a cost of %j reads %s", (amount, text) => {
  expect(costText(amount)).toBe(text);
});

test.each([
  [10, 300, undefined],
  [11, 300, undefined],
  [11.2, 300, "+12%"],
  [5, 300, "-50%"],
  [20, 300, "+100%"],
  [25, 300, "2.5x"],
  [30, 300, "3x"],
  [5, 0, undefined],
  [undefined, 300, undefined],
])("a day of %j in a month of %j differs by %j", (day, month, text) => {
  expect(costDifference({ cost_total_1d: day, cost_total_30d: month })?.text).toBe(text);
});

const now = Date.parse("2026-06-01T12:00:00Z");

test.each([
  ["2026-06-01T11:00:00Z", false],
  ["2026-06-01T10:59:59Z", true],
  [null, false],
  [undefined, false],
])("what was scraped at %s is stale: %s", (at, stale) => {
  expect(isStale(at, now)).toBe(stale);
});

test("an item says what it is, how it is, and what is wrong with what is known of it", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now });
  renderPage(
    () => (
      <>
        <ItemLink item={{ id: "i1", name: "web-1", type: "Host::Service" }} />
        <ItemLink item={{ id: "0000-123456789abc", name: null, type: null }} />
        <HealthBadge health="unhealthy" status="CrashLoopBackOff" />
        <HealthBadge health={null} />
        <HealthBadge health="healthy" status="Running" isDeleted />
        <StaleMark at="2026-06-01T09:00:00Z" />
        <StaleMark at="2026-06-01T11:30:00Z" />
        <DeletedMark at="2026-06-01T09:00:00Z" reason="STALE" />
        <CostText of="1d" cost_total_1d={25} cost_total_7d={80} cost_total_30d={300} />
      </>
    ),
    { path: "/x", address: "/x" },
  );
  const link = await screen.findByRole("link", { name: "web-1" });
  expect(link.getAttribute("href")).toBe("/catalog/i1");
  expect(screen.getByRole("link", { name: "123456789abc" })).toBeTruthy();
  expect(screen.getByText("CrashLoopBackOff")).toBeTruthy();
  // Not by colour alone.
  expect(screen.getByRole("img", { name: "Unhealthy" })).toBeTruthy();
  expect(screen.getByText("Unknown")).toBeTruthy();
  expect(screen.getByText("Running").parentElement?.dataset["tooltip"]).toBe(
    "Last status: Healthy\nRunning",
  );
  const stale = screen.getAllByText(/^Last scraped more/);
  expect(stale.map((one) => one.textContent)).toEqual([
    "Last scraped more than 1 hour ago: 3h ago",
  ]);
  expect(
    screen.getByText(/^Deleted/).closest<HTMLElement>("[data-tooltip]")?.dataset["tooltip"],
  ).toContain("Because its scraper did not find it any more");
  expect(screen.getByText("2.5x").parentElement?.dataset["tooltip"]).toContain(
    "The last day is 2.5 times the mean of 30 days",
  );
});
