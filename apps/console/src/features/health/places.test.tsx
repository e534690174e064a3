// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { Siren } from "lucide-react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Role } from "@mainstay/contract/permissions.ts";
import type { Contributions, Load } from "#lib/places/place.ts";
import { fakeApi } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { HealthPage } from "./list/HealthPage.tsx";
import { buildCheck } from "./testing/build-check.ts";
import { buildGraph } from "./testing/build-graph.ts";

vi.mock("@mainstay/ui/timeline-chart/TimelineChart.tsx", () => ({ TimelineChart: () => null }));

const given = <Props,>(component: (props: Props) => ReactNode) => vi.fn(async () => component);
type Named = { check: { name: string } };

/** A feature that health knows nothing of, with one of each. */
const example = {
  check: {
    tabs: [
      {
        id: "notes",
        label: "Notes",
        load: given(({ check }: Named) => <p>notes about {check.name}</p>),
        loadBadge: given(({ check }: Named) => <b>{check.name.length}</b>),
      },
    ],
    actions: [
      {
        id: "raise",
        label: "Raise",
        icon: Siren,
        loadDialog: given(({ check, onClose }: Named & { onClose: () => void }) => (
          <div role="dialog" aria-label="Raise">
            about {check.name}
            <button type="button" onClick={onClose}>
              Never mind
            </button>
          </div>
        )),
      },
    ],
    panels: [
      {
        id: "open",
        title: "Open notes",
        load: given(({ check }: Named) => <p>open for {check.name}</p>),
      },
    ],
    columns: [
      {
        id: "notes",
        header: "Notes",
        width: 90,
        load: given(({ check }: Named) => <i>{check.name} has 3</i>),
      },
    ],
  },
} satisfies Contributions;

/** The same behind a gate. */
const gated = (gate: object): Contributions => ({
  check: Object.fromEntries(
    Object.entries(example.check).map(([slot, guests]) => [
      slot,
      guests.map((guest) => ({ ...guest, ...gate })),
    ]),
  ),
});

const check = buildCheck({ id: "c1", name: "front", status: "unhealthy" });

beforeEach(() => {
  fakeApi({
    "GET /api/canary/api/summary": () => ({ body: { duration: 1, checks_summary: [check] } }),
    "GET /api/canary/api/graph": () => ({ body: buildGraph() }),
    "GET /api/db/checks": () => ({ body: [check] }),
    "GET /api/db/check_statuses": () => ({ body: [], headers: { "content-range": "*/0" } }),
    "GET /api/db/canaries": () => ({ body: [{ id: "y1", name: "shop", spec: { a: 1 } }] }),
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const TeamNotes = ({ team }: { team: string }) => <p>{team}</p>;

interface Opened {
  contributions: readonly Contributions[];
  address?: string;
  roles?: readonly Role[];
  flags?: readonly string[];
}

const open = ({ contributions, address, roles, flags = [] }: Opened) =>
  renderPage(HealthPage, {
    path: "/health",
    address: address ?? "/health?hidePassing=false&checkId=c1",
    contributions,
    session: {
      ...(roles && { roles }),
      properties: flags.map((name) => ({ name: `${name}.disable`, value: "true" })),
    },
  });

const dialog = () => screen.findByRole("dialog", { name: "front" });
const tabNames = async () =>
  within(await within(await dialog()).findByRole("tablist", { name: "Check" }))
    .getAllByRole("tab")
    .map((tab) => tab.textContent);

test("a tab, an action and a panel stand in the dialog of a check, and are given it", async () => {
  const { user, history } = open({ contributions: [example] });
  const shown = within(await dialog());
  await shown.findByText("open for front");
  await waitFor(async () => expect(await tabNames()).toContain("Notes5"));
  expect(shown.queryByText("notes about front")).toBeNull();
  await user.click(shown.getByRole("tab", { name: /Notes/ }));
  await shown.findByText("notes about front");
  expect(history.location.search).toContain("checkTab=notes");
  await user.click(shown.getByRole("button", { name: "Raise" }));
  await screen.findByText("about front");
  await user.click(screen.getByText("Never mind"));
  await waitFor(() => expect(screen.queryByText("about front")).toBeNull());
});

test("a column stands in the list of checks, after its own, and is given each of them", async () => {
  open({ contributions: [example], address: "/health?hidePassing=false" });
  await screen.findByText("front has 3");
  const headers = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
  expect(headers.indexOf("Notes")).toBeGreaterThan(headers.indexOf("Transition"));
  expect(headers.indexOf("Transition")).toBeGreaterThan(0);
});

test("a tab in the address is opened; one that nobody has is the first", async () => {
  open({ contributions: [example], address: "/health?checkId=c1&checkTab=notes" });
  await screen.findByText("notes about front");
  cleanup();
  open({ contributions: [], address: "/health?checkId=c1&checkTab=notes" });
  const first = await screen.findByRole("tab", { name: "History" });
  expect(first.getAttribute("aria-selected")).toBe("true");
  await screen.findByRole("tabpanel", { name: "History" });
});

test.each([
  ["what one may not write", { write: "incident" } as const, { roles: ["viewer"] as const }],
  ["what one may not read", { read: "audit" } as const, { roles: ["editor"] as const }],
  ["what is switched off", { feature: "notes" } as const, { flags: ["notes"] }],
])("nothing of %s is there, nor fetched", async (_what, gate, who) => {
  vi.clearAllMocks();
  open({ contributions: [gated(gate)], ...who });
  expect(await tabNames()).toEqual(["History", "Spec"]);
  const shown = within(await dialog());
  await shown.findByRole("button", { name: "Run Now" });
  expect(shown.queryByRole("button", { name: "Raise" })).toBeNull();
  expect(shown.queryByText("Open notes")).toBeNull();
  expect(screen.queryByText("Notes")).toBeNull();
  for (const { load } of [...example.check.tabs, ...example.check.panels, ...example.check.columns])
    expect(load).not.toHaveBeenCalled();
  cleanup();
  open({ contributions: [gated(gate)] });
  await within(await dialog()).findByText("open for front");
  await screen.findByRole("button", { name: "Raise" });
});

test("guests stand in the order they ask for, else in that of the features", async () => {
  const tab = (id: string, order?: number) => ({
    ...example.check.tabs[0]!,
    id,
    label: id,
    ...(order !== undefined && { order }),
  });
  open({
    contributions: [
      { check: { tabs: [tab("late", 900), tab("first feature")] } },
      { check: { tabs: [tab("second feature"), tab("early", 1)] } },
    ],
  });
  await waitFor(async () =>
    expect(await tabNames()).toEqual([
      "History",
      "Spec",
      "early5",
      "first feature5",
      "second feature5",
      "late5",
    ]),
  );
});

/** Fails once, then is there. */
const once = <Props,>(load: Load<Props>) =>
  vi.fn(() => load()).mockRejectedValueOnce(new Error("the part is not there"));

test("a tab and a panel that fail say so and can be tried again; the rest stays", async () => {
  const [tab, panel] = [example.check.tabs[0]!, example.check.panels[0]!];
  const { user } = open({
    contributions: [
      {
        check: {
          tabs: [{ ...tab, load: once(tab.load) }],
          panels: [{ ...panel, load: once(panel.load) }],
        },
      },
    ],
  });
  const shown = within(await dialog());
  const section = within(await shown.findByRole("region", { name: "Open notes" }));
  await section.findByText("Open notes could not be shown");
  await user.click(shown.getByRole("tab", { name: /Notes/ }));
  const panelOfTab = within(await shown.findByRole("tabpanel"));
  await panelOfTab.findByText("Notes could not be shown");
  expect(panelOfTab.getByText("the part is not there")).toBeTruthy();
  await user.click(panelOfTab.getByRole("button", { name: "Try again" }));
  await shown.findByText("notes about front");
  await user.click(section.getByRole("button", { name: "Try again" }));
  await shown.findByText("open for front");
  await user.click(shown.getByRole("tab", { name: "History" }));
  await shown.findByRole("textbox", { name: "Duration" });
});

test("an action that fails says so and can be pressed again; a cell is a dash", async () => {
  const [action, column] = [example.check.actions[0]!, example.check.columns[0]!];
  const { user } = open({
    contributions: [
      {
        check: {
          actions: [{ ...action, loadDialog: once(action.loadDialog) }],
          columns: [{ ...column, load: vi.fn().mockRejectedValue(new Error("no such part")) }],
        },
      },
    ],
  });
  await user.click(await within(await dialog()).findByRole("button", { name: "Raise" }));
  await screen.findByText("Raise could not be opened: the part is not there");
  await user.click(await within(await dialog()).findByRole("button", { name: "Raise" }));
  await screen.findByText("about front");
  cleanup();
  open({
    contributions: [
      {
        check: {
          columns: [{ ...column, load: vi.fn().mockRejectedValue(new Error("no such part")) }],
        },
      },
    ],
    address: "/health?hidePassing=false",
  });
  const row = within(await screen.findByRole("row", { name: /front/ }));
  await row.findByText("–", { selector: "[data-tooltip*='no such part']" });
});

test("what wants anything but what the place gives does not compile", () => {
  const ofTeam = async () => TeamNotes;
  const wrong: Contributions = {
    // @ts-expect-error -- a check is given, no team
    check: { tabs: [{ id: "wrong", label: "Wrong", load: ofTeam }] },
  };
  // @ts-expect-error -- nobody owns such a resource
  const nowhere: Contributions = { nothing: { tabs: [] } };
  expect([wrong, nowhere]).toHaveLength(2);
});
