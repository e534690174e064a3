// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LogAnswer, LogLine } from "@mainstay/contract/logs/log-answers.ts";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { LogsPage } from "./LogsPage.tsx";

vi.mock("@mainstay/ui/count-chart/CountChart.tsx", () => ({
  CountChart: ({ onZoom }: { onZoom: (from: number, to: number) => void }) => (
    <button type="button" onClick={() => onZoom(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2))}>
      zoom in
    </button>
  ),
}));

const line = (number: number, more: Partial<LogLine> = {}): LogLine => ({
  id: `1-${number}`,
  timestamp: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
  message: `line ${number}`,
  labels: { app: "web" },
  level: "info",
  ...more,
});
/** From the newest down. */
const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => line(from - index));

interface Asked {
  id?: string;
  name?: string;
  query?: string;
  start?: string;
  end?: string;
  cursor?: string;
}
let asked: Asked[];
let answer: (asked: Asked) => Partial<LogAnswer>;
let api: ReturnType<typeof fakeApi>;

beforeEach(() => {
  asked = [];
  answer = () => ({ total: 2, results: [line(2, { level: "error" }), line(1)] });
  const logs: FakeRoute = ({ body }) => {
    asked.push(body as Asked);
    return { body: { total: 0, results: [], ...answer(body as Asked) } };
  };
  api = fakeApi({
    "POST /api/logs": logs,
    "POST /api/logs/histogram": () => ({
      body: {
        step: 60_000,
        start: line(0).timestamp,
        end: line(60).timestamp,
        buckets: [{ start: line(0).timestamp, counts: { info: 1, error: 1 } }],
        reached: line(30).timestamp,
      },
    }),
    "GET /api/logs/sources": () => ({
      body: { sources: [{ id: "store", name: "Mainstay", type: "store" }] },
    }),
    "GET /api/logs/labels": () => ({ body: { labels: [{ name: "app", values: ["web", "api"] }] } }),
    "GET /api/db/components_with_logs": () => ({
      body: [{ id: "c1", name: "orders", icon: null, type: "App" }],
      headers: { "content-range": "0-0/1" },
    }),
    "GET /api/db/component_names": () => ({ body: [{ id: "c1", name: "orders" }] }),
    "GET /api/topology": () => ({
      body: { components: [{ id: "c1", logs: [{ name: "pods" }, { name: "jobs" }] }] },
    }),
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const show = (address = "/logs") => renderPage(LogsPage, { path: "/logs", address });
const row = (text: RegExp | string) => screen.findByRole("row", { name: text });

test("lines of the own store stand there at once, with their level and the range that was asked", async () => {
  show();
  const newest = await row(/line 2/);
  expect(within(newest).getByText("error")).toBeTruthy();
  expect(screen.getByText("2 lines")).toBeTruthy();
  expect(
    await screen.findByText(/^Counted back to .*; before that nobody counted\.$/),
  ).toBeTruthy();
  expect(Object.keys(asked[0]!).toSorted()).toEqual(["limit", "start"]);
});

test("a search that found nothing in its time says how far it has looked, and goes on when asked", async () => {
  answer = () => ({ results: [], next: "c1", reached: "2026-01-01T18:00:00.000Z" });
  show("/logs?start=2026-01-01T00:00:00.000Z&end=2026-01-02T00:00:00.000Z&query=-health");
  await screen.findByText("Nothing found so far");
  expect(screen.getByText(/^Looked back to .*, 25% of the time range\.$/)).toBeTruthy();
  expect(screen.queryByText(/There are no logs/)).toBeNull();
  expect(asked).toHaveLength(1);
  answer = () => ({ results: [line(7)] });
  screen.getByRole("button", { name: "Look further" }).click();
  await row(/line 7/);
  expect(asked[1]).toMatchObject({ cursor: "c1" });
  expect(screen.queryByText(/Looked back/)).toBeNull();
});

test("a search that found little in its time waits for whoever reads, and keeps what it found", async () => {
  answer = () => ({ results: [line(7)], next: "c1", reached: "2026-01-01T18:00:00.000Z" });
  show("/logs?start=2026-01-01T00:00:00.000Z&end=2026-01-02T00:00:00.000Z&query=-health");
  await row(/line 7/);
  const further = await screen.findByRole("button", { name: "Look further" });
  await waitFor(() => expect(further.getAttribute("aria-disabled")).not.toBe("true"));
  expect(asked).toHaveLength(1);
  answer = () => ({ results: [] });
  further.click();
  await waitFor(() => expect(screen.queryByText(/Looked back/)).toBeNull());
  expect(asked).toHaveLength(2);
  expect(await row(/line 7/)).toBeTruthy();
});

test("the range and the query of the address are honoured", async () => {
  show(
    `/logs?start=2026-01-01T00:00:00.000Z&end=2026-01-02T00:00:00.000Z&query=${encodeURIComponent("level>=warn x")}`,
  );
  await row(/line 2/);
  expect(asked[0]).toMatchObject({
    query: "level>=warn x",
    start: "2026-01-01T00:00:00.000Z",
    end: "2026-01-02T00:00:00.000Z",
  });
});

test("a component is asked for by its first selector, or the one that is chosen", async () => {
  const { user, history } = show("/logs?topologyId=c1");
  await row(/line 2/);
  expect(asked[0]).toMatchObject({ id: "c1" });
  await user.selectOptions(await screen.findByLabelText("Selector"), "jobs");
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ id: "c1", name: "jobs" }));
  expect(history.location.search).toContain("logsSelector=jobs");
});

test("a mistake is told and not asked; what is right is asked when typing pauses", async () => {
  const { user, history } = show();
  await row(/line 2/);
  const before = asked.length;
  const box = screen.getByRole("combobox", { name: "Search logs" });
  await user.click(box);
  await screen.findByRole("listbox", { name: "Suggestions" });
  await user.type(box, "level>=loud");
  expect(await screen.findByText(/is no level/)).toBeTruthy();
  expect(asked.length).toBe(before);
  await user.clear(box);
  await user.type(box, "level>=warn");
  await waitFor(() => expect(history.location.search).toContain("level"));
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ query: "level>=warn" }));
});

test("an address with a mistake asks nothing, and says what is wrong", async () => {
  show("/logs?query=level%3E%3Dloud");
  expect(await screen.findByText(/"loud" is no level/)).toBeTruthy();
  expect(asked).toEqual([]);
});

test("nothing there: what to do without a question, and what was found with one", async () => {
  answer = () => ({ total: 0, results: [] });
  show();
  expect(await screen.findByText("Please select a component to view the logs")).toBeTruthy();
  cleanup();
  show("/logs?query=x");
  expect(await screen.findByText("There are no logs matching the search query")).toBeTruthy();
});

test("a failure is told, and asked again; a backend that failed is named beside the lines", async () => {
  api.routes["POST /api/logs"] = () => ({ status: 502, body: { message: "loki is away" } });
  const { user } = show();
  expect(await screen.findByText("loki is away")).toBeTruthy();
  api.routes["POST /api/logs"] = () => ({
    body: {
      total: 1,
      results: [line(1)],
      notices: ["Only 1 day was looked at."],
      sources: [{ id: "b", name: "files", type: "file", error: "no such folder" }],
    },
  });
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await row(/line 1/);
  const notices = screen.getByRole("list", { name: "Notices" });
  expect(notices.textContent).toContain("Only 1 day was looked at.");
  expect(notices.textContent).toContain("files did not answer: no such folder");
});

test("a line opens with its labels, which add to the search, and stands in the address", async () => {
  const { user, history } = show();
  (await row(/line 1/)).focus();
  await user.keyboard("{Enter}");
  const labels = await screen.findByRole("table", { name: "Labels" });
  expect(new URLSearchParams(history.location.search).get("line")).toBe("1-1");
  await user.click(within(labels).getByRole("button", { name: "Leave out lines with this app" }));
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ query: "-app=web" }));
});

test("the keyboard goes from line to line, opens and closes, and chooses with Shift", async () => {
  answer = () => ({ total: 9, results: lines(9, 9) });
  const { user, history } = show();
  (await row(/line 9/)).focus();
  await user.keyboard("jj");
  expect(document.activeElement?.textContent).toContain("line 7");
  await user.keyboard("{Enter}");
  await screen.findByRole("table", { name: "Labels" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("table", { name: "Labels" })).toBeNull());
  await user.keyboard(" ");
  await user.keyboard("jj");
  await user.keyboard("{Shift>} {/Shift}");
  expect(await screen.findByText("3 chosen")).toBeTruthy();
  expect(new URLSearchParams(history.location.search).get("selected")).toBe("1-7 1-6 1-5");
});

test("a permalink opens what is around its line, and says when that is gone", async () => {
  let isThere = true;
  api.routes["POST /api/logs/context"] = () =>
    isThere
      ? { body: { before: [line(4)], line: line(5), after: [line(6)] } }
      : { status: 404, body: { message: "no such line" } };
  show("/logs?line=1-5");
  const own = await row(/line 5/);
  expect(own.getAttribute("aria-expanded")).toBe("true");
  expect(await row(/line 4/)).toBeTruthy();
  expect(await row(/line 6/)).toBeTruthy();
  cleanup();
  isThere = false;
  show("/logs?line=1-5");
  expect(
    await screen.findByText("The line that the address names is not there any more."),
  ).toBeTruthy();
});

test("repeated lines are one, with a count, when that is asked for", async () => {
  answer = () => ({
    total: 3,
    results: [line(3, { message: "retry" }), line(2, { message: "retry" }), line(1)],
  });
  const { user, history } = show();
  await waitFor(() => expect(screen.getAllByText("retry")).toHaveLength(2));
  await user.click(screen.getByRole("button", { name: "Show repeated lines once" }));
  expect(await screen.findByText("×2")).toBeTruthy();
  expect(history.location.search).toContain("dedupe=true");
});

test("the legend leaves levels out; a stretch is zoomed into, and back", async () => {
  const { user, history } = show();
  await row(/line 2/);
  await user.click(await screen.findByRole("button", { name: "info 1" }));
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ query: "-level=info" }));
  await user.click(screen.getByRole("button", { name: "zoom in" }));
  await waitFor(() =>
    expect(asked.at(-1)).toMatchObject({
      start: "2026-01-01T00:00:00.000Z",
      end: "2026-01-02T00:00:00.000Z",
    }),
  );
  await user.click(await screen.findByRole("button", { name: "Zoom out" }));
  await waitFor(() => expect(history.location.search).not.toContain("start"));
});

test("older lines are asked for where the page before ended", async () => {
  answer = ({ cursor }) =>
    cursor === undefined
      ? { total: 1000, results: lines(1000, 500), next: "c1" }
      : { results: lines(500, 500) };
  show();
  await row(/line 1000/);
  expect(screen.getByText("500 of 1,000 lines")).toBeTruthy();
});

test("where nobody knows how many there are, it is said that these are not all", async () => {
  api.routes["POST /api/logs"] = ({ body }) =>
    (body as Asked).cursor === undefined
      ? { body: { results: lines(9, 9), next: "c1" } }
      : { status: 502, body: { message: "away" } };
  show();
  await row(/line 9/);
  expect(screen.getByText("9 lines so far")).toBeTruthy();
});

test("a line is shown without its colours, an empty one as such, and its level once", async () => {
  answer = () => ({
    results: [
      line(3, { message: "\u001b[31mred\u001b[0m alarm" }),
      line(2, { message: " " }),
      line(1, { labels: { level: "info", app: "web" } }),
    ],
  });
  show();
  expect((await row(/line 1/)).textContent).not.toContain("level=");
  await row(/(?<!\S)red alarm/);
  await row(/\(empty\)/);
});

test("what is around a line names the line itself", async () => {
  const before = lines(4, 4).toReversed();
  api.routes["POST /api/logs/context"] = () => ({
    body: { before, line: line(5, { message: "\u001b[1mbold\u001b[0m one" }), after: [line(6)] },
  });
  const { user } = show();
  (await row(/line 1/)).focus();
  await user.keyboard("{Enter}");
  await user.click(await screen.findByRole("button", { name: "Before and after" }));
  const own = within(await screen.findByRole("list", { name: "Lines before and after" }))
    .getAllByRole("listitem")
    .filter((one) => one.getAttribute("aria-current") === "true");
  expect(own.map((one) => one.textContent)).toEqual([expect.stringContaining("bold one")]);
});

test("lines that come by themselves stand before the others; paused, they wait and are counted", async () => {
  const streams: EventTarget[] = [];
  vi.stubGlobal(
    "EventSource",
    class extends EventTarget {
      constructor() {
        super();
        streams.push(this);
      }
      close() {}
    },
  );
  const send = (...sent: LogLine[]) =>
    streams
      .at(-1)!
      .dispatchEvent(new MessageEvent("lines", { data: JSON.stringify({ lines: sent }) }));
  const { user } = show("/logs?live=true");
  await row(/line 2/);
  send(line(3), line(4));
  await row(/line 4/);
  await user.click(screen.getByRole("button", { name: "Pause" }));
  send(line(5));
  expect(await screen.findByText("1 came meanwhile")).toBeTruthy();
  expect(screen.getByText("Paused")).toBeTruthy();
  expect(screen.queryByText("line 5")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Go on" }));
  await row(/line 5/);
});

test("lines are saved as a file of text, and of JSON", async () => {
  const files: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((file) => `blob:${files.push(file as Blob)}`);
  api.routes["GET /api/logs/download"] = ({ url }) => ({
    body: [{ message: url.searchParams.get("format") }],
  });
  const { user } = show();
  await row(/line 2/);
  for (const [index, format] of ["text", "JSON"].entries()) {
    await user.click(await screen.findByRole("button", { name: "Download" }));
    await user.click(await screen.findByRole("menuitem", { name: `As ${format}` }));
    await waitFor(() => expect(files).toHaveLength(index + 1));
    expect(await files[index]?.text()).toBe(`[{"message":"${format.toLowerCase()}"}]`);
  }
});

test("a download is told when it fails", async () => {
  api.routes["GET /api/logs/download"] = () => ({ status: 400, body: { message: "too many" } });
  const { user } = show();
  await row(/line 2/);
  await user.click(screen.getByRole("button", { name: "Download" }));
  await user.click(await screen.findByRole("menuitem", { name: "As text" }));
  expect(await screen.findByText("Failed to download logs: too many")).toBeTruthy();
});
