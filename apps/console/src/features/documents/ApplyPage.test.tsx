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
      expect(body).toBe("kind: Sheet\n---\nkind: Roll\n");
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
  expect(review.textContent).toContain("1 of 2 documents would change");
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
  cleanup();
  open();
  expect((await editor()).value).toBe("kind: Sheet\n");
});

test("who may write none is told so", async () => {
  open({}, { roles: ["viewer"] });
  expect((await editor()).readOnly).toBe(true);
  screen.getByText(/^Needs the role/);
  expect(screen.queryByRole("button", { name: "Add files" })).toBeNull();
});
