// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { readTeamForm } from "./TeamForm.tsx";
import { TeamPage } from "./TeamPage.tsx";

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({
  YamlEditor: ({ label, value, onChange, readOnly }: YamlEditorProps) => (
    <textarea
      aria-label={label}
      value={value}
      readOnly={readOnly}
      onChange={(event) => onChange?.(event.target.value)}
    />
  ),
}));

const ada = { id: "p1", name: "Ada", email: "ada@example.com", avatar: null };
const ben = { id: "p2", name: "Ben", email: "ben@example.com", avatar: null };
const cy = { id: "p3", name: "Cy", email: "cy@example.com", avatar: null };
let team: Record<string, unknown>;
let sent: { name: string; body: unknown }[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  sent = [];
  team = {
    id: "t1",
    name: "Database",
    icon: null,
    source: "UI",
    spec: { components: [{ name: "db" }] },
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    created_by: ada,
    members: [{ person: ada }],
  };
  const take =
    (verb: string): FakeRoute =>
    ({ url, body }) => {
      sent.push({ name: `${verb} ${url.pathname}${url.search}`, body });
      return { body: [{ id: "t1" }] };
    };
  ({ routes } = fakeApi({
    "GET /api/db/teams": () => ({ body: [team] }),
    "GET /api/db/people": () => ({ body: [ada, ben, cy] }),
    "PATCH /api/db/teams": take("PATCH"),
    "POST /api/db/team_members": take("POST"),
    "DELETE /api/db/team_members": take("DELETE"),
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (address = "/settings/teams/t1", roles: ("admin" | "viewer")[] = ["admin"]) =>
  renderPage(TeamPage, { path: "/settings/teams/$teamId", address, session: { roles } });

describe("members", () => {
  test("several are added at once, only who is not there yet is offered", async () => {
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Add users" }));
    const dialog = await screen.findByRole("dialog", { name: "Add users to the team" });
    await within(dialog).findByText("Ben");
    expect(within(dialog).queryByText("Ada")).toBeNull();
    await user.click(within(dialog).getByRole("button", { name: "Add" }));
    expect(within(dialog).getByRole("alert").textContent).toBe("Choose at least one user.");
    for (const box of within(dialog).getAllByRole("checkbox")) await user.click(box);
    await user.click(within(dialog).getByRole("button", { name: "Add 2 users" }));
    expect(await screen.findByText("Ben, Cy added to the team successfully")).toBeTruthy();
    expect(sent[0]?.body).toEqual([
      { team_id: "t1", person_id: "p2" },
      { team_id: "t1", person_id: "p3" },
    ]);
  });

  test("whom somebody else has added meanwhile is not chosen any more", async () => {
    routes["POST /api/db/team_members"] = ({ body }) => {
      sent.push({ name: "POST", body });
      if (sent.length > 1) return { body: [{}] };
      team = { ...team, members: [{ person: ada }, { person: ben }] };
      return { status: 409, body: { message: "Ben is already in the team Database." } };
    };
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Add users" }));
    const dialog = await screen.findByRole("dialog", { name: "Add users to the team" });
    for (const box of await within(dialog).findAllByRole("checkbox")) await user.click(box);
    await user.click(within(dialog).getByRole("button", { name: "Add 2 users" }));
    expect((await within(dialog).findByRole("alert")).textContent).toContain("already in the team");
    await user.click(await within(dialog).findByRole("button", { name: "Add" }));
    expect(await screen.findByText("Cy added to the team successfully")).toBeTruthy();
    expect(sent[1]?.body).toEqual([{ team_id: "t1", person_id: "p3" }]);
  });

  test("says when the users cannot be loaded, and tries again", async () => {
    const people = routes["GET /api/db/people"]!;
    routes["GET /api/db/people"] = () => ({ status: 500, body: { message: "no people" } });
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Add users" }));
    const dialog = await screen.findByRole("dialog", { name: "Add users to the team" });
    expect(await within(dialog).findByText("no people")).toBeTruthy();
    routes["GET /api/db/people"] = people;
    await user.click(within(dialog).getByRole("button", { name: "Try again" }));
    expect(await within(dialog).findByText("Ben")).toBeTruthy();
  });

  test("one is removed from this team only, after asking", async () => {
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Remove user Ada" }));
    const question = await screen.findByRole("dialog", { name: "Remove Ada from Database?" });
    await user.click(within(question).getByRole("button", { name: "Remove user" }));
    expect(await screen.findByText("Ada removed from team successfully")).toBeTruthy();
    expect(sent.map(({ name }) => name)).toEqual([
      "DELETE /api/db/team_members?team_id=eq.t1&person_id=eq.p1",
    ]);
  });

  test("a team without any says so", async () => {
    team["members"] = [];
    show();
    expect(
      await screen.findByText("You haven't added any team members to the team yet."),
    ).toBeTruthy();
  });

  test("a failure is said and nothing is lost", async () => {
    routes["DELETE /api/db/team_members"] = () => ({ status: 500, body: { error: "no luck" } });
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Remove user Ada" }));
    await user.click(
      within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove user" }),
    );
    expect(await screen.findByText("no luck")).toBeTruthy();
    expect(screen.getByText("ada@example.com")).toBeTruthy();
  });

  test("who may only read sees no buttons", async () => {
    show("/settings/teams/t1", ["viewer"]);
    await screen.findByText("ada@example.com");
    expect(screen.queryByRole("button", { name: /Add users|Remove user/ })).toBeNull();
  });
});

describe("the spec", () => {
  test("is saved as it was changed", async () => {
    const { user, history } = show("/settings/teams/t1?tab=spec");
    const name = await screen.findByLabelText(/Name/);
    await user.clear(name);
    await user.type(name, "Data");
    await user.click(screen.getByRole("button", { name: "Update" }));
    await waitFor(() => expect(history.location.pathname).toBe("/settings/teams"));
    expect(sent[0]).toEqual({
      name: "PATCH /api/db/teams?id=eq.t1&updated_at=eq.2026-01-01T00%3A00%3A00Z",
      body: { name: "Data", icon: null, spec: { components: [{ name: "db" }] } },
    });
  });

  test("is kept while the members are looked at", async () => {
    const { user } = show("/settings/teams/t1?tab=spec");
    await user.type(await screen.findByLabelText(/Name/), "base");
    await user.click(screen.getByRole("tab", { name: "Members" }));
    expect(await screen.findByText("ada@example.com")).toBeTruthy();
    await user.click(screen.getByRole("tab", { name: "Spec" }));
    expect(screen.getByLabelText<HTMLInputElement>(/Name/).value).toBe("Databasebase");
  });

  test("is not written over what somebody else has changed meanwhile", async () => {
    routes["PATCH /api/db/teams"] = ({ url, body }) => {
      sent.push({ name: url.search, body });
      team = { ...team, icon: "postgres", updated_at: "2026-02-02T00:00:00Z" };
      return { body: sent.length === 1 ? [] : [{ id: "t1" }] };
    };
    const { user, history } = show("/settings/teams/t1?tab=spec");
    const name = await screen.findByLabelText<HTMLInputElement>(/Name/);
    await user.type(name, "s");
    await user.click(screen.getByRole("button", { name: "Update" }));
    expect(await screen.findByText(/Nothing was saved/)).toBeTruthy();
    expect((await screen.findByRole("status")).textContent).toContain("meanwhile (icon)");
    expect([name.value, screen.getByLabelText<HTMLInputElement>(/Icon/).value]).toEqual([
      "Databases",
      "postgres",
    ]);
    await user.click(screen.getByRole("button", { name: "Update" }));
    await waitFor(() => expect(history.location.pathname).toBe("/settings/teams"));
    expect(sent[1]).toMatchObject({
      name: "?id=eq.t1&updated_at=eq.2026-02-02T00%3A00%3A00Z",
      body: { name: "Databases", icon: "postgres" },
    });
  });

  test("of a team that was deleted meanwhile stays to be read", async () => {
    let isGone = false;
    routes["GET /api/db/teams"] = () => ({ body: isGone ? [] : [team] });
    routes["PATCH /api/db/teams"] = () => {
      isGone = true;
      return { body: [] };
    };
    const { user } = show("/settings/teams/t1?tab=spec");
    const name = await screen.findByLabelText<HTMLInputElement>(/Name/);
    await user.type(name, " of ours");
    await user.click(screen.getByRole("button", { name: "Update" }));
    expect(await screen.findByText(/This team was deleted meanwhile/)).toBeTruthy();
    expect(name.value).toBe("Database of ours");
    expect(screen.queryByRole("button", { name: /Update|Delete/ })).toBeNull();
    await user.click(screen.getByRole("tab", { name: "Members" }));
    expect(screen.queryByRole("button", { name: /Add users|Remove user/ })).toBeNull();
  });

  test("is deleted after asking, without a word of it being gone", async () => {
    let isGone = false;
    routes["GET /api/db/teams"] = () => ({ body: isGone ? [] : [team] });
    routes["PATCH /api/db/teams"] = ({ body }) => {
      sent.push({ name: "PATCH", body });
      isGone = true;
      return { body: [{ id: "t1" }] };
    };
    const { user, history } = show("/settings/teams/t1?tab=spec");
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    const question = await screen.findByRole("dialog", { name: "Delete the team Database?" });
    expect(question.textContent).toContain("Its member stays a user");
    await user.click(within(question).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(history.location.pathname).toBe("/settings/teams"));
    expect(sent).toEqual([{ name: "PATCH", body: { deleted_at: "now()" } }]);
  });

  test.each([
    ["there is none", { body: [] }],
    ["it is no id", { status: 400, body: { message: "invalid input syntax for type uuid" } }],
  ])("of a team that is not there says so: %s", async (_, answer) => {
    routes["GET /api/db/teams"] = () => answer;
    show("/settings/teams/t1?tab=spec");
    expect(await screen.findByText("There is no such team")).toBeTruthy();
    expect(screen.getByRole("link", { name: "All teams" })).toBeTruthy();
  });

  test("of a team that is kept elsewhere is locked", async () => {
    team["source"] = "git";
    show("/settings/teams/t1?tab=spec");
    expect(await screen.findByText(/kept in git and changed there/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Update" })).toBeNull();
  });

  test.for([
    ["", "x", { name: "This field is required" }],
    ["x".repeat(129), "x", { name: "At most 128 characters" }],
    ["a", "- list", { spec: "Spec must be a mapping: keys with their values." }],
    ["a", "just text", { spec: "Spec must be a mapping: keys with their values." }],
    ["a", "a: [", { spec: expect.stringContaining("Flow sequence") }],
  ] as const)("name %j with spec %j is refused", ([name, spec, errors]) => {
    const form = { name, icon: "", spec: spec === "x" ? "" : spec };
    expect(readTeamForm(form)).toEqual({ errors });
  });
});
