// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { SecurityPage } from "./SecurityPage.tsx";

const fact = {
  id: "code.roles",
  title: "Others than administrators may run code on the server",
  state: "CODE_ROLES gives it to: editor.",
  cost: "Each of them can save checks that run programs.",
  remedy: "Leave CODE_ROLES out.",
  setting: "CODE_ROLES",
  weight: "serious",
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
const show = (facts: object[]) => {
  const { routes } = fakeApi({ "GET /api/security": () => ({ body: { facts } }) });
  return {
    routes,
    ...renderPage(SecurityPage, { path: "/settings/security", address: "/settings/security" }),
  };
};

test("each fact says how it stands, what it costs and what to do instead", async () => {
  show([fact, { ...fact, id: "other", title: "Another", weight: "notable", setting: undefined }]);
  await screen.findByText("2 things weaken this server, 1 of them seriously.");
  const [first, second] = within(
    screen.getByRole("list", { name: "What weakens this server" }),
  ).getAllByRole("listitem");
  expect(within(first!).getByRole("heading").textContent).toBe(`${fact.title}SeriousCODE_ROLES`);
  for (const text of [fact.state, fact.cost, fact.remedy])
    expect(within(first!).getByText(text)).toBeTruthy();
  expect(within(second!).getByRole("heading").textContent).toBe("AnotherNotable");
});

test("a server that nothing weakens says so", async () => {
  show([]);
  await screen.findByText("Nothing weakens this server");
});

test("says what went wrong when it cannot be loaded, and tries again", async () => {
  const { routes, user } = show([fact]);
  await screen.findByText(fact.title);
  cleanup();
  routes["GET /api/security"] = () => ({ status: 500, body: { error: "no facts" } });
  const again = renderPage(SecurityPage, {
    path: "/settings/security",
    address: "/settings/security",
  });
  await screen.findByText("no facts");
  routes["GET /api/security"] = () => ({ body: { facts: [] } });
  await (again.user ?? user).click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("Nothing weakens this server");
});
