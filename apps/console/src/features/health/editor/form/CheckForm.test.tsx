// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { supportedCheckTypes } from "@mainstay/contract/canary/index.ts";
import type { Role } from "@mainstay/contract/permissions.ts";
import { fakeApi } from "../../../../testing/fake-api.ts";
import { renderPage } from "../../../../testing/render-page.tsx";
import { checkFields } from "./check-fields.ts";
import { CheckForm } from "./CheckForm.tsx";

const text = `# mine
apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: shop
spec:
  http:
    # the front
    - name: front   # page
      url: https://example.com/
      password:
        value: "********"
  folder:
    - name: backups
`;

beforeEach(() => {
  fakeApi({
    "GET /api/db/connections": () => ({
      body: [
        { id: "1", name: "api", namespace: "shop", type: "http" },
        { id: "2", name: "db", namespace: "shop", type: "postgres" },
      ],
    }),
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

let now: string;
function open(
  initial = text,
  more: {
    roles?: Role[];
    isTried?: boolean;
    readOnly?: boolean;
    stored?: { source: string | null };
  } = {},
) {
  now = initial;
  function Page() {
    const [written, setWritten] = useState(initial);
    const write = (next: string) => {
      now = next;
      setWritten(next);
    };
    const { isTried = false, readOnly = false } = more;
    return (
      <CheckForm
        text={written}
        onChange={write}
        isTried={isTried}
        readOnly={readOnly}
        {...(more.stored && { stored: more.stored })}
      />
    );
  }
  return renderPage(Page, {
    path: "/",
    address: "/",
    session: { roles: more.roles ?? ["admin"] },
  }).user;
}
const check = async () => within(await screen.findByRole("region", { name: "Check" }));
const inDocument = () => within(screen.getByRole("region", { name: "Document" }));
/** Lines that came. */
const came = (of = text) => now.split("\n").filter((line) => !of.split("\n").includes(line));

test("one value changes in the text, and nothing beside it", async () => {
  const user = open();
  const url = await screen.findByLabelText("URL");
  await user.type(url, "shop");
  expect(came()).toEqual(["      url: https://example.com/shop"]);
  await user.clear(url);
  expect(now).toBe(text.replace("      url: https://example.com/\n", ""));
});

test("the checks of the text can be chosen, made and taken away", async () => {
  const user = open();
  await user.selectOptions(
    await screen.findByRole("combobox", { name: "Check" }),
    "backups (Folder)",
  );
  await user.type(screen.getByLabelText(/^Path/), "/srv");
  expect(came()).toEqual(["      path: /srv"]);
  await user.click(screen.getByRole("button", { name: "Add a check" }));
  const picker = await screen.findByRole("dialog", { name: "Add a check" });
  await user.type(within(picker).getByRole("searchbox"), "tcp{Enter}");
  expect(came()).toEqual(["      path: /srv", "  tcp:", "    - name: my-tcp"]);
  expect((await check()).getByLabelText<HTMLInputElement>(/^Name( \*)?$/).value).toBe("my-tcp");
  await user.click(screen.getByRole("button", { name: "Remove this check" }));
  expect(came()).toEqual(["      path: /srv"]);
});

describe("what is written where", () => {
  test("numbers are numbers, and what is none is said and not written", async () => {
    const user = open();
    const field = await screen.findByLabelText("Threshold millis");
    await user.type(field, "2x");
    expect(screen.getByText("This field must be a number")).toBeTruthy();
    expect(came()).toEqual(["      thresholdMillis: 2"]);
    await user.type(field, "{Backspace}000");
    expect(came()).toEqual(["      thresholdMillis: 2000"]);
    await user.clear(field);
    expect(now).toBe(text);
  });

  test("the body is asked for where a request can have one", async () => {
    const user = open();
    const method = await screen.findByLabelText("Method");
    expect(screen.queryByLabelText("Body")).toBeNull();
    await user.type(method, "PUT");
    await user.type(screen.getByLabelText("Body"), "hello");
    expect(came()).toEqual(["      method: PUT", "      body: hello"]);
  });

  test("lists and maps grow and shrink", async () => {
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Add to Response codes" }));
    await user.type(screen.getByLabelText("Response codes 1"), "204");
    await user.click(screen.getByRole("button", { name: "Add to Response codes" }));
    await user.type(screen.getByLabelText("Response codes 2"), "3xx");
    expect(came()).toEqual(["      responseCodes:", "        - 204", "        - 3xx"]);
    await user.click(screen.getByRole("button", { name: "Remove Response codes 1" }));
    await user.click(screen.getByRole("button", { name: "Remove Response codes 1" }));
    expect(now).toBe(text);
    await user.click(screen.getByText("More"));
    await user.click((await check()).getByRole("button", { name: "Add to Labels" }));
    await user.type(screen.getByLabelText("New key of Labels"), "team{Enter}");
    await user.type(screen.getByLabelText("team"), "web");
    expect(came()).toEqual(["      labels:", "        team: web"]);
  });

  test("headers have a name and a value, which may be a secret's", async () => {
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Add to Headers" }));
    await user.type(screen.getByLabelText("Name of Headers 1"), "Authorization");
    await user.click(
      within(
        screen.getByRole("radiogroup", { name: "Source of Value of Headers 1" }),
      ).getByLabelText("Secret"),
    );
    await user.type(screen.getByLabelText("Secret of Value of Headers 1"), "creds");
    await user.type(screen.getByLabelText("Key of Value of Headers 1"), "k");
    expect(came().map((line) => line.trim())).toEqual([
      "headers:",
      "- name: Authorization",
      "valueFrom:",
      "secretKeyRef:",
      "name: creds",
      "key: k",
    ]);
  });

  test("half of a reference is written as it is, and what is missing is told", async () => {
    const user = open(text, { isTried: true });
    await user.click(await screen.findByRole("button", { name: "Add to Headers" }));
    await user.type(screen.getByLabelText("Name of Headers 1"), "Authorization");
    await user.click(
      within(
        screen.getByRole("radiogroup", { name: "Source of Value of Headers 1" }),
      ).getByLabelText("Secret"),
    );
    const name = screen.getByLabelText("Secret of Value of Headers 1");
    await user.type(name, "creds");
    expect(came().slice(-3)).toEqual([
      "          valueFrom:",
      "            secretKeyRef:",
      "              name: creds",
    ]);
    expect(screen.getByText("This field is required")).toBeTruthy();
    await user.type(screen.getByLabelText("Key of Value of Headers 1"), "k");
    expect(screen.queryByText("This field is required")).toBeNull();
    await user.clear(screen.getByLabelText("Key of Value of Headers 1"));
    expect(screen.getByText("This field is required")).toBeTruthy();
  });

  test("a stored secret stays unless it is replaced", async () => {
    const user = open();
    expect(await screen.findByText("Stored, and never shown")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Replace Password" }));
    await user.type(screen.getByLabelText("Password"), "pears");
    expect(came()).toEqual(["        value: pears"]);
  });

  test("scripts are written in one of their languages", async () => {
    const user = open();
    await user.click(await screen.findByText("Scripts"));
    await user.selectOptions(screen.getByLabelText("Test"), "Expr");
    await user.type(screen.getByLabelText("Script of Test"), "code == 200");
    expect(came()).toEqual(["      test:", "        expr: code == 200"]);
    await user.selectOptions(screen.getByLabelText("Test"), "Javascript");
    expect(came()).toEqual(["      test:", "        javascript: code == 200"]);
    await user.selectOptions(screen.getByLabelText("Test"), "None");
    expect(now).toBe(text);
  });

  test("connections that fit are offered, and an address may be written", async () => {
    const user = open();
    const field = await screen.findByRole<HTMLSelectElement>("combobox", { name: "Connection" });
    await vi.waitFor(() =>
      expect([...field.options].map(({ text: label }) => label)).toEqual([
        "None",
        "api (shop, http)",
      ]),
    );
    await user.selectOptions(field, "api (shop, http)");
    expect(came()).toEqual(["      connection: connection://shop/api"]);
    await user.click(screen.getByRole("button", { name: "Write one" }));
    await user.type(screen.getByLabelText("Connection"), "2");
    expect(came()).toEqual(["      connection: connection://shop/api2"]);
  });

  test("who may not see connections writes theirs", async () => {
    open(text, { roles: ["viewer"] });
    expect((await screen.findByLabelText("Connection")).tagName).toBe("INPUT");
  });
});

test("what stands around the checks is written, and the rest of the text stays", async () => {
  const user = open();
  await check();
  const form = inDocument();
  await user.type(form.getByRole("textbox", { name: "Name" }), "s");
  await user.type(form.getByRole("textbox", { name: "Namespace" }), "web");
  await user.selectOptions(form.getByRole("combobox", { name: "Schedule" }), "@every 5m");
  await user.selectOptions(form.getByRole("combobox", { name: "Severity" }), "critical");
  await user.click(form.getAllByRole("button", { name: "Add to Labels" })[0]!);
  await user.type(form.getByLabelText("New key of Labels"), "team{Enter}");
  await user.type(form.getByLabelText("team"), "web");
  await user.type(form.getByLabelText("Time zone"), "Europe/Berlin");
  expect(came()).toEqual([
    "  name: shops",
    "  namespace: web",
    "  labels:",
    "    team: web",
    '  schedule: "@every 5m"',
    "  severity: critical",
    "  timeZone: Europe/Berlin",
  ]);
  expect(screen.queryByLabelText("Source")).toBeNull();
});

test("what is stored keeps its name and its namespace, and says where it comes from", async () => {
  open(text.replace("spec:", "spec:\n  severity: HIGH"), { stored: { source: null } });
  await check();
  const form = inDocument();
  for (const label of ["Name", "Namespace", "Source"])
    expect(form.getByRole<HTMLInputElement>("textbox", { name: label }).readOnly).toBe(true);
  expect(form.getByLabelText<HTMLInputElement>("Source").value).toBe("UI");
  // A word in another case is the same word.
  expect(form.getByLabelText<HTMLSelectElement>("Severity").value).toBe("HIGH");
});

test("what is wrong stands at its field; what is missing once it was asked for", async () => {
  const bad = text.replace("https://example.com/", "nowhere").replace("- name: backups", "- {}");
  open(bad);
  const url = await screen.findByLabelText("URL");
  expect(url.getAttribute("aria-invalid")).toBe("true");
  cleanup();
  const user = open(bad, { isTried: true });
  await user.selectOptions(
    await screen.findByRole("combobox", { name: "Check" }),
    "folder 1 (Folder)",
  );
  expect(screen.getAllByText("This field is required").length).toBeGreaterThan(0);
});

test("a text that cannot be read says so", async () => {
  open("spec: [");
  expect(await screen.findByText("The text cannot be read")).toBeTruthy();
});

test("who may only read changes nothing", async () => {
  open(text, { readOnly: true });
  expect((await screen.findByLabelText<HTMLInputElement>("URL")).readOnly).toBe(true);
  expect(screen.queryByRole("button", { name: /^(Add|Remove|Replace)/ })).toBeNull();
});

test.each(supportedCheckTypes)("%s has a form with a name and fields of its own", (type) => {
  const { head, own, scripts } = checkFields(type);
  expect([...head, ...scripts].map(({ key }) => key)).toEqual(
    expect.arrayContaining(["name", "test", "display", "transform"]),
  );
  expect(own).not.toEqual([]);
});

test("texts of several lines keep them, whichever field they stand in", async () => {
  const lines = (at: string, more = "") =>
    `kind: Canary\nmetadata:\n  name: a\nspec:\n  ${at}:\n    - name: a\n${more}`;
  const user = open(lines("pod", "      spec: |\n        kind: Pod\n        metadata: {}\n"));
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Spec" });
  expect(field.tagName).toBe("TEXTAREA");
  cleanup();
  // Where nobody expects several, too; the field stays the same when the second is taken away.
  open(lines("tcp", "      endpoint: |\n        a\n        b\n"));
  const other = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Endpoint" });
  expect(other.value).toBe("a\nb\n");
  await user.clear(other);
  await user.type(other, "c:1");
  expect(document.activeElement).toBe(other);
  expect(now).toContain("endpoint: c:1");
});

test("an object of Kubernetes is written as YAML, with the fields that only its kind knows", async () => {
  const user = open(
    "kind: Canary\nmetadata:\n  name: a\nspec:\n  kubernetesResource:\n    - name: a\n",
  );
  await user.click(await screen.findByRole("button", { name: "Add to Resources" }));
  const field = screen.getByRole("textbox", { name: "Resources 1" });
  await user.type(field, "kind: Pod{Enter}spec: {{port: 80}");
  await user.tab();
  expect(parse(now).spec.kubernetesResource[0].resources).toEqual([
    { kind: "Pod", spec: { port: 80 } },
  ]);
});
