// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import type { Session } from "#lib/use-access.ts";
import { ApplyPage } from "./ApplyPage.tsx";
import { roll, sheet } from "../../testing/document-kinds.ts";

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({
  YamlEditor: ({ label, value, onChange, readOnly, place }: YamlEditorProps) => (
    <textarea
      aria-label={label}
      data-place={place ? `${place.line}:${place.column}` : undefined}
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

function open(routes: Record<string, FakeRoute> = {}, session?: Partial<Session>) {
  const api = fakeApi(routes);
  const page = renderPage(ApplyPage, {
    path: "/settings/documents/apply",
    address: "/settings/documents/apply",
    documents: [sheet, roll],
    ...(session && { session }),
  });
  return { api, ...page };
}
const editor = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Documents" });
const outcome = (kind: string, name: string, what: string) => ({
  kind,
  namespace: "shop",
  name,
  outcome: what,
  held: [],
  after: `name: ${name}\n`,
});

test("documents of several kinds are reviewed one by one, then applied together", async () => {
  const queries: string[] = [];
  const { user, history } = open({
    "POST /api/documents": ({ url, body }) => {
      expect(body).toBe("kind: Sheet\n---\n\nkind: Roll\n");
      queries.push(url.searchParams.get("dryRun")!);
      return {
        body: {
          documents: [outcome("Sheet", "a", "created"), outcome("Roll", "b", "unchanged")],
        },
      };
    },
  });
  await editor();
  const files = screen.getByLabelText<HTMLInputElement>("Files of documents");
  await user.upload(files, [
    new File(["kind: Sheet"], "a.yaml"),
    new File(["\nkind: Roll\n"], "b.yaml"),
  ]);
  await vi.waitFor(async () => expect((await editor()).value).toContain("Roll"));
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  const review = await screen.findByRole("status", { name: "Review" });
  expect(review.textContent).toContain("2 documents: 1 would be created, 1 stays as it is");
  expect(review.textContent).toMatch(/shop\/awould be created.*shop\/bstays as it is/s);
  await user.click(screen.getByRole("button", { name: "Apply" }));
  await vi.waitFor(() => expect(history.location.pathname).toBe("/settings/documents"));
  expect(queries).toEqual(["true", "false"]);
  expect(localStorage.length).toBe(0);
});

test("a text that was good and is refused when it is applied stays, with the place of the problem", async () => {
  const { user } = open({
    "POST /api/documents": ({ url }) =>
      url.searchParams.get("dryRun") === "true"
        ? { body: { documents: [outcome("Sheet", "a", "created")] } }
        : {
            status: 409,
            body: {
              error: "no",
              issues: [{ path: "metadata.name", message: "Taken.", line: 3, column: 9 }],
            },
          },
  });
  fireEvent.change(await editor(), { target: { value: "kind: Sheet\n" } });
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  await user.click(await screen.findByRole("button", { name: "Apply" }));
  expect((await screen.findByRole("alert")).textContent).toContain("3:9 metadata.name: Taken.");
  await user.click(screen.getByRole("button", { name: "Go to line 3, column 9" }));
  expect((await editor()).dataset["place"]).toBe("3:9");
  cleanup();
  open();
  expect((await editor()).value).toBe("kind: Sheet\n");
});

test("beside bad documents it is told what would become of the others, and nothing can be saved", async () => {
  const queries: string[] = [];
  const { user } = open({
    "POST /api/documents": ({ url, body }) => {
      queries.push(url.searchParams.get("dryRun")!);
      const documents = [outcome("Sheet", "a", "created"), outcome("Sheet", "b", "updated")];
      return String(body).includes("bad")
        ? {
            status: 400,
            body: {
              error: "no",
              issues: [{ path: "spec.url", message: "Not so.", line: 5, column: 3 }],
              documents,
              notices: [],
            },
          }
        : { body: { documents } };
    },
  });
  fireEvent.change(await editor(), { target: { value: "kind: Sheet # bad\n" } });
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  expect((await screen.findByRole("alert")).textContent).toContain("5:3 spec.url: Not so.");
  const review = screen.getByRole("status", { name: "Review" });
  expect(review.textContent).toContain(
    "The other 2 documents: 1 would be created, 1 would be changed. Nothing can be saved until what is wrong above is mended or taken out.",
  );
  expect(screen.queryByRole("button", { name: "Apply" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  await vi.waitFor(() => expect(queries).toEqual(["true", "true"]));
  fireEvent.change(await editor(), { target: { value: "kind: Sheet\n" } });
  expect(screen.queryByRole("status", { name: "Review" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  expect(await screen.findByRole("button", { name: "Apply" })).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("of many documents the equal ones are folded, and a difference is a click away", async () => {
  const made = Array.from({ length: 28 }, (_, index) => outcome("Sheet", `s${index}`, "unchanged"));
  const { user } = open({
    "POST /api/documents": () => ({
      body: {
        documents: [...made, outcome("Roll", "new", "created"), outcome("Roll", "old", "updated")],
        notices: [{ path: "kind", message: "Skipped.", line: 7, column: 1 }],
      },
    }),
  });
  fireEvent.change(await editor(), { target: { value: "kind: Sheet\n" } });
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  const review = await screen.findByRole("status", { name: "Review" });
  expect(review.textContent).toContain(
    "30 documents: 1 would be created, 1 would be changed, 28 stay as they are.",
  );
  const folded = screen.getByText("28 documents stay as they are").closest("details")!;
  expect([folded.open, folded.textContent.includes("shop/s27")]).toEqual([false, true]);
  expect(screen.queryByLabelText("Changes of shop/old")).toBeNull();
  await user.click(screen.getByText("shop/old"));
  expect(await screen.findByLabelText("Changes of shop/old")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Go to line 7, column 1" }));
  expect((await editor()).dataset["place"]).toBe("7:1");
});

test("files and folders are dropped onto the page; what holds no documents is left out", async () => {
  open();
  const file = (name: string, text: string) => ({
    isFile: true,
    fullPath: `/all/${name}`,
    file: (give: (file: File) => void) => give(new File([text], name)),
  });
  const parts = [
    [file("b.yaml", "kind: Roll\n"), file("notes.txt", "no")],
    [file("a.yml", "# A\n---\nkind: Sheet\n")],
    [],
  ];
  const entry = {
    isFile: false,
    createReader: () => ({ readEntries: (give: (part: unknown) => void) => give(parts.shift()) }),
  };
  const target = await editor();
  fireEvent.drop(target, {
    dataTransfer: { types: ["Files"], files: [], items: [{ webkitGetAsEntry: () => entry }] },
  });
  await vi.waitFor(async () =>
    expect((await editor()).value).toBe("# A\n---\nkind: Sheet\n---\nkind: Roll\n"),
  );
});

test("who may write none is told so", async () => {
  open({}, { roles: ["viewer"] });
  expect((await editor()).readOnly).toBe(true);
  screen.getByText(/^Needs the role/);
  expect(screen.queryByRole("button", { name: "Add files" })).toBeNull();
});
