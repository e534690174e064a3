// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { Activity } from "lucide-react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Role } from "@mainstay/contract/permissions.ts";
import type { ResourceKind } from "#lib/page.ts";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { ConnectionsPage } from "./ConnectionsPage.tsx";

const check: ResourceKind = {
  kind: "canary",
  label: { one: "Health check", many: "Health checks" },
  icon: Activity,
  read: "canaries",
  to: (id) => `/settings/canaries/${id}`,
};
let row: Record<string, unknown>;
let uses: unknown[];
let sent: { name: string; body: unknown }[];
let routes: Record<string, FakeRoute>;
let calls: string[];

beforeEach(() => {
  localStorage.clear();
  sent = [];
  uses = [{ kind: "canary", id: "y1", name: "shop", namespace: "web", place: "postgres[name=a]" }];
  row = {
    id: "c1",
    name: "orders",
    namespace: "shop",
    type: "postgres",
    url: "postgres://$(username):$(password)@db.example:5432/orders",
    username: "ann",
    password: "********",
    certificate: null,
    properties: null,
    insecure_tls: false,
    source: "UI",
    created_by: { id: "p1", name: "Ada Admin", avatar: null },
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
  };
  const take =
    (verb: string): FakeRoute =>
    ({ url, body }) => {
      sent.push({ name: `${verb} ${url.pathname}${url.search}`, body });
      return { body: [{ ...row, ...(body as object) }] };
    };
  ({ routes, calls } = fakeApi({
    "GET /api/db/connections": ({ url }) => {
      const id = url.searchParams.get("id");
      const isFound = id === null || id === `eq.${String(row["id"])}`;
      return {
        body: isFound ? [row] : [],
        headers: { "content-range": isFound ? "0-0/1" : "*/0" },
      };
    },
    "POST /api/db/connections": take("POST"),
    "PATCH /api/db/connections": take("PATCH"),
    "GET /api/connection/c1/uses": () => ({ body: { uses } }),
    "POST /api/connection/test/c1": () => ({ body: { message: "ok" } }),
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (address = "/settings/connections", roles: Role[] = ["admin"]) =>
  renderPage(ConnectionsPage, {
    path: "/settings/connections",
    address,
    session: { roles },
    resources: [check],
  });

const dialogOf = (name: string) => screen.findByRole("dialog", { name });

describe("the list", () => {
  test("shows what there is, by whom, and asks the server for a part of it", async () => {
    const { user, history } = show();
    const line = (await screen.findByText("orders")).closest("tr")!;
    expect(line.textContent).toMatch(/orders.*Postgres.*shop.*Console.*Ada Admin/);
    await user.selectOptions(screen.getByLabelText("Type"), "postgres");
    await waitFor(() => expect(calls.at(-1)).toContain("type=eq.postgres"));
    expect(history.location.search).toBe("?type=postgres");
    expect(calls.join()).not.toContain("select=*");
  });

  test("says where one is kept that is changed elsewhere, and cannot be deleted here", async () => {
    row["source"] = "git/shop.yaml";
    const { user } = show();
    expect(await screen.findByText("Kept in git/shop.yaml and changed there")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Actions for orders" }));
    const entry = await screen.findByRole("menuitem", { name: "Delete" });
    expect(entry.getAttribute("aria-disabled")).toBe("true");
  });
});

describe("a new one", () => {
  test("is picked by typing, filled in and saved; the keyboard goes to what is missing", async () => {
    const { user, history } = show();
    await user.click(await screen.findByRole("button", { name: "Add connection" }));
    const picker = await dialogOf("Add connection");
    expect(within(picker).getAllByRole("button", { name: /^(?!Close|Expand)/ })).toHaveLength(41);
    await user.type(within(picker).getByRole("searchbox"), "postgresql");
    await user.keyboard("{Enter}");
    const dialog = await dialogOf("Add Postgres connection");
    expect(history.location.search).toBe("?add=postgres");
    const field = (name: string | RegExp) => within(dialog).getByLabelText<HTMLInputElement>(name);
    expect(field(/^Namespace/).value).toBe("default");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    expect(within(dialog).getAllByText("This field is required")).toHaveLength(4);
    await expect.poll(() => document.activeElement).toBe(field(/^Name \*/));
    await user.type(field(/^Name \*/), "orders");
    await user.type(field("URL"), "postgres://db.example/orders");
    await user.type(field("Username"), "ann");
    const source = within(dialog).getByRole("radiogroup", { name: "Source of Password" });
    await user.click(within(source).getByLabelText("Secret"));
    await user.type(field("Secret of Password"), "creds");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    expect(within(dialog).getAllByText("This field is required")).toHaveLength(1);
    await user.type(field("Key of Password"), "pw");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Connection added successfully")).toBeTruthy();
    expect(sent).toEqual([
      {
        name: "POST /api/db/connections",
        body: {
          type: "postgres",
          name: "orders",
          namespace: "default",
          url: "postgres://db.example/orders",
          username: "ann",
          password: "secret://creds/pw",
          certificate: null,
          insecure_tls: false,
          properties: {},
          source: "UI",
          created_by: "p1",
        },
      },
    ]);
    expect(history.location.search).toBe("");
    expect(localStorage.length).toBe(0);
  });

  test("that is refused keeps what was typed; closed and opened again too, but for secrets", async () => {
    routes["POST /api/db/connections"] = () => ({
      status: 409,
      body: { message: "There is a connection of that name in default." },
    });
    const { user } = show("/settings/connections?add=github");
    const dialog = await dialogOf("Add GitHub connection");
    await user.type(within(dialog).getByLabelText(/^Name \*/), "hub");
    await user.type(within(dialog).getByLabelText("Personal Access Token"), "hunter2");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe(
      "There is a connection of that name in default.",
    );
    expect(JSON.stringify(localStorage)).not.toContain("hunter2");
    cleanup();
    show("/settings/connections?add=github");
    const again = await dialogOf("Add GitHub connection");
    expect(within(again).getByLabelText<HTMLInputElement>(/^Name \*/).value).toBe("hub");
    expect(within(again).getByText(/What you had begun is here again/)).toBeTruthy();
  });
});

describe("an opened one", () => {
  const open = async (roles?: Role[]) => {
    const page = show("/settings/connections?id=c1", roles);
    const dialog = await dialogOf("orders");
    return { ...page, dialog };
  };

  test("keeps its secret unless that is replaced, and its name and namespace", async () => {
    const { user, dialog, history } = await open();
    expect(within(dialog).getByLabelText<HTMLInputElement>(/^Name \*/).readOnly).toBe(true);
    expect(within(dialog).getByLabelText<HTMLInputElement>(/^Namespace/).readOnly).toBe(true);
    expect(within(dialog).getByText("Stored, and never shown")).toBeTruthy();
    await user.type(within(dialog).getByLabelText("Username"), "a");
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect(await screen.findByText("Connection updated successfully")).toBeTruthy();
    expect(sent[0]).toMatchObject({
      name: "PATCH /api/db/connections?id=eq.c1&updated_at=eq.2026-01-01T00%3A00%3A00Z",
      body: { username: "anna", password: "********", properties: {} },
    });
    expect(history.location.search).toBe("");
  });

  test("says which of its secrets went with a lost key, until they are written again", async () => {
    routes["GET /api/connection/c1/uses"] = () => ({ body: { uses, lost: ["password"] } });
    const { user, dialog } = await open();
    const lost = "The key that it was stored with is lost: write it again.";
    expect(await within(dialog).findByText(lost)).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Replace Password" }));
    expect(within(dialog).queryByText(lost)).toBeNull();
  });

  test("asks for its secret where the address changes", async () => {
    const { user, dialog } = await open();
    const url = within(dialog).getByLabelText("URL");
    await user.clear(url);
    await user.type(url, "postgres://evil.example/orders");
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect(within(dialog).getByText(/The address changed: write it again/)).toBeTruthy();
    expect(sent).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: "Replace Password" }));
    await user.type(within(dialog).getByLabelText("Password"), "pears");
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    await waitFor(() => expect(sent[0]?.body).toMatchObject({ password: "pears" }));
  });

  test("shows what the server says of a field at the field", async () => {
    routes["PATCH /api/db/connections"] = () => ({
      status: 400,
      body: { message: "no", issues: [{ path: "url", message: "Not an address." }] },
    });
    const { user, dialog } = await open();
    await user.type(within(dialog).getByLabelText("URL"), "x");
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect(await within(dialog).findByText("Not an address.")).toBeTruthy();
    expect(within(dialog).getByLabelText("URL").getAttribute("aria-invalid")).toBe("true");
  });

  test("is tested as it is stored", async () => {
    const { user, dialog } = await open();
    await user.click(within(dialog).getByRole("button", { name: "Test" }));
    expect(await screen.findByText("Connection successful")).toBeTruthy();
    await user.type(within(dialog).getByLabelText("Username"), "a");
    const button = within(dialog).getByRole("button", { name: "Test" });
    expect(button.dataset["tooltip"]).toBe("What is stored is tested: save first.");
  });

  test.each([
    [400, { error: "password authentication failed" }, "password authentication failed"],
    [400, {}, "Testing connection failed!"],
    [501, {}, "We currently do not support testing this connection type"],
    [500, { error: "x" }, "Testing connection failed!"],
  ])("a test that ends with %d and %j says so", async (status, body, text) => {
    routes["POST /api/connection/test/c1"] = () => ({ status, body });
    const { user, dialog } = await open();
    await user.click(within(dialog).getByRole("button", { name: "Test" }));
    expect(await screen.findByText(text)).toBeTruthy();
  });

  test("is deleted after it was said what uses it", async () => {
    const { user, dialog, history } = await open();
    const list = await within(dialog).findByRole("list", { name: "Used by" });
    expect(within(list).getByRole("link", { name: "shop" }).getAttribute("href")).toBe(
      "/settings/canaries/y1",
    );
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    const question = await dialogOf("Delete orders?");
    expect(question.textContent).toMatch(/What uses it fails.*shop.*web · postgres\[name=a\]/s);
    await user.click(within(question).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Connection deleted successfully")).toBeTruthy();
    expect(sent).toEqual([
      { name: "PATCH /api/db/connections?id=eq.c1", body: { deleted_at: "now()" } },
    ]);
    expect(history.location.search).toBe("");
  });

  test("whose deletion is refused says why", async () => {
    routes["PATCH /api/db/connections"] = () => ({ status: 409, body: { message: "It is used." } });
    const { user, dialog } = await open();
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    const question = await dialogOf("Delete orders?");
    await user.click(within(question).getByRole("button", { name: "Delete" }));
    expect((await within(question).findByRole("alert")).textContent).toBe("It is used.");
  });

  test("can only be read by who may not write", async () => {
    const { dialog } = await open(["editor"]);
    expect(within(dialog).getByText(/^Needs the role admin/)).toBeTruthy();
    expect(within(dialog).getByLabelText<HTMLInputElement>("URL").readOnly).toBe(true);
    expect(within(dialog).queryByRole("button", { name: /^(Delete|Test|Replace)/ })).toBeNull();
    expect(screen.queryByRole("button", { name: "Add connection" })).toBeNull();
  });

  test("that is kept elsewhere is locked, and can be tested", async () => {
    row["source"] = "git/shop.yaml";
    const { dialog } = await open();
    expect(within(dialog).getByText(/is kept in git\/shop.yaml and changed there/)).toBeTruthy();
    expect(within(dialog).getByRole("button", { name: "Test" })).toBeTruthy();
    expect(within(dialog).queryByRole("button", { name: "Delete" })).toBeNull();
  });

  test("that is not there says so", async () => {
    show("/settings/connections?id=nowhere");
    expect(await screen.findByText("There is no such connection")).toBeTruthy();
  });
});
