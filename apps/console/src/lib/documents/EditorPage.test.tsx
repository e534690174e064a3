// @vitest-environment happy-dom
import { useQueryClient } from "@tanstack/react-query";
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { FileText } from "lucide-react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { ApiError } from "../api-error.ts";
import type { ResourceKind } from "../page.ts";
import type { Session } from "../use-access.ts";
import type { ConsoleDocumentKind } from "./document-kinds.ts";
import { EditorPage } from "./EditorPage.tsx";
import { sheet, stored } from "../../testing/document-kinds.ts";

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({
  // The real editor needs a browser that lays out text; what the page does with the text is what counts here.
  YamlEditor: ({ label, value, onChange, readOnly }: YamlEditorProps) => (
    <textarea
      aria-label={label}
      value={value}
      readOnly={readOnly}
      onChange={(event) => onChange(event.target.value)}
    />
  ),
}));

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const row = stored("Sheet", "front");
function Page() {
  const client = useQueryClient();
  return (
    <>
      <EditorPage
        kind="sheet"
        id="id-front"
        to={(id) => `/sheets/${id}`}
        within={[{ label: "Settings" }]}
        list={{ label: "Sheets", to: "/sheets" }}
        alsoFrom={["/wall"]}
      />
      <button onClick={() => void client.invalidateQueries()}>Somebody else did something</button>
    </>
  );
}
function open(
  answer: FakeRoute = () => ({ body: row }),
  more: {
    session?: Partial<Session>;
    routes?: Record<string, FakeRoute>;
    kind?: Partial<ConsoleDocumentKind>;
    resources?: readonly ResourceKind[];
    address?: string;
  } = {},
) {
  const api = fakeApi({ "GET /api/documents/sheet/id-front": answer, ...more.routes });
  const page = renderPage(Page, {
    path: "/sheets/$documentId",
    address: more.address ?? "/sheets/id-front",
    documents: [{ ...sheet, ...more.kind }],
    ...(more.resources && { resources: more.resources }),
    ...(more.session && { session: more.session }),
  });
  return { api, ...page };
}
const editor = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Document" });
const write = async (text: string) => fireEvent.change(await editor(), { target: { value: text } });
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const saves = (answer: (dryRun: boolean, text: unknown) => ReturnType<FakeRoute>) => ({
  "POST /api/documents": (({ url, body, headers }) => {
    expect(headers.get("content-type")).toBe("application/yaml");
    expect(url.searchParams.get("source")).toBe("UI");
    return answer(url.searchParams.get("dryRun") === "true", body);
  }) as FakeRoute,
});

test("a change is reviewed before it is saved, and what was written since is reviewed again", async () => {
  const sent: unknown[] = [];
  const { user, history } = open(undefined, {
    routes: saves((dryRun, text) => {
      sent.push([dryRun, text]);
      const saved = { kind: "Sheet", id: row.id, namespace: "shop", name: "front", held: [] };
      const changes = [{ path: "spec.pin", change: "changed", secret: true }];
      const difference = { before: "size: 4\n", after: "size: 5\n", changes };
      return {
        body: {
          dryRun,
          documents: [{ ...saved, outcome: "updated", ...(dryRun ? difference : {}) }],
        },
      };
    }),
  });
  const text = (await editor()).value;
  expect(text).toContain("uid: id-front");
  expect(button("Review changes").disabled).toBe(true);
  const changed = text.replace("size: 4", "size: 5");
  await write(changed);
  await user.click(button("Review changes"));
  const review = await screen.findByRole("status", { name: "Review" });
  expect(review.textContent).toContain("Nothing is saved yet");
  expect(review.textContent).toContain("spec.pin");
  expect(await within(review).findByLabelText("Changes of shop/front")).toBeTruthy();
  expect(button("Update").disabled).toBe(false);

  await write(changed.replace("size: 5", "size: 6"));
  expect(screen.queryByRole("button", { name: "Update" })).toBeNull();
  await write(changed);
  await user.click(button("Update"));
  await vi.waitFor(() => expect(history.location.pathname).toBe("/sheets"));
  expect(sent).toEqual([
    [true, changed],
    [false, changed],
  ]);
  expect(localStorage.length).toBe(0);
});

test.each([
  ["/sheets?query=fr", "/sheets?query=fr"],
  ["/wall?size=4", "/wall?size=4"],
  ["/elsewhere", "/sheets"],
])(
  "whoever came from %s is led to %s when it is saved, and can go back to it",
  async (from, to) => {
    const { user, history } = open(undefined, {
      address: from,
      routes: saves((dryRun) => {
        const saved = { kind: "Sheet", id: row.id, namespace: "shop", name: "front", held: [] };
        return { body: { dryRun, documents: [{ ...saved, outcome: "updated" }] } };
      }),
    });
    await screen.findByText("not found");
    history.push("/sheets/id-front");
    await write((await editor()).value.replace("size: 4", "size: 5"));
    // What it looks at within the page is no place that it came from.
    history.replace("/sheets/id-front?tab=");
    await user.click(button("Review changes"));
    await screen.findByRole("status", { name: "Review" });
    await user.click(button("Update"));
    await vi.waitFor(() => expect(history.location.href).toBe(to));
    await user.click(await screen.findByRole("button", { name: "Open" }));
    await vi.waitFor(() => expect(history.location.pathname).toBe("/sheets/id-front"));
  },
);

test("a double click on the review saves nothing", async () => {
  const sent: boolean[] = [];
  const { user } = open(undefined, {
    routes: saves((dryRun) => {
      sent.push(dryRun);
      const saved = { kind: "Sheet", id: row.id, namespace: "shop", name: "front", held: [] };
      return { body: { dryRun, documents: [{ ...saved, outcome: "updated" }] } };
    }),
  });
  await write((await editor()).value.replace("size: 4", "size: 5"));
  fireEvent.click(button("Review changes"), { detail: 1 });
  // The answer is there before the second click.
  fireEvent.click(await screen.findByRole("button", { name: "Update" }), { detail: 2 });
  await user.click(button("Discard changes"));
  expect(sent).toEqual([true]);
});

test("what is refused has its place, and what was typed is still there when the page is opened again", async () => {
  const { user } = open(undefined, {
    routes: saves(() => ({
      status: 400,
      body: {
        error: "1 problem",
        issues: [{ path: "spec.size", message: "Expected a number.", line: 9, column: 9 }],
      },
    })),
  });
  await write("size: x\n");
  await user.click(button("Review changes"));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("9:9 spec.size: Expected a number.");
  cleanup();
  const again = open();
  expect((await editor()).value).toBe("size: x\n");
  await again.user.click(button("Discard changes"));
  expect((await editor()).value).toContain("size: 4");
});

test("deleting asks first and says what goes with it", async () => {
  const { user, api, history } = open(undefined, {
    routes: {
      "DELETE /api/documents/sheet/id-front": () => ({ body: { outcome: "deleted" } }),
    },
  });
  await editor();
  await user.click(button("Delete"));
  const question = await screen.findByRole("dialog", { name: "Delete front?" });
  expect(question.textContent).toContain("What is written on it goes with it.");
  expect(api.calls.some((call) => call.startsWith("DELETE"))).toBe(false);
  await user.click(within(question).getByRole("button", { name: "Delete" }));
  await vi.waitFor(() => expect(history.location.pathname).toBe("/sheets"));
});

test("a document from elsewhere is read, and says where it is changed", async () => {
  open(() => ({ body: stored("Sheet", "front", { source: "git/paper.yaml" }) }));
  expect((await editor()).readOnly).toBe(true);
  screen.getByText("This document is changed where it comes from: git/paper.yaml.");
  expect(screen.queryByRole("button", { name: "Review changes" })).toBeNull();
  button("Export as YAML");
});

test("a document whose secrets went with a lost key says which are to be written again", async () => {
  const { api } = open(() => ({ body: { ...row, lost: ["http[name=a].password"] } }));
  const said = await screen.findByText(/^A secret was lost with the key/);
  expect(said.textContent).toContain('in place of "********": http[name=a].password');
  expect(api.calls).toHaveLength(1);
});

test("a document that has drifted from its source says so, with the difference", async () => {
  const source = "git/paper.yaml";
  const applied = row.text.replace("size: 4", "size: 3");
  const { user } = open(() => ({ body: { ...stored("Sheet", "front", { source }), applied } }));
  const drift = await screen.findByRole("region", { name: "Drift" });
  expect(drift.textContent).toContain("it was changed here after git/paper.yaml applied it");
  await user.click(within(drift).getByText("What was changed"));
  // What was applied is what went, what is there now is what came.
  const changed = await within(drift).findByLabelText("Changed since");
  expect(changed.textContent).toMatch(/size: 3[^]*size: 4/);
});

test("a viewer reads, is told why not, and exports", async () => {
  open(undefined, { session: { roles: ["viewer"] } });
  expect((await editor()).readOnly).toBe(true);
  screen.getByText(/^Needs the role/);
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  button("Export as YAML");
});

test("one that is gone says so, and one of a kind that is off is not asked for", async () => {
  open(() => ({ status: 404, body: { error: "not found" } }));
  await screen.findByText("There is no such document");
  cleanup();
  const off = { name: "sheets.disable", value: "true" };
  const { api } = open(undefined, { session: { properties: [off] } });
  await screen.findByText("There is no such document");
  expect(api.calls).toEqual([]);
});

const review = saves(() => ({
  body: {
    documents: [{ kind: "Sheet", namespace: "shop", name: "front", outcome: "updated", held: [] }],
  },
}));
const press = (user: UserEvent) => user.click(button("Somebody else did something"));

test("what others have changed meanwhile is reviewed before it is replaced", async () => {
  let size = 4;
  const { user } = open(() => ({ body: stored("Sheet", "front", { spec: { size } }) }), {
    routes: review,
  });
  await write("size: 5\n");
  await user.click(button("Review changes"));
  await screen.findByRole("button", { name: "Update" });
  size = 6;
  await press(user);
  await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Update" })).toBeNull());
  expect((await editor()).value).toBe("size: 5\n");
  expect(button("Review changes").disabled).toBe(false);
});

test("what was typed stays when the document is deleted by others, and can be saved", async () => {
  let isThere = true;
  const { user } = open(() => (isThere ? { body: row } : { status: 404, body: { error: "no" } }), {
    routes: review,
  });
  await write("size: 5\n");
  isThere = false;
  await press(user);
  await screen.findByText(/Somebody has deleted this document meanwhile/);
  expect((await editor()).value).toBe("size: 5\n");
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  await user.click(button("Review changes"));
  await screen.findByRole("button", { name: "Save" });
  await user.click(button("Discard changes"));
  await screen.findByText("There is no such document");
});

test("what a kind offers to try is tried with the text as it is, and what is refused has its place", async () => {
  const tried: unknown[] = [];
  const trial = {
    label: "Fold",
    busyLabel: "Folding",
    refused: "Nothing was folded",
    load: async () => async (what: { text: string; id?: string }) => {
      tried.push({ text: what.text, id: what.id });
      if (tried.length < 2) return <p>Folds in four</p>;
      const issues = [{ path: "spec.size", message: "Too small.", line: 1, column: 7 }];
      throw new ApiError("no", { status: 400, request: "fold", body: { issues } });
    },
  };
  const { user } = open(undefined, { kind: { trial } });
  await write("size: 1\n");
  await user.click(button("Fold"));
  await screen.findByText("Folds in four");
  await user.click(button("Fold"));
  const alert = await screen.findByRole("alert", { name: "Nothing was folded: 1 problem" });
  expect(alert.textContent).toContain("1:7 spec.size: Too small.");
  expect(screen.queryByText("Folds in four")).toBeNull();
  expect(tried).toEqual(Array.from({ length: 2 }, () => ({ text: "size: 1\n", id: row.id })));
});

test("what is tried is ended by who waits for it no longer, which is no failure", async () => {
  const ended = vi.fn();
  const trial = {
    label: "Fold",
    busyLabel: "Folding",
    refused: "Nothing was folded",
    load:
      async () =>
      ({ signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            ended();
            reject(signal.reason as Error);
          });
        }),
  };
  const { user } = open(undefined, { kind: { trial } });
  await write("size: 1\n");
  await user.click(button("Fold"));
  await user.click(await screen.findByRole("button", { name: "Cancel" }));
  await screen.findByRole("button", { name: "Fold" });
  expect(ended).toHaveBeenCalledOnce();
  expect(screen.queryByRole("alert")).toBeNull();
  // Who leaves waits no longer either.
  await user.click(button("Fold"));
  await screen.findByRole("button", { name: "Cancel" });
  cleanup();
  expect(ended).toHaveBeenCalledTimes(2);
});

test("the history of one is a press away where the audit knows its kind", async () => {
  open(undefined, {
    resources: [
      { kind: "sheet", label: { one: "Sheet", many: "Sheets" }, icon: FileText, read: "canaries" },
    ],
  });
  const link = await screen.findByRole("link", { name: "History of changes" });
  expect(link.getAttribute("href")).toBe(
    "/settings/audit?resource_type=sheet&resource_id=id-front",
  );
});
