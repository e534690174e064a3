// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../testing/fake-api.ts";
import { renderPage } from "../testing/render-page.tsx";
import { UserMenu } from "./UserMenu.tsx";

const assign = vi.fn<(address: string | URL) => void>();
beforeEach(() => {
  window.history.replaceState({}, "", "/health?tab=web");
  vi.spyOn(window.location, "assign").mockImplementation(assign);
  assign.mockReset();
  localStorage.clear();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function open(routes: Record<string, FakeRoute> = {}, person?: null) {
  const api = fakeApi({
    "GET /api/canary/about": () => ({ body: { Version: "9.9.9" } }),
    "GET /api/.ory/self-service/logout/browser": () => ({ body: { logout_token: "t" } }),
    "GET /api/.ory/self-service/logout": () => ({ status: 204 }),
    ...routes,
  });
  const page = renderPage(UserMenu, {
    path: "/health",
    address: "/health?tab=web",
    ...(person === null ? { session: { person } } : {}),
  });
  await page.user.click(await screen.findByRole("button", { name: "User menu" }));
  return { ...page, api };
}

test("greets, leads to the profile, tells both versions", async () => {
  const { user, history } = await open();
  await screen.findByText("Hi, Ada Admin");
  await screen.findByText("9.9.9");
  await user.click(screen.getByRole("menuitem", { name: "Your Profile" }));
  expect(history.location.pathname).toBe("/profile-settings");
});

test("a server that does not say its version is NA", async () => {
  await open({ "GET /api/canary/about": () => ({ status: 500, body: {} }) });
  await screen.findByText("NA");
});

test("signing out comes back here after the next sign-in", async () => {
  const { user, api } = await open();
  await user.click(await screen.findByRole("menuitem", { name: "Sign out" }));
  await waitFor(() =>
    expect(assign).toHaveBeenCalledWith("/login?return_to=%2Fhealth%3Ftab%3Dweb"),
  );
  expect(api.calls).toContain(
    "GET /api/.ory/self-service/logout?token=t&return_to=%2Fhealth%3Ftab%3Dweb",
  );
});

test("the kubeconfig has its steps, and says when it cannot be had", async () => {
  const { user } = await open({
    "POST /api/kubeconfig": () => ({ status: 403, body: { error: "not for you" } }),
  });
  await user.click(await screen.findByRole("menuitem", { name: "Download kubeconfig" }));
  await screen.findByRole("dialog", { name: "Download and install kubeconfig" });
  screen.getByText(/get canaries/);
  screen.getByText(/works for 90 days/);
  screen.getByRole("link", { name: "Learn more" });
  await user.click(screen.getByRole("button", { name: "Download kubeconfig" }));
  await screen.findByText("not for you");
});

test("density is kept", async () => {
  const { user } = await open();
  await user.click(await screen.findByRole("menuitemradio", { name: "Compact" }));
  expect(document.documentElement.dataset.density).toBe("compact");
  expect(localStorage.getItem("mainstay.density")).toBe("compact");
});

test("where nobody signs in there is neither profile nor sign-out", async () => {
  await open({}, null);
  await screen.findByText("Light");
  expect(screen.queryByText("Your Profile")).toBeNull();
  expect(screen.queryByText("Sign out")).toBeNull();
});
