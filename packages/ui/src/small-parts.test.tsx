// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Age, exactTime } from "./Age.tsx";
import { AvatarStack } from "./AvatarStack.tsx";
import { Breadcrumb } from "./Breadcrumb.tsx";
import { Icon } from "./Icon.tsx";
import { RefreshRateSelect } from "./RefreshRateSelect.tsx";
import { PageSkeleton, SkeletonRows } from "./Skeletons.tsx";
import { SplitBar } from "./SplitBar.tsx";
import { StatusStrip, type StripEntry } from "./status-strip/StatusStrip.tsx";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: `Person ${index}` }));

test.each([
  [1, 1, null],
  [5, 5, null],
  [6, 5, "and 1 more"],
  [40, 5, "and 35 more"],
])("a stack of %d shows %d people", (count, shown, more) => {
  render(<AvatarStack label="Responders" people={people(count)} />);
  const items = screen.getAllByRole("listitem").map((item) => item.textContent);
  expect(items.filter((text) => text?.includes("Person"))).toHaveLength(shown);
  expect(screen.queryByText(/^and \d+ more$/)?.textContent ?? null).toBe(more);
});

test("an age ticks, and says the exact moment", () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 3, 4, 5) });
  const moment = Date.UTC(2026, 0, 2, 3, 3, 7);
  const rendered = vi.fn();
  function Around() {
    rendered();
    return <Age at={moment} />;
  }
  render(<Around />);
  const time = screen.getByText("58s ago");
  expect(time.getAttribute("datetime")).toBe("2026-01-02T03:03:07.000Z");
  expect(time.getAttribute("data-tooltip")).toMatch(/\n2026-01-02 03:03:07 UTC$/);
  // Everywhere by the clock of 24 hours.
  for (const hour of [3, 15])
    expect(exactTime(Date.UTC(2026, 0, 2, hour))).not.toMatch(/[ap]\.?m/i);
  act(() => {
    vi.advanceTimersByTime(2_000);
  });
  expect(time.textContent).toBe("1m ago");
  expect(rendered).toHaveBeenCalledTimes(1);
});

test.each([null, undefined, "never", Number.NaN])("no age for %s", (at) => {
  render(<Age at={at} />);
  expect(screen.getByText("–")).toBeTruthy();
});

test("a breadcrumb leads everywhere but here", () => {
  render(
    <Breadcrumb
      crumbs={[
        { label: "Settings", href: "/settings" },
        { label: "Teams" },
        { label: "Web", href: "/x" },
      ]}
    />,
  );
  expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual(["Settings"]);
  expect(screen.getByText("Web").closest("li")?.getAttribute("aria-current")).toBe("page");
});

test.each([
  [15, []],
  [60, ["Refresh: 15s", "Refresh: 30s"]],
  [180, ["Refresh: 15s", "Refresh: 30s", "Refresh: 2 min", "Refresh: 3 min"]],
])("for a range of %d minutes some rates cannot be chosen", (rangeMinutes, disabled) => {
  render(<RefreshRateSelect rateMs={0} rangeMinutes={rangeMinutes} onChange={() => {}} />);
  const options = screen.getAllByRole<HTMLOptionElement>("option");
  expect(options.map(({ text }) => text.replace("Refresh: ", ""))).toEqual([
    "none",
    "15s",
    "30s",
    "1 min",
    "2 min",
    "3 min",
    "5 min",
    "10 min",
    "15 min",
  ]);
  expect(options.filter((option) => option.disabled).map(({ text }) => text)).toEqual(disabled);
});

test("8 rows for a list, 6 for a page, and words for those who see neither", () => {
  const rows = () => screen.getByRole("status").querySelectorAll(".border-b").length;
  render(<SkeletonRows label="loading data..." />);
  expect(rows()).toBe(8);
  expect(screen.getByRole("status").textContent).toBe("loading data...");
  cleanup();
  render(<PageSkeleton />);
  expect(rows()).toBe(6);
});

const at = Date.UTC(2026, 0, 1);
const strip = (...entries: StripEntry[]) =>
  render(<StatusStrip entries={entries} slots={3} height={20} />).container.querySelector("svg")!;
const said = (svg: Element) =>
  [...svg.querySelectorAll<SVGElement>("[data-tooltip]")].map(
    (bar) => bar.dataset["tooltip"]?.split("\n") ?? [],
  );

test("a strip shows the last results, the newest at the right, and tells each to whoever points at it", () => {
  const svg = strip([at, 10, 1], [at, 20, 1], [at + 1_000, 40, 0, "refused"], [at, 1_500, 1]);
  expect(screen.getByRole("img", { name: "Last 3 results: 1 failed" })).toBe(svg);
  // Hundreds of strips are drawn while a list is scrolled.
  expect(svg.querySelectorAll("*")).toHaveLength(2);
  fireEvent.pointerEnter(svg);
  expect(said(svg).map((lines) => lines.slice(0, 2))).toEqual([
    ["Passed in 20ms", expect.any(String)],
    ["Failed in 40ms", "refused"],
    ["Passed in 1.5s", expect.any(String)],
  ]);
  fireEvent.pointerLeave(svg);
  expect(said(svg)).toEqual([]);
  // A failure is told without colour: by a foot that the others have not.
  const [passed, failed] = [...svg.querySelectorAll("path")].map((bars) => bars.getAttribute("d"));
  expect(passed?.match(/M\d+ 18/g)).toEqual(["M0 18", "M10 18"]);
  expect(failed).toMatch(/^M5 20/);
});

test("few results stand at the right; none is said", () => {
  expect(strip([at, 10, 1]).querySelector("path")?.getAttribute("d")).toMatch(/^M10 /);
  cleanup();
  expect(strip().querySelectorAll("path")).toHaveLength(0);
  expect(screen.getByRole("img", { name: "No results" })).toBeTruthy();
});

test("a summary says its parts", () => {
  render(
    <SplitBar
      counted="healthy"
      parts={[
        { tone: "healthy", count: 1_028, label: "healthy" },
        { tone: "warning", count: 0, label: "warning" },
        { tone: "unhealthy", count: 12, label: "unhealthy" },
      ]}
    />,
  );
  const bar = screen.getByRole("img", { name: "1,028 healthy, 12 unhealthy of 1,040" });
  expect(bar.textContent).toBe("1,028 / 1,040");
});

test.each([
  ["kubernetes", "k"],
  ["王", "王"],
  ["", "?"],
])("without marks, %j is drawn as %s", (name, letter) => {
  const { container } = render(<Icon name={name} />);
  expect(container.textContent).toBe(letter);
});
