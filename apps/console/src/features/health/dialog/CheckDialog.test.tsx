// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { relativeRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { buildGraph } from "../testing/build-graph.ts";
import { CheckDialog } from "./CheckDialog.tsx";
import { runAgainMs } from "./queries.ts";

vi.mock("@mainstay/ui/timeline-chart/TimelineChart.tsx", () => ({
  // A canvas draws nothing here; that the chart is given its points is what counts.
  TimelineChart: (props: {
    points: unknown[];
    thresholds: { value: number }[];
    onZoom: (from: number, to: number) => void;
    onZoomOut?: () => void;
  }) => (
    <p>
      chart of {props.points.length} points below {props.thresholds.map(({ value }) => value)}
      <button type="button" onClick={() => props.onZoom(1_000, 61_000)}>
        zoom
      </button>
      {props.onZoomOut && (
        <button type="button" onClick={props.onZoomOut}>
          out
        </button>
      )}
    </p>
  ),
}));

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const check = {
  id: "c1",
  canary_id: "y1",
  name: "front page",
  type: "http",
  status: "unhealthy",
  namespace: "web",
  severity: "critical",
  labels: { team: "red", tier: "1" },
  last_runtime: ago(1),
  next_runtime: ago(-1),
  last_transition_time: ago(30),
  canaries: { id: "y1", name: "shop", source: "UI" },
  components: [],
  configs: [],
};
const range = { start: ago(60), end: ago(0) };
const graph = buildGraph({
  range,
  runs: [{ time: ago(2), status: true, duration: 20 }],
  latency: { p95: 120, p97: 130, p99: 1_400, rolling1h: 20 },
  uptime: { passed: 9, failed: 1 },
  now: {
    status: "unhealthy",
    passed: false,
    since: ago(18),
    message: "answered 500, wanted 200",
    last_runtime: ago(1),
    next_runtime: ago(-1),
    last_transition_time: ago(30),
    endpoint: "https://shop.example/",
  },
});
const run = (time: string, status: boolean, error = "") => ({
  time,
  duration: 20,
  status,
  message: "",
  error,
});

const routes = (more: Record<string, FakeRoute> = {}) => ({
  "GET /api/db/checks": () => ({ body: [check] }),
  "GET /api/canary/api/graph": () => ({ body: graph }),
  "GET /api/db/check_statuses": () => ({
    body: [run(ago(1), false, "status 503"), run(ago(2), true)],
    headers: { "content-range": "0-1/120" },
  }),
  "GET /api/db/canaries": () => ({
    body: [{ id: "y1", name: "shop", namespace: "web", source: "UI", spec: { interval: 30 } }],
  }),
  ...more,
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(
  options: {
    range?: TimeRange;
    roles?: ("viewer" | "responder" | "admin")[];
    address?: string;
  } = {},
) {
  const onClose = vi.fn();
  const onRange = vi.fn();
  function Page() {
    const [tab, setTab] = useState("history");
    return (
      <CheckDialog
        checkId="c1"
        range={options.range}
        onRange={onRange}
        tab={tab}
        onTab={setTab}
        onClose={onClose}
      />
    );
  }
  const page = renderPage(Page, {
    path: "/health",
    address: options.address ?? "/health",
    session: options.roles ? { roles: options.roles } : {},
  });
  return { ...page, onClose, onRange };
}

test("the header says how it did, when it ran and how bad it is", async () => {
  fakeApi(routes());
  open();
  const dialog = await screen.findByRole("dialog", { name: "front page" });
  await within(dialog).findByText("9 passed, 1 failed");
  for (const text of ["90%", "120ms", "130ms", "1.4s", "critical", "1m ago", "30m ago"]) {
    expect(dialog.textContent, text).toContain(text);
  }
  await within(dialog).findByText(/chart of 1 points below/);
});

test.each([
  [{}, "text-unhealthy"],
  [{ status: "healthy", passed: true, message: "200 OK" }, "text-healthy"],
  [{ status: "unknown", passed: null, message: "" }, "text-unknown"],
] as const)("the dot beside the name is what the sentence says: %j", async (now, colour) => {
  fakeApi(
    routes({
      "GET /api/canary/api/graph": () => ({ body: { ...graph, now: { ...graph.now, ...now } } }),
    }),
  );
  open();
  const dialog = await screen.findByRole("dialog", { name: "front page" });
  await within(dialog).findByText("9 passed, 1 failed");
  const title = within(dialog).getByRole("heading", { level: 2 });
  expect([...title.querySelector("svg")!.classList]).toContain(colour);
});

test("a run that is due is due now, and not some time ago", async () => {
  const due = { ...graph.now, next_runtime: new Date(Date.now() - 5_000).toISOString() };
  fakeApi(routes({ "GET /api/canary/api/graph": () => ({ body: { ...graph, now: due } }) }));
  open();
  const dialog = await screen.findByRole("dialog", { name: "front page" });
  const next = (await within(dialog).findByText("Next run")).parentElement!;
  await waitFor(() => expect(next.textContent).toMatch(/^Next runnow/));
});

test("the range follows the age of the last run unless one is given", async () => {
  const api = fakeApi(
    routes({ "GET /api/db/checks": () => ({ body: [{ ...check, last_runtime: ago(60 * 30) }] }) }),
  );
  open();
  await screen.findByRole("button", { name: "Time range: Last 2 days" });
  await waitFor(() =>
    expect(
      api.calls.some((call) => call.includes("/graph?check=c1&count=300&runs=300&start=2d")),
    ).toBe(true),
  );
  cleanup();
  open({ range: relativeRange("3w") });
  await screen.findByRole("button", { name: "Time range: Last 3 weeks" });
});

test("history: duration, status and page go into the question", async () => {
  const api = fakeApi(routes());
  const { user, history } = open();
  await screen.findByRole("row", { name: /status 503/ });
  const asked = () =>
    decodeURIComponent(api.calls.findLast((call) => call.includes("check_statuses")) ?? "");
  // The very range that the header and the chart are of.
  expect(asked()).toContain(
    `check_id=eq.c1&time=gte.${range.start}&time=lte.${range.end}&order=time.desc&limit=50&offset=0`,
  );

  const duration = screen.getByRole("textbox", { name: "Duration" });
  await user.clear(duration);
  await user.type(duration, "2m");
  expect(screen.getByRole("alert").textContent).toBe(
    "duration is allowed only in milli seconds & seconds",
  );
  await user.clear(duration);
  await user.type(duration, "1.5s");
  await waitFor(() => expect(asked()).toContain("&duration=gte.1500"));
  expect(screen.queryByRole("alert")).toBeNull();

  await user.selectOptions(screen.getByRole("combobox", { name: "Status" }), "unhealthy");
  await waitFor(() => expect(asked()).toContain("&status=eq.0"));
  await user.click(screen.getByRole("button", { name: "Next" }));
  await waitFor(() => expect(asked()).toContain("&limit=50&offset=50"));
  // All of it can be handed on.
  expect(Object.fromEntries(new URLSearchParams(history.location.search))).toEqual({
    historyDuration: "1.5s",
    historyStatus: "unhealthy",
    historyPage: "2",
  });
});

test("an address opens the history as it was left", async () => {
  const api = fakeApi(routes());
  open({ address: "/health?historyStatus=unknown&historyDuration=2s&historySort=duration.desc" });
  await screen.findByRole("row", { name: /status 503/ });
  const asked = decodeURIComponent(api.calls.findLast((call) => call.includes("check_statuses"))!);
  expect(asked).toContain("&status=is.null&duration=gte.2000&order=duration.desc");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Duration" }).value).toBe("2s");
});

test("j and k go through the list from anywhere in the dialog but its fields", async () => {
  fakeApi(routes());
  const { user } = open();
  const first = await screen.findByRole("row", { name: /status 503/ });
  screen.getByRole("button", { name: "Run Now" }).focus();
  await user.keyboard("j");
  await waitFor(() => expect(document.activeElement).toBe(first));
  await user.keyboard("j");
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("row", { name: /Passed/ })),
  );
  await user.click(screen.getByRole("textbox", { name: "Duration" }));
  await user.keyboard("k");
  expect(document.activeElement?.tagName).toBe("INPUT");
});

test("beside each age stands the exact time", async () => {
  fakeApi(routes());
  open();
  const dialog = await screen.findByRole("dialog", { name: "front page" });
  await within(dialog).findByText("9 passed, 1 failed");
  for (const label of ["Last run", "Transitioned", "Next run"])
    expect(within(dialog).getByText(label).nextElementSibling?.textContent, label).toMatch(
      /\d\d:\d\d:\d\d$/,
    );
});

test("numbers, chart and list of a range come together", async () => {
  let answer = () => {};
  const isAsked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const api = fakeApi(
    routes({
      "GET /api/db/check_statuses": async () => {
        await isAsked;
        return { body: [run(ago(1), false, "status 503")], headers: { "content-range": "0-0/10" } };
      },
    }),
  );
  open();
  await waitFor(() => expect(api.calls.some((call) => call.includes("check_statuses"))).toBe(true));
  expect(screen.queryByText("9 passed, 1 failed")).toBeNull();
  answer();
  await screen.findByText("9 passed, 1 failed");
  await screen.findByText("status 503");
});

test("it begins with a sentence, and what is tried can be copied", async () => {
  const description = "What customers see first.";
  fakeApi(routes({ "GET /api/db/checks": () => ({ body: [{ ...check, description }] }) }));
  open();
  const told = await screen.findByRole("region", { name: "How it stands" });
  await within(told).findByText("Failing for 18 min");
  const words = [": answered 500, wanted 200", "http", "https://shop.example/", "of shop"];
  for (const text of [...words, description]) expect(told.textContent, text).toContain(text);
  within(told).getByRole("button", { name: "Copy endpoint" });
});

test("zooming asks for the marked range, and leads back step by step", async () => {
  fakeApi(
    routes({
      "GET /api/db/checks": () => ({ body: [{ ...check, spec: { thresholdMillis: 75 } }] }),
    }),
  );
  const { user, onRange } = open({ range: relativeRange("3h") });
  await screen.findByText(/points below 75/);
  expect(screen.queryByRole("button", { name: "out" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "zoom" }));
  expect(onRange).toHaveBeenLastCalledWith({
    kind: "absolute",
    from: "1970-01-01T00:00:01.000Z",
    to: "1970-01-01T00:01:01.000Z",
  });
  await user.click(screen.getByRole("button", { name: "zoom" }));
  await user.click(screen.getByRole("button", { name: "out" }));
  await user.click(screen.getByRole("button", { name: "out" }));
  expect(onRange).toHaveBeenLastCalledWith(relativeRange("3h"));
  expect(screen.queryByRole("button", { name: "out" })).toBeNull();
});

test("an open run shows what it kept, and one that kept nothing its message", async () => {
  const details = {
    code: 503,
    reason: "Service Unavailable",
    headers: { "content-type": "text/html", "set-cookie": "[hidden]" },
    timings: { dns: 1, connect: 2, firstByte: 250 },
    endedIn: "firstByte",
    content: "<h1>no room</h1>",
  };
  const api = fakeApi(
    routes({
      "GET /api/db/check_statuses": ({ url }) =>
        url.searchParams.get("select") === "details"
          ? { body: [{ details }] }
          : {
              body: [run(ago(1), false, "status 503")],
              headers: { "content-range": "0-0/1" },
            },
    }),
  );
  const { user } = open();
  await user.click(await screen.findByRole("row", { name: /status 503/ }));
  const found = await screen.findByRole("region", { name: "Details of this run" });
  for (const text of ["503 Service Unavailable", "First byte", "250ms it ended here", "[hidden]"])
    expect(found.textContent, text).toContain(text);
  await within(found).findByText(/no room/);
  expect(api.calls.filter((call) => call.includes("select=details"))).toHaveLength(1);
});

test("a held check says why, and why it cannot be run", async () => {
  const api = fakeApi(
    routes({
      "GET /api/canary/api/graph": () => ({
        body: { ...graph, now: { ...graph.now, status: "unknown", held: "its agent is away" } },
      }),
    }),
  );
  const { user } = open({ roles: ["admin"] });
  await screen.findByText("Held, not run");
  const button = screen.getByRole("button", { name: "Run Now" });
  expect(button.getAttribute("aria-description")).toBe(
    "It is held and cannot run: its agent is away",
  );
  await user.click(button);
  expect(api.calls.filter((call) => call.startsWith("POST"))).toEqual([]);
});

const [first, second] = [ago(1), ago(2)];
const file = (id: string, more: object = {}) => ({
  id,
  check_time: first,
  path: `reports/${id}.xml`,
  filename: `${id}.xml`,
  size: 1_536,
  checksum: id.repeat(64).slice(0, 64),
  created_at: first,
  // And some, so that it is five days for as long as the test takes.
  expires_at: ago(-60 * (24 * 5 + 1)),
  ...more,
});
const leavingRoutes = (of: object, files: FakeRoute) =>
  routes({
    "GET /api/db/checks": () => ({ body: [{ ...check, type: "exec", ...of }] }),
    "GET /api/db/check_statuses": () => ({
      body: [run(first, true), run(second, false, "status 503")],
      headers: { "content-range": "0-1/2" },
    }),
    "GET /api/db/artifacts": files,
  });
const asking = { spec: { artifacts: [{ path: "*" }] } };

test("a run shows the files that it left, each to be downloaded; one without says so", async () => {
  const api = fakeApi(leavingRoutes(asking, () => ({ body: [file("a"), file("b", { size: 0 })] })));
  const { user } = open();
  const row = await screen.findByRole("row", { name: /2 files/ });
  const asked = decodeURIComponent(api.calls.find((call) => call.includes("artifacts")) ?? "");
  expect(asked).toContain(`check_id=eq.c1&check_time=gte.${second}&check_time=lte.${first}`);
  await user.click(row);
  const files = screen.getByRole("region", { name: "Files of this run" });
  const [a, b] = within(files).getAllByRole<HTMLAnchorElement>("link");
  expect([a!.textContent, a!.getAttribute("href"), a!.download]).toEqual([
    "reports/a.xml",
    "/api/artifacts/download/a",
    "a.xml",
  ]);
  expect(b!.textContent).toBe("reports/b.xml");
  for (const text of ["1.5kb", "0b", "1m ago", "goes in 5d", "aaaaaaaaaaaa"])
    expect(files.textContent, text).toContain(text);
  await user.click(screen.getByRole("row", { name: /status 503/ }));
  expect(screen.getByRole("region", { name: "Files of this run" }).textContent).toContain(
    "No files of this run are kept",
  );
});

test("files that cannot be listed are asked for again", async () => {
  let isAway = true;
  fakeApi(
    leavingRoutes(asking, () =>
      isAway ? { status: 403, body: { message: "not for you" } } : { body: [file("a")] },
    ),
  );
  const { user } = open();
  await user.click(await screen.findByRole("row", { name: /Passed/ }));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("could not be listed: not for you");
  isAway = false;
  await user.click(within(alert).getByRole("button", { name: "Retry" }));
  await screen.findByRole("link", { name: "reports/a.xml" });
});

test.each([
  ["a type that leaves none is not asked", { type: "http", ...asking }, false],
  ["a document that names none is, as runs before may have left some", {}, true],
])("%s", async (_name, of, isAsked) => {
  const api = fakeApi(leavingRoutes(of, () => ({ body: [] })));
  const { user } = open();
  await user.click(await screen.findByRole("row", { name: /status 503/ }));
  await screen.findByRole("region", { name: /^Result of/ });
  expect(api.calls.some((call) => call.includes("/artifacts"))).toBe(isAsked);
  expect(screen.queryByRole("columnheader", { name: "Files" })).toBeNull();
  expect(screen.queryByRole("region", { name: "Files of this run" })).toBeNull();
});

test("the document is shown as somebody wrote it, opened at the check", async () => {
  const text = `# Ask Ann before.
kind: Canary
spec:
  interval: 30 # half a minute
  http:
    - name: back
      url: https://example.org
    # The front.
    - url: https://example.com # the page
      name: front page
`;
  fakeApi(
    routes({
      "GET /api/documents/canary/y1": () => ({
        body: { id: "y1", source: null, text, document: { metadata: { name: "shop" }, spec: {} } },
      }),
    }),
  );
  const { user } = open();
  await user.click(await screen.findByRole("tab", { name: "Spec" }));
  const shown = await screen.findByRole("region", { name: "Spec of shop" });
  expect(shown.textContent).toContain("# Ask Ann before.");
  expect(shown.textContent).toContain("interval: 30 # half a minute");
  expect(shown.textContent).toContain("L9-10");
});

test("run now: busy while it runs, asks again afterwards", async () => {
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const api = fakeApi(
    routes({
      "GET /api/canary/api/graph": () => ({
        body: { ...graph, range: { ...range, end: new Date().toISOString() } },
      }),
      "POST /api/canary/run/check/c1": async () => {
        await done;
        return { body: { pass: true, duration: 12, total: 1, success: 1, failed: 0, errors: [] } };
      },
    }),
  );
  const { user } = open({ roles: ["responder"] });
  await user.click(await screen.findByRole("button", { name: "Run Now" }));
  const busy = await screen.findByRole<HTMLButtonElement>("button", { name: "Running..." });
  expect(busy.disabled).toBe(true);
  const before = api.calls.length;
  finish();
  await screen.findByRole("button", { name: "Run Now" });
  const result = screen.getByRole("region", { name: "Result of Run Now" });
  expect(result.textContent).toContain("Passed in 12ms");
  await user.click(within(result).getByRole("button", { name: "Dismiss the result" }));
  expect(screen.queryByRole("region", { name: "Result of Run Now" })).toBeNull();
  await waitFor(() => {
    const after = api.calls.slice(before).join("\n");
    for (const path of ["/api/db/checks", "/api/canary/api/graph", "/api/db/check_statuses"])
      expect(after).toContain(path);
  });
});

test("a run that could not be tried is neither passed nor failed, in the list and as a result", async () => {
  const untried = {
    time: ago(1),
    duration: 3,
    status: null,
    message: "",
    error: "no kubectl here",
  };
  const api = fakeApi(
    routes({
      "GET /api/db/check_statuses": () => ({
        body: [untried, run(ago(2), true)],
        headers: { "content-range": "0-1/2" },
      }),
      "POST /api/canary/run/check/c1": () => ({
        body: { pass: false, untried: true, error: "no kubectl here", duration: 3 },
      }),
    }),
  );
  const { user } = open({ roles: ["responder"] });
  const row = await screen.findByRole("row", { name: /no kubectl here/ });
  expect(within(row).getByText("Not tried")).toBeTruthy();
  expect(row.textContent).not.toMatch(/Failed|Passed/);
  await user.click(screen.getByRole("button", { name: "Run Now" }));
  const result = await screen.findByText("Could not be tried");
  expect(result.closest("section")!.textContent).toContain("no kubectl here");
  await user.selectOptions(screen.getByRole("combobox", { name: "Status" }), "unknown");
  await waitFor(() =>
    expect(api.calls.findLast((call) => call.includes("check_statuses"))).toContain(
      "status=is.null",
    ),
  );
});

test("a run that fails to start gives the button back and says why", async () => {
  fakeApi(
    routes({
      "POST /api/canary/run/check/c1": () => ({
        status: 409,
        body: { error: "it is running already" },
      }),
    }),
  );
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Run Now" }));
  await screen.findByText("It was not run: it is running already");
  await screen.findByRole("button", { name: "Run Now" });
});

test("a viewer may look, not run or edit, and can read why", async () => {
  const api = fakeApi(routes());
  const { user } = open({ roles: ["viewer"] });
  await screen.findByText("9 passed, 1 failed");
  const run = screen.getByRole("button", { name: "Run Now" });
  expect(run.getAttribute("aria-description")).toBe(
    "Needs the role admin, editor, commander or responder. Yours: viewer.",
  );
  await user.click(run);
  expect(api.calls.filter((call) => call.startsWith("POST"))).toEqual([]);
  expect(screen.queryByRole("link", { name: "Edit" })).toBeNull();
});

test("edit leads to the document", async () => {
  fakeApi(routes());
  open();
  const edit = await screen.findByRole("link", { name: "Edit" });
  expect(edit.getAttribute("href")).toBe("/settings/canaries/y1");
});

test("a check that is gone says so", async () => {
  fakeApi(routes({ "GET /api/db/checks": () => ({ body: [] }) }));
  const { user, onClose } = open();
  await screen.findByText("There is no such check");
  await user.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalled();
});

test("while it is open, another run brings its results; no run brings nothing", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    let lastRun = ago(1);
    const api = fakeApi(
      routes({ "GET /api/db/checks": () => ({ body: [{ ...check, last_runtime: lastRun }] }) }),
    );
    open();
    await screen.findByText("status 503");
    const asked = () => ({
      check: api.calls.filter((call) => call.includes("/db/checks?")).length,
      history: api.calls.filter((call) => call.includes("/check_statuses")).length,
      graph: api.calls.filter((call) => call.includes("/graph?")).length,
    });
    await waitFor(() => expect(asked()).toEqual({ check: 1, history: 1, graph: 1 }));
    await vi.advanceTimersByTimeAsync(runAgainMs);
    await waitFor(() => expect(asked()).toEqual({ check: 2, history: 1, graph: 1 }));
    lastRun = ago(0);
    await vi.advanceTimersByTimeAsync(runAgainMs);
    await waitFor(() => expect(asked()).toMatchObject({ check: 3, graph: 2 }));
  } finally {
    vi.useRealTimers();
  }
});
