// @vitest-environment happy-dom
// Takes long: every page is drawn for every role.
import { isWhole } from "@mainstay/testkit/sample.ts";
import { act, cleanup, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Role, roles } from "@mainstay/contract/permissions.ts";
import { eventually, FakeStream, openConsole, shownPage } from "../testing/real-console.tsx";
import { features } from "../features.ts";

/**
 * Every page, as everybody, with every feature on and off, in the real console. What is expected is written here by
 * hand: a page, an item of the navigation or an action that is new must be judged before this passes.
 */

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({
  YamlEditor: ({ label, readOnly }: { label: string; readOnly?: boolean }) => (
    <textarea aria-label={label} readOnly={readOnly} />
  ),
}));
vi.mock("@mainstay/ui/timeline-chart/TimelineChart.tsx", () => ({ TimelineChart: () => null }));
vi.mock("@mainstay/ui/count-chart/CountChart.tsx", () => ({ CountChart: () => null }));

type Who = readonly Role[];
const everybody: Who = roles;
const staff: Who = ["admin", "editor"];
const admins: Who = ["admin"];
const runners: Who = ["admin", "editor", "commander", "responder"];

/** A part of a page: a control, who has it, and what the others see in its place. */
interface Part {
  /** What is pressed first. */
  press?: readonly string[];
  control: string;
  who: Who;
  others?: "nothing" | "why not";
  /** Also needs this feature. */
  feature?: string;
}

interface Expected {
  heading: string;
  /** What the address is for, when it holds a name. */
  address?: string;
  nav?: string;
  inSettings?: true;
  readers: Who;
  /** Properties by which it is switched off; the later ones only where the first does not exist. */
  flags: readonly string[];
  parts?: readonly Part[];
}

const expected: Readonly<Record<string, Expected>> = {
  "/topology": {
    heading: "Topology",
    nav: "Dashboard",
    readers: everybody,
    flags: ["topology"],
  },
  "/topology/$componentId": {
    heading: "web shop",
    address: "/topology/k1",
    readers: everybody,
    flags: ["topology"],
    parts: [{ press: ["Catalog"], control: "Link to catalog", who: staff, feature: "config" }],
  },
  "/view/topology/$componentId": {
    heading: "web shop",
    address: "/view/topology/k1",
    readers: everybody,
    flags: ["topology"],
  },
  "/settings/topologies": {
    heading: "Topologies",
    nav: "Topologies",
    inSettings: true,
    readers: everybody,
    flags: ["settings.topology", "topology"],
    parts: [{ control: "Add topology", who: staff }],
  },
  "/settings/topologies/$topologyId": {
    heading: "system",
    address: "/settings/topologies/o1",
    readers: everybody,
    flags: ["settings.topology", "topology"],
    parts: [
      { control: "Run now", who: staff, others: "why not" },
      { control: "Review changes", who: staff },
      { control: "Delete", who: staff },
      { control: "Export as YAML", who: everybody },
    ],
  },
  "/settings/logging-backends": {
    heading: "Log Backends",
    nav: "Log Backends",
    inSettings: true,
    readers: everybody,
    flags: ["settings.logging_backends", "logs"],
    parts: [{ control: "Add log backend", who: staff }],
  },
  "/settings/logging-backends/$logBackendId": {
    heading: "lines",
    address: "/settings/logging-backends/l1",
    readers: everybody,
    flags: ["settings.logging_backends", "logs"],
    parts: [
      { control: "Review changes", who: staff },
      { control: "Delete", who: staff },
      { control: "Export as YAML", who: everybody },
    ],
  },
  "/health": {
    heading: "Health",
    nav: "Health",
    readers: everybody,
    flags: ["health"],
    parts: [{ control: "Add check", who: staff }],
  },
  "/catalog": { heading: "Catalog", nav: "Catalog", readers: everybody, flags: ["config"] },
  "/catalog/scrapers": {
    heading: "Scrapers",
    readers: everybody,
    flags: ["settings.config_scraper", "config"],
    parts: [{ control: "Add scraper", who: staff }],
  },
  "/catalog/scrapers/$scraperId": {
    heading: "machines",
    address: "/catalog/scrapers/s1",
    readers: everybody,
    flags: ["settings.config_scraper", "config"],
    parts: [
      { control: "Run now", who: staff, others: "why not" },
      { control: "Review changes", who: staff },
      { control: "Delete", who: staff },
      { control: "Export as YAML", who: everybody },
    ],
  },
  "/catalog/$itemId": {
    heading: "orders",
    address: "/catalog/i1",
    readers: everybody,
    flags: ["config"],
    parts: [{ control: "New note", who: runners }],
  },
  "/catalog/$itemId/$tab": {
    heading: "orders",
    address: "/catalog/i1/config",
    readers: everybody,
    flags: ["config"],
  },
  "/catalog/changes": { heading: "Changes", readers: everybody, flags: ["config"] },
  "/catalog/insights": { heading: "Insights", readers: everybody, flags: ["config"] },
  "/settings/canaries": {
    heading: "Health Checks",
    nav: "Health Checks",
    inSettings: true,
    readers: everybody,
    flags: ["settings.health", "health"],
    parts: [{ control: "Add check", who: staff }],
  },
  "/settings/canaries/$canaryId": {
    heading: "shop",
    address: "/settings/canaries/y1",
    readers: everybody,
    flags: ["settings.health", "health"],
    parts: [
      { control: "Review changes", who: staff },
      { control: "Run once", who: staff },
      { control: "Delete", who: staff },
      { control: "Export as YAML", who: everybody },
    ],
  },
  "/settings/documents": {
    heading: "Documents",
    nav: "Documents",
    inSettings: true,
    readers: everybody,
    // What is on it each kind switches off for itself.
    flags: [],
    parts: [{ control: "Apply documents", who: staff }],
  },
  "/settings/documents/apply": {
    heading: "Apply",
    readers: everybody,
    flags: [],
    parts: [{ control: "Review changes", who: staff }],
  },
  "/settings/documents/$kind/$documentId": {
    heading: "shop",
    address: "/settings/documents/canary/y1",
    readers: everybody,
    flags: ["settings.health", "health"],
    parts: [
      { control: "Review changes", who: staff },
      { control: "Delete", who: staff },
      { control: "Export as YAML", who: everybody },
    ],
  },
  "/settings/connections": {
    heading: "Connections",
    nav: "Connections",
    inSettings: true,
    readers: staff,
    flags: ["settings.connections"],
    parts: [
      { control: "Add connection", who: admins },
      { control: "Actions for orders db", who: admins },
      { press: ["orders db"], control: "Update", who: admins, others: "why not" },
      { press: ["orders db"], control: "Delete", who: admins },
      { press: ["orders db"], control: "Test", who: admins },
    ],
  },
  "/settings/users": {
    heading: "Users",
    nav: "Users",
    inSettings: true,
    readers: staff,
    flags: ["settings.users"],
    parts: [
      { control: "Invite User", who: admins },
      { control: "Actions for Vera Viewer", who: admins },
    ],
  },
  "/settings/integrations": {
    heading: "Integrations",
    nav: "Integrations",
    inSettings: true,
    readers: everybody,
    flags: ["settings.integrations"],
    parts: [{ control: "Add integration", who: staff }],
  },
  "/settings/integrations/$integrationType/$integrationId": {
    heading: "machines",
    address: "/settings/integrations/scrapers/s1",
    readers: everybody,
    // It is there as what it is: this one is a scraper.
    flags: ["settings.integrations", "settings.config_scraper", "config"],
  },
  "/settings/teams": {
    heading: "Teams",
    nav: "Teams",
    inSettings: true,
    readers: everybody,
    flags: ["settings.teams"],
    parts: [{ control: "Add team", who: staff }],
  },
  "/settings/teams/$teamId": {
    heading: "Database",
    address: "/settings/teams/t1",
    readers: everybody,
    flags: ["settings.teams"],
    parts: [
      { control: "Add users", who: staff },
      { control: "Remove user Vera", who: staff },
      { press: ["Spec"], control: "Update", who: staff },
      { press: ["Spec"], control: "Delete", who: staff },
    ],
  },
  "/settings/feature-flags": {
    heading: "Feature Flags",
    nav: "Feature Flags",
    inSettings: true,
    readers: everybody,
    flags: ["settings.feature_flags"],
    parts: [
      { control: "Add feature flag", who: staff },
      { press: ["color"], control: "Update", who: staff, others: "why not" },
      { press: ["color"], control: "Delete", who: staff },
    ],
  },
  "/settings/tokens": {
    heading: "Access Tokens",
    nav: "Access Tokens",
    inSettings: true,
    readers: everybody,
    flags: ["settings.tokens"],
    parts: [
      { control: "Create access token", who: everybody },
      { control: "Revoke ci", who: everybody },
      { control: "Everybody's", who: staff },
      { press: ["Create access token"], control: "For", who: admins },
    ],
  },
  "/logs": {
    heading: "Logs",
    nav: "Logs",
    readers: everybody,
    flags: ["logs"],
  },
  "/settings/audit": {
    heading: "Audit Log",
    nav: "Audit Log",
    inSettings: true,
    readers: admins,
    flags: ["settings.audit"],
  },
  "/settings/jobs": {
    heading: "Job History",
    nav: "Jobs History",
    inSettings: true,
    readers: everybody,
    flags: ["settings.job_history", "health"],
  },
  "/settings/event-queue-status": {
    heading: "Event Queue",
    nav: "Event Queue",
    inSettings: true,
    readers: everybody,
    flags: ["settings.event_queue_status"],
  },
  "/settings/event-queue-status/deliveries": {
    heading: "Event Deliveries",
    readers: everybody,
    flags: ["settings.event_queue_status"],
    parts: [
      { control: "Select all rows", who: staff },
      { press: ["notes/remember"], control: "Retry", who: staff, others: "why not" },
    ],
  },
  "/settings/security": {
    heading: "Security",
    nav: "Security",
    inSettings: true,
    readers: admins,
    flags: ["settings.security"],
  },
  "/docs": { heading: "Documentation", readers: everybody, flags: [] },
  "/profile-settings": { heading: "Your profile", readers: everybody, flags: [] },
};

/** Not pages of their own: what is opened on one. */
const opened: readonly (Part & { address: string })[] = [
  {
    address: "/health?checkId=c1",
    control: "Run Now",
    who: runners,
    others: "why not",
  },
  {
    address: "/health?checkId=c1",
    control: "Edit",
    who: staff,
    feature: "settings.health",
  },
];

/** What the palette offers besides pages and what everybody may do. */
const actions: readonly { label: string; who: Who; feature?: string }[] = [
  { label: "Add a check", who: staff, feature: "health" },
  { label: "Follow the logs live", who: everybody, feature: "logs" },
  { label: "Add a connection", who: admins, feature: "settings.connections" },
];

const people: readonly (readonly Role[])[] = [
  ...roles.map((role) => [role]),
  [],
  ["viewer", "editor"],
  ["responder", "commander"],
  ["viewer", "responder", "admin"],
];
const named = (who: readonly Role[]) => who.join(" and ") || "nobody in particular";
const isOne = (person: readonly Role[], who: Who) =>
  (person.length === 0 ? (["viewer"] as const) : person).some((role) => who.includes(role));
const isOff = (off: readonly string[], flags: readonly string[]) =>
  flags.some((flag) => off.includes(flag));
const asFlags = (off: readonly string[]) =>
  Object.fromEntries(off.map((feature) => [`${feature}.disable`, "true"]));

const allFlags = [
  ...new Set([
    ...Object.values(expected).flatMap(({ flags }) => flags),
    // Of features that come later: nothing of what is here belongs to them.
    "incidents",
    "logs",
  ]),
];

function outcome({ readers, flags, heading }: Expected, person: Who, off: readonly string[]) {
  if (isOff(off, flags)) return "absent";
  return isOne(person, readers) ? heading : "unauthorized";
}

function expectedNavigation(person: Who, off: readonly string[]) {
  const offered = Object.values(expected).filter(
    (page) => page.nav !== undefined && outcome(page, person, off) === page.heading,
  );
  const labels = (inSettings?: true) =>
    offered.filter((page) => page.inSettings === inSettings).flatMap(({ nav }) => nav ?? []);
  return { main: labels(), settings: isOne(person, runners) ? labels(true).toSorted() : [] };
}

function shownNavigation() {
  const navigation = screen.getByRole("navigation", { name: "Main" });
  const links = (within_: HTMLElement) =>
    within(within_)
      .queryAllByRole("link")
      .map((link) => link.textContent);
  const settings = within(navigation).queryByRole("list", { name: "Settings" });
  const inSettings = settings ? links(settings) : [];
  return {
    main: links(navigation).filter((label) => !inSettings.includes(label)),
    settings: inSettings,
  };
}

const shows = (page: string) => eventually(() => expect(shownPage()).toBe(page));
function control(name: string): HTMLElement | undefined {
  // One role after the other: to look for a name among all that a page has takes long.
  for (const role of ["button", "link", "checkbox", "combobox", "textbox"]) {
    const [found] = screen.queryAllByRole(role, { name });
    if (found) return found;
  }
  return undefined;
}

beforeEach(() => {
  localStorage.clear();
  // Otherwise the submenu shows what is in it only when it is opened.
  localStorage.setItem("mainstay.sidebar.settings", "open");
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("the table is whole", () => {
  const pages = features.flatMap((feature) => feature.pages);

  test("every page that needs a session is judged", () => {
    const paths = pages.filter(({ access }) => access === "session").map(({ path }) => path);
    expect(paths.toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  test("every item of the navigation is judged, and leads to a page with the same needs", () => {
    const items = features.flatMap(({ nav }) => nav ?? []);
    expect(Object.fromEntries(items.map(({ label, to }) => [to, label]))).toEqual(
      Object.fromEntries(
        Object.entries(expected).flatMap(([path, { nav }]) => (nav ? [[path, nav]] : [])),
      ),
    );
    const needs = (of?: { read?: unknown; feature?: unknown }) => [of?.read, of?.feature];
    for (const item of items)
      expect(needs(pages.find(({ path }) => path === item.to))).toEqual(needs(item));
  });

  test("every action of the palette with a condition is judged", async () => {
    const parts = await Promise.all(features.flatMap(({ palette }) => palette?.() ?? []));
    const gated = parts
      .flatMap((part) => part.actions ?? [])
      .filter(({ write, feature }) => write !== undefined || feature !== undefined);
    expect(gated.map(({ label }) => label)).toEqual(actions.map(({ label }) => label));
  });
});

describe.each(people.map((person) => [named(person), person] as const))("%s", (_name, person) => {
  test.each([
    ["with everything on", []],
    ["with everything off", allFlags],
  ] as const)("%s", async (_state, off) => {
    const { goTo, user } = await openConsole({ roles: person, flags: asFlags(off) });
    await shows("Documentation");
    expect(shownNavigation()).toEqual(expectedNavigation(person, off));
    // What is switched off is so for everybody: one who may see everything tries all of it.
    const isTried = isWhole || off.length === 0 || person.includes("admin");
    // What everybody may read is the same page for everybody: who may least and who may most open it.
    const seesAll = isWhole || person.length === 0 || person.includes("admin");
    const walked = Object.entries(expected).filter(
      ([, { readers }]) => isTried && (seesAll || readers !== everybody),
    );
    for (const [path, page] of walked) {
      await goTo(page.address ?? path);
      await shows(outcome(page, person, off));
    }
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("option", { name: /^Show keys/ });
    const offered = screen.getAllByRole("option").map((option) => option.textContent);
    for (const { label, who, feature } of actions)
      expect(offered.includes(label)).toBe(
        isOne(person, who) && !(feature !== undefined && isOff(off, [feature])),
      );
    const { main, settings } = expectedNavigation(person, off);
    for (const { nav } of Object.values(expected))
      if (nav !== undefined)
        expect([nav, offered.some((text) => text.startsWith(nav))]).toEqual([
          nav,
          [...main, ...settings].includes(nav),
        ]);
  });

  const parts = [
    ...Object.entries(expected).flatMap(([path, { address, parts: own = [], readers }]) =>
      isOne(person, readers) ? own.map((part) => ({ address: address ?? path, ...part })) : [],
    ),
    ...opened,
  ];
  // Of more than one role, one pair is as good as another.
  const isTried = isWhole || person.length < 2 || person === people.at(-1);
  if (!isTried) return;
  test("has the parts of each page that are theirs", async () => {
    const { goTo, user } = await openConsole({ roles: person });
    const states = Map.groupBy(parts, ({ address, press = [] }) => [address, ...press].join(" "));
    for (const ofState of states.values()) {
      const { address, press = [] } = ofState[0]!;
      // From elsewhere, so that nothing is open that was opened before.
      await goTo("/docs");
      await shows("Documentation");
      await goTo(address);
      // The page with what is on it.
      await screen.findAllByText(
        /^(front page|shop|web shop|system|machines|orders|Needs the role|Paste documents|Vera|Database|orders db|notes|lines|color|ci)/,
      );
      for (const first of press)
        await user.click(control(first) ?? (await screen.findByText(first)));
      const isShown = ({ who, others }: Part) => isOne(person, who) || others === "why not";
      for (const { control: name, who } of ofState.filter(isShown)) {
        await eventually(() => expect(control(name), `${address}: ${name}`).toBeDefined());
        const shown = control(name);
        const why = shown?.dataset["tooltip"];
        if (isOne(person, who)) expect(why ?? "").not.toMatch(/^Needs the role/);
        else expect(why).toMatch(/^Needs the role .*\. Yours: /);
        expect(shown?.getAttribute("aria-disabled")).toBe(isOne(person, who) ? null : "true");
      }
      for (const { control: name } of ofState.filter((part) => !isShown(part)))
        expect(control(name), `${address}: ${name}`).toBeUndefined();
    }
  });
});

describe.each(allFlags)("%s off", (flag) => {
  test("takes away what belongs to it, and nothing else", async () => {
    const { goTo } = await openConsole({ roles: ["admin"], flags: asFlags([flag]) });
    await shows("Documentation");
    expect(shownNavigation()).toEqual(expectedNavigation(["admin"], [flag]));
    // What the navigation does not show: the pages that name the flag, and one that does not.
    const naming = (page: Expected) => page.flags.includes(flag);
    const pages = Object.entries(expected);
    const other = pages.find(([, page]) => !naming(page) && page.flags.length > 0);
    const walked = pages.filter((entry) => isWhole || naming(entry[1]) || entry === other);
    for (const [path, page] of walked) {
      await goTo(page.address ?? path);
      await shows(outcome(page, ["admin"], [flag]));
    }
    for (const part of opened.filter(({ feature }) => feature === flag)) {
      await goTo(part.address);
      await screen.findByRole("tab", { name: "History" });
      expect(control(part.control)).toBeUndefined();
    }
  });
});

test.each([
  ["a property of its own wins", { "health.disable": "true", "settings.health.disable": "false" }],
  ["only the word true counts", { "settings.health.disable": "TRUE" }],
])("inheritance: %s", async (_name, flags) => {
  await openConsole({ roles: ["admin"], flags, address: "/settings/canaries/y1" });
  await shows("shop");
});

describe("before anything is known", () => {
  test("no page is drawn, and nothing of it is asked for, until the flags are there", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const answers = {
      "GET /api/properties": async () => {
        await promise;
        return { body: [{ name: "health.disable", value: "true" }] };
      },
    };
    const { api } = await openConsole({ roles: ["admin"], address: "/health", answers });
    await eventually(() => expect(api.calls).toContain("GET /api/properties"));
    expect(shownPage()).toBeUndefined();
    expect(screen.queryByRole("link", { name: "Health" })).toBeNull();
    resolve();
    await shows("absent");
    expect(api.calls.filter((call) => call.includes("summary"))).toEqual([]);
  });

  test("nobody is told that they may not, until their roles are there", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const answers = {
      "GET /api/db/people_roles": async () => {
        await promise;
        return { body: [{ id: "p1", roles: ["viewer"] }] };
      },
    };
    const { api } = await openConsole({ roles: [], address: "/settings/users", answers });
    await eventually(() =>
      expect(api.calls.some((call) => call.includes("people_roles"))).toBe(true),
    );
    expect(shownPage()).toBeUndefined();
    resolve();
    await shows("unauthorized");
  });
});

test("a flag and a role that change while the page is open change it", async () => {
  const { now } = await openConsole({ roles: ["admin"], address: "/settings/users" });
  await shows("Users");
  now.flags = { "settings.teams.disable": "true" };
  act(() => FakeStream.change("properties"));
  await eventually(() => expect(shownNavigation().settings).not.toContain("Teams"));
  now.roles = ["responder"];
  act(() => FakeStream.change("people_roles"));
  await shows("unauthorized");
  expect(shownNavigation().settings).toEqual([
    "Access Tokens",
    "Documents",
    "Event Queue",
    "Feature Flags",
    "Health Checks",
    "Integrations",
    "Jobs History",
    "Log Backends",
    "Topologies",
  ]);
});
