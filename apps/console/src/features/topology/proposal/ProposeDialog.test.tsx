// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { ProposeDialog } from "./ProposeDialog.tsx";

// Fetched with the first popup: not what is waited for below.
beforeAll(() => import("@mainstay/ui/popups/DialogPopup.tsx"));
const onClose = vi.fn<() => void>();
const onEdit = vi.fn<(document: string) => void>();
beforeEach(() => {
  onClose.mockReset();
  onEdit.mockReset();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const hostile = '<img src=x onerror="1">';
const offers = {
  tags: [
    { key: "app", values: 2, items: 5 },
    { key: "env", values: 1, items: 1 },
  ],
  labels: [],
  types: [{ type: "Test::Pod", items: 4 }],
  unnamed: 2,
};
const proposal = {
  document: "kind: Topology\n",
  name: "by-app",
  covers: { groups: 2, items: 1000, leftOut: 1 },
  notices: ["1200 items are meant, and one lookup finds 1000."],
};
const list = { count: 0, names: [] };
const trial = {
  topology: "default/by-app",
  complete: true,
  count: 2,
  components: [{ name: hostile, type: "App", external_id: "x", status: "", health: "healthy" }],
  changes: { added: list, changed: list, removed: list },
  checks: 0,
  errors: [],
  warnings: [],
};

function show(answers: Record<string, FakeRoute> = {}) {
  const wishes: unknown[] = [];
  const api = fakeApi({
    "GET /api/topology/propose": () => ({ body: offers }),
    "POST /api/topology/propose": ({ body }) => {
      wishes.push(body);
      return { body: proposal };
    },
    "POST /api/topology/run/document": ({ body }) =>
      (body as { document: string }).document === proposal.document
        ? { body: { results: [trial] } }
        : { status: 400, body: { error: "another document" } },
    ...answers,
  });
  const Shown = () => <ProposeDialog onClose={onClose} onEdit={onEdit} />;
  return { ...api, wishes, ...renderPage(Shown, { path: "/x", address: "/x" }) };
}

test("what most items have is offered first, seen as a tree and as a text, and gone on with", async () => {
  const { user, wishes } = show();
  expect((await screen.findByLabelText<HTMLSelectElement>("Tag")).selectedOptions[0]!.text).toBe(
    "app (2 values, 5 items)",
  );
  expect(screen.getByText(/2 tag or labels with signs that no selector can name are/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Go on in the editor" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Preview" }));
  const preview = within(await screen.findByRole("region", { name: "Preview" }));
  expect(wishes).toEqual([{ by: "tag", key: "app", types: [] }]);
  preview.getByText("1,000 items of the catalog in 2 groups; 1 other left out.");
  preview.getByText(proposal.notices[0]!);
  preview.getByText(hostile);
  expect(document.querySelector("img[onerror]")).toBeNull();
  await user.click(preview.getByRole("tab", { name: "Document" }));
  await waitFor(() =>
    expect(preview.getByRole("tabpanel").textContent).toContain("kind: Topology"),
  );
  await user.click(screen.getByRole("button", { name: "Go on in the editor" }));
  expect(onEdit).toHaveBeenCalledExactlyOnceWith(proposal.document);
});

test("what is shown is of what is chosen", async () => {
  const { user, wishes } = show();
  await user.click(await screen.findByRole("button", { name: "Preview" }));
  await screen.findByRole("region", { name: "Preview" });
  await user.selectOptions(screen.getByLabelText("Tag"), "env");
  expect(screen.queryByRole("region", { name: "Preview" })).toBeNull();
  await user.selectOptions(screen.getByLabelText("Components"), "ownership");
  expect(screen.queryByLabelText("Tag")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Preview" }));
  await waitFor(() => expect(wishes.at(-1)).toEqual({ by: "ownership", types: [] }));
  await user.selectOptions(screen.getByLabelText("Components"), "label");
  screen.getByText("No item of the catalog has a label yet.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Preview" }).disabled).toBe(true);
});

test("a refusal is said, and what was chosen stays", async () => {
  const { user } = show({
    "POST /api/topology/propose": () => ({
      status: 404,
      body: { error: 'No item of the catalog has the tag "env".' },
    }),
  });
  await user.selectOptions(await screen.findByLabelText("Tag"), "env");
  await user.click(screen.getByRole("button", { name: "Preview" }));
  expect((await screen.findByRole("alert")).textContent).toBe(
    'No item of the catalog has the tag "env".',
  );
  expect(screen.getByLabelText<HTMLSelectElement>("Tag").value).toBe("env");
});

test("when the catalog cannot be asked it says so, and asks again", async () => {
  let tries = 0;
  const { user } = show({
    "GET /api/topology/propose": () =>
      ++tries === 1 ? { status: 500, body: { error: "The catalog is away." } } : { body: offers },
  });
  await screen.findByText("The catalog is away.");
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByLabelText("Tag");
});
