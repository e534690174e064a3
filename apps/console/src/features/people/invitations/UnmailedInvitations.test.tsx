// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { openConsole } from "../../../testing/real-console.tsx";

afterEach(() => window.localStorage.clear());

const expires_at = new Date(Date.now() + 86_400_000).toISOString();
const grace = { id: "g", name: "Grace Hopper", email: "grace@example.com", expires_at };
const answers = (rows: object[]) => ({
  "GET /api/people/unmailed-invitations": () => ({ body: rows }),
});

test("whoever invited somebody finds the link on the next page, and may hide what is said", async () => {
  const link = "https://m/api/.ory/self-service/recovery?token=1";
  const copied = vi.fn(async () => undefined);
  const { user } = await openConsole({
    roles: ["admin"],
    answers: answers([{ ...grace, invited_by: "Ada", link }]),
  });
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(copied);
  const notice = (await screen.findByText(/Grace Hopper is invited, but no e-mail could be sent/))
    .parentElement!;
  expect(notice.textContent).toContain("works once, until");
  expect(notice.textContent).not.toContain(link);
  await user.click(screen.getByRole("button", { name: "Copy link" }));
  expect(copied).toHaveBeenCalledWith(link);
  await user.click(screen.getByRole("button", { name: "Hide what is said of Grace Hopper" }));
  await waitFor(() => expect(screen.queryByText(/Grace Hopper is invited/)).toBeNull());
});

test("other administrators are told who can hand it over", async () => {
  await openConsole({ roles: ["admin"], answers: answers([{ ...grace, invited_by: "Zoë" }]) });
  await screen.findByText(/Zoë can hand over the link; a new one is made under Users\./);
  expect(screen.queryByRole("button", { name: "Copy link" })).toBeNull();
});

test("of many the latest is shown, and how many more there are", async () => {
  const many = ["a", "b", "c", "d"].map((id) => ({ ...grace, id, name: `Grace ${id}` }));
  const { user } = await openConsole({ roles: ["admin"], answers: answers(many) });
  const first = await screen.findByText(/Grace a is invited/);
  expect(first.textContent).toContain("And 3 more.");
  expect(screen.queryByText(/Grace b is invited/)).toBeNull();
  await user.click(screen.getByRole("button", { name: "Hide what is said of Grace a" }));
  expect((await screen.findByText(/Grace b is invited/)).textContent).toContain("And 2 more.");
});

test("nobody else is told, nor asks", async () => {
  const { api } = await openConsole({ roles: ["viewer"], answers: answers([grace]) });
  await waitFor(() => expect(api.calls.length).toBeGreaterThan(3));
  expect(api.calls.some((call) => call.includes("unmailed"))).toBe(false);
});
