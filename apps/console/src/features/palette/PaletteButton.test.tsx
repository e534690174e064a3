// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { Activity, Users } from "lucide-react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FoundResource } from "@mainstay/contract/resource-selector/resource-selector.ts";
import type { ConsoleFeature } from "#lib/page.ts";
import type { Session } from "#lib/use-access.ts";
import { fakeApi, type FakeAnswer } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { PaletteButton } from "./PaletteButton.tsx";

const none = () => Promise.resolve(() => null);
const page = { access: "session", load: none } as const;
const health = { label: "Health", to: "/health", icon: Activity };
const users = { label: "Users", to: "/settings/users", icon: Users, section: "settings" } as const;
const done = vi.fn();

const features: ConsoleFeature[] = [
  {
    name: "health",
    nav: [health],
    pages: [{ ...page, path: "/health", title: "Health" }],
    resources: [
      {
        kind: "check",
        label: { one: "Check", many: "Checks" },
        icon: Activity,
        read: "canaries",
        feature: "health",
        to: (id) => `/health?checkId=${id}`,
        search: { as: "checks", loadMarks: () => Promise.resolve({}) },
      },
      {
        kind: "config",
        label: { one: "Config item", many: "Catalog" },
        icon: Activity,
        read: "config_scrapers",
        feature: "config",
        to: (id) => `/catalog/${id}`,
        search: { as: "configs" },
      },
    ],
    palette: () =>
      Promise.resolve({
        actions: [
          { label: "Add a check", icon: Activity, write: "canaries", to: "/health?addCheck=true" },
          { label: "Count", icon: Activity, run: done },
          {
            label: "Show keys",
            icon: Activity,
            loadDialog: () =>
              Promise.resolve(({ onClose }: { onClose: () => void }) => (
                <button type="button" onClick={onClose}>
                  the keys
                </button>
              )),
          },
        ],
      }),
  },
  {
    name: "people",
    nav: [users],
    pages: [
      { ...page, path: "/settings/users", title: "Users" },
      { ...page, path: "/settings/users/$id", title: "User" },
      { ...page, path: "/docs", title: "Documentation" },
      { ...page, path: "/secret", title: "Secret", read: "connections" },
      { ...page, path: "/login", title: "Sign in", access: "public" },
    ],
  },
];

const resource = (name: string, changes: Partial<FoundResource> = {}): FoundResource => ({
  id: name,
  agent: "",
  icon: "",
  name,
  namespace: "web",
  type: "http",
  tags: {},
  labels: {},
  ...changes,
});

beforeEach(() => {
  localStorage.clear();
  done.mockReset();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Answers searches; what was asked is in `asked`. */
function fakeSearch(
  answer: (body: Record<string, { search: string }[]>) => FakeAnswer | Promise<FakeAnswer>,
) {
  const asked: string[] = [];
  fakeApi({
    "POST /api/resources/search": ({ body }) => {
      const given = body as Record<string, { search: string }[]>;
      asked.push((given.checks ?? given.configs)!.at(-1)!.search);
      return answer(given);
    },
  });
  return asked;
}

const off: Partial<Session> = { properties: [{ name: "config.disable", value: "true" }] };

async function open(session: Partial<Session> = off, settings = [users], given = features) {
  const rendered = renderPage(
    () => (
      <PaletteButton features={given} offered={{ main: [health], settings }} disabled={false} />
    ),
    { path: "/health", address: "/health", session },
  );
  await screen.findByRole("button", { name: "Search" });
  await rendered.user.keyboard("{Control>}k{/Control}");
  const box = await screen.findByRole("combobox");
  await screen.findByRole("option", { name: /Count/ });
  return { ...rendered, box };
}
const options = () => screen.queryAllByRole("option").map((option) => option.textContent);

// The first one: here the palette has not been fetched yet.
test("what is typed before it is there is in it, and not the page's", async () => {
  fakeSearch(() => ({ body: {} }));
  const { user } = renderPage(
    () => (
      <PaletteButton features={features} offered={{ main: [], settings: [] }} disabled={false} />
    ),
    { path: "/health", address: "/health", session: off },
  );
  await screen.findByRole("button", { name: "Search" });
  const onPage: string[] = [];
  const listen = ({ key, target }: KeyboardEvent) => {
    // It may come while it is typed.
    if (!(target as Element).closest("[role=dialog]")) onPage.push(key);
  };
  document.body.addEventListener("keydown", listen);
  await user.keyboard("{Control>}k{/Control}countx{Backspace}");
  document.body.removeEventListener("keydown", listen);
  const box = await screen.findByRole<HTMLInputElement>("combobox");
  await waitFor(() => expect(box.value).toBe("count"));
  expect(onPage).not.toContain("t");
});

test("its key opens and closes it, and gives the keyboard back", async () => {
  fakeSearch(() => ({ body: {} }));
  const { user } = await open();
  expect(options()).toEqual([
    "Health",
    "UsersSettings",
    "Documentation",
    "Secret",
    "Add a check",
    "Count",
    "Show keys",
    "Refresh this page",
    "Theme: light",
    "Theme: dark",
    "Theme: system",
    "Density: comfortable",
    "Density: compact",
    "Sign out",
  ]);
  await user.keyboard("{Control>}k{/Control}");
  await waitFor(() => expect(screen.queryByRole("combobox")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Search" }));
  await screen.findByRole("combobox");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("combobox")).toBeNull());
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Search" })),
  );
});

test("nobody is offered what they may not do or see", async () => {
  fakeSearch(() => ({ body: {} }));
  await open({ ...off, roles: ["viewer"] }, []);
  expect(options()).not.toContain("Secret");
  expect(options()).not.toContain("Add a check");
  expect(options()).not.toContain("UsersSettings");
  expect(options()).toContain("Documentation");
});

test("a page, an action and an action's dialog are one Enter away", async () => {
  fakeSearch(() => ({ body: {} }));
  const { user, history, box } = await open();
  await user.type(box, "count{Enter}");
  expect(done).toHaveBeenCalledOnce();
  await waitFor(() => expect(screen.queryByRole("combobox")).toBeNull());
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await screen.findByRole("combobox"), "keys{Enter}");
  await user.click(await screen.findByText("the keys"));
  expect(screen.queryByText("the keys")).toBeNull();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await screen.findByRole("combobox"), "docu{Enter}");
  await waitFor(() => expect(history.location.pathname).toBe("/docs"));
});

test("checks are searched for when typing pauses, of kinds that are switched on", async () => {
  const asked = fakeSearch(({ checks }) => ({
    body: { checks: checks ? [resource("my front"), resource("front page", { id: "id-1" })] : [] },
  }));
  const { user, history, box } = await open();
  await user.type(box, "front");
  const group = await screen.findByRole("group", { name: "Checks" });
  // The closest first; one request for all the letters, and none for the catalog.
  expect(
    within(group)
      .getAllByRole("option")
      .map((one) => one.textContent),
  ).toEqual(["hfront pageweb", "hmy frontweb"]);
  expect(asked).toEqual(['(name=*"front"*|namespace="front"*)']);
  await user.keyboard("{Enter}");
  await waitFor(() => expect(history.location.search).toBe("?checkId=id-1"));
});

test("what was gone to is offered again, first", async () => {
  fakeSearch(() => ({ body: { checks: [resource("front page")] } }));
  const { user, box } = await open();
  await user.type(box, "front");
  await user.click(await screen.findByRole("option", { name: /front page/ }));
  await user.keyboard("{Control>}k{/Control}");
  const recent = await screen.findByRole("group", { name: "Recent" });
  expect(recent.textContent).toContain("front page");
  // Not while something else is looked for.
  await user.type(screen.getByRole("combobox"), "x");
  expect(screen.queryByRole("group", { name: "Recent" })).toBeNull();
});

test("a later text ends the search before it, whose answer is not shown", async () => {
  const waiting: ((answer: FakeAnswer) => void)[] = [];
  const signals: (AbortSignal | null | undefined)[] = [];
  fakeSearch(() => new Promise((resolve) => waiting.push(resolve)));
  const fake = globalThis.fetch;
  vi.stubGlobal("fetch", (input: string, init: RequestInit) => {
    signals.push(init.signal);
    return fake(input, init);
  });
  const { user, box } = await open();
  await user.type(box, "one");
  await waitFor(() => expect(waiting).toHaveLength(1));
  expect(screen.getAllByText("Searching …").length).toBeGreaterThan(0);
  await user.clear(box);
  await user.type(box, "two");
  await waitFor(() => expect(waiting).toHaveLength(2));
  expect(signals[0]!.aborted).toBe(true);
  waiting[1]!({ body: { checks: [resource("two")] } });
  waiting[0]!({ body: { checks: [resource("one")] } });
  await screen.findByRole("option", { name: /two/ });
  expect(screen.queryByRole("option", { name: /one/ })).toBeNull();
});

test("what was found before is shown as long as it fits what is typed", async () => {
  const waiting: ((answer: FakeAnswer) => void)[] = [];
  fakeSearch(() =>
    waiting.length === 0
      ? (waiting.push(() => undefined), { body: { checks: [resource("alpha"), resource("alps")] } })
      : new Promise((resolve) => waiting.push(resolve)),
  );
  const { user, box } = await open();
  await user.type(box, "al");
  await screen.findByRole("option", { name: /alps/ });
  await user.type(box, "ph");
  await waitFor(() => expect(waiting).toHaveLength(2));
  expect(screen.getByRole("option", { name: /alpha/ })).toBeTruthy();
  expect(screen.queryByRole("option", { name: /alps/ })).toBeNull();
});

test("a failure is said and can be tried again; pages and actions stay", async () => {
  let fails = true;
  fakeSearch(() =>
    fails
      ? { status: 503, body: { error: "The database cannot be reached." } }
      : { body: { checks: [resource("heavy check")] } },
  );
  const { user, box } = await open();
  await user.type(box, "hea");
  expect((await screen.findByRole("alert")).textContent).toBe("The database cannot be reached.");
  expect(options()).toEqual(["Health"]);
  fails = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("option", { name: /heavy check/ });
  expect(screen.queryByRole("alert")).toBeNull();
});

test("what is wrong with a query is said with its place", async () => {
  const issue = {
    path: "checks.0.search",
    message: 'expected a value after "name="',
    line: 1,
    column: 6,
  };
  fakeSearch(() => ({ status: 400, body: { error: "checks.0.search …", issues: [issue] } }));
  const { user, box } = await open();
  await user.type(box, "name=");
  expect((await screen.findByRole("alert")).textContent).toBe(
    'Character 6: expected a value after "name=".',
  );
  expect(screen.getByText("No page or action is called that.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

test("nothing found says so", async () => {
  fakeSearch(() => ({ body: { checks: [] } }));
  const { user, box } = await open();
  await user.type(box, "zzz");
  expect(await screen.findByText("Nothing was found for “zzz”.")).toBeTruthy();
});

test("more than are shown are said to be there", async () => {
  fakeSearch(() => ({
    body: { checks: Array.from({ length: 12 }, (_, n) => resource(`check ${n}`)) },
  }));
  const { user, box } = await open();
  await user.type(box, "chec");
  const group = await screen.findByRole("group", { name: "Checks" });
  expect(within(group).getAllByRole("option")).toHaveLength(8);
  expect(group.textContent).toContain("The first 8");
});

test("letters in their order find a name where its beginning does not, and only then they are asked for", async () => {
  const asked = fakeSearch(({ checks = [] }) => ({
    body: { checks: checks[0]?.search.startsWith("name=*l*d*") ? [resource("ledger")] : [] },
  }));
  const { user, box } = await open();
  await user.type(box, "ldgr");
  expect(await screen.findByRole("option", { name: /^ledger/ })).toBeTruthy();
  expect(asked.at(-1)).toBe("name=*l*d*g*r*");
});

test("what fails comes first and says so, and is asked for however much else is called so", async () => {
  const searches: string[][] = [];
  const withStatus = features.map((feature) => ({
    ...feature,
    ...(feature.resources && {
      resources: feature.resources.map((one) =>
        one.search ? { ...one, search: { ...one.search, hasStatus: true as const } } : one,
      ),
    }),
  }));
  fakeApi({
    "POST /api/resources/search": ({ body }) => {
      const { checks = [] } = body as Record<string, { search: string }[]>;
      searches.push(checks.map(({ search }) => search));
      return {
        body: {
          checks: [
            resource("pay", { status: "healthy" }),
            resource("payments", { status: "unhealthy" }),
          ],
        },
      };
    },
  });
  const { user, box } = await open(off, [users], withStatus);
  await user.type(box, "pay");
  await waitFor(() => expect(options()).toEqual(["hpaymentsweb · failing", "hpayweb"]));
  expect(searches.at(-1)).toContain('health=unhealthy (name=*"pay"*|namespace="pay"*)');
});

test("Tab offers what can be done with what was found, for who may, and Escape goes back", async () => {
  fakeSearch(() => ({ body: { checks: [resource("payments")] } }));
  const ran = vi.fn();
  const withActions: ConsoleFeature[] = [
    {
      ...features[0]!,
      palette: () =>
        Promise.resolve({
          actions: [{ label: "Count", icon: Activity, run: done }],
          resourceActions: {
            check: [
              { label: "Run now", icon: Activity, roles: ["responder"], run: ran },
              {
                label: "Edit",
                icon: Activity,
                write: "canaries",
                find: () => Promise.resolve("/x"),
              },
            ],
          },
        }),
    },
  ];
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  const responder: Partial<Session> = { ...off, roles: ["responder"] };
  const { user, history } = await open(responder, [users], withActions);
  await user.keyboard("{Escape}");
  const openActions = async () => {
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "paym");
    await screen.findByRole("option", { name: /^payments/ });
    await user.keyboard("{Tab}");
  };
  await openActions();
  expect(options()).toEqual(["Open", "Run now", "Copy link"]);
  await user.keyboard("{Escape}");
  expect(screen.getByRole<HTMLInputElement>("combobox").value).toBe("paym");
  await user.keyboard("{Tab}run{Enter}");
  expect(ran).toHaveBeenCalledWith("payments");
  await openActions();
  await user.keyboard("copy{Enter}");
  expect(copied).toHaveBeenCalledWith(expect.stringMatching(/\/health\?checkId=payments$/));
  await openActions();
  await user.keyboard("{Enter}");
  expect(history.location.href).toBe("/health?checkId=payments");
});
