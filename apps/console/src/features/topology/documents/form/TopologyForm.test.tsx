// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { parseTopologies } from "@mainstay/contract/topology/parse-topology.ts";
import { renderPage } from "../../../../testing/render-page.tsx";
import { TopologyForm } from "./TopologyForm.tsx";
import {
  beyondForm,
  componentFields,
  documentFields,
  knownOfComponent,
} from "./topology-fields.ts";

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn<() => void>();
});
afterEach(cleanup);

let now = "";
function open(begin: string, { readOnly = false, isTried = false } = {}) {
  now = begin;
  function Page() {
    const [text, setText] = useState(begin);
    return (
      <TopologyForm
        text={text}
        onChange={(next) => {
          now = next;
          setText(next);
        }}
        isTried={isTried}
        readOnly={readOnly}
      />
    );
  }
  return renderPage(Page, { path: "/", address: "/" });
}
interface Component {
  name: string;
  components?: Component[];
}
const written = () => parse(now) as { spec: { components: Component[] } };
const names = (components: readonly Component[] = written().spec.components): unknown[] =>
  components.map(({ name, components: below }) => (below ? [name, names(below)] : name));

const text = `# whose it is
apiVersion: canaries.flanksource.com/v1
kind: Topology
metadata:
  name: shop
spec:
  schedule: "@every 10m"
  components:
    - name: web # the front
      type: Service
      components:
        - name: cache
    - name: pods
      type: virtual
      lookup:
        # every pod
        kubernetes:
          - name: pods
            kind: Pod
            display: { expr: "dyn(results).map(r, {'name': r.name}).toJSON()" }
      forEach:
        components:
          - name: $(.component.name)-side
        properties:
          - name: owner
            text: shop
    - name: db
      somethingNew: kept
`;

test("one value is changed where it stands, and nothing around it", async () => {
  open(text);
  const component = within(await screen.findByRole("region", { name: "Component" }));
  fireEvent.change(component.getByRole("textbox", { name: "Type" }), {
    target: { value: "Deployment" },
  });
  expect(now).toBe(text.replace("type: Service", "type: Deployment"));
  const document = within(screen.getByRole("region", { name: "Document" }));
  fireEvent.change(document.getByRole("textbox", { name: /^Name(?!s)/ }), {
    target: { value: "market" },
  });
  expect(now).toBe(
    text.replace("type: Service", "type: Deployment").replace("name: shop\n", "name: market\n"),
  );
});

test("components come, move, go and come back, and their notes with them", async () => {
  const { user } = open(text);
  const tree = await screen.findByRole("tree", { name: "Components" });
  const items = () =>
    within(tree)
      .getAllByRole("treeitem")
      .map((item) => item.querySelector("bdi")?.textContent);
  expect(items()).toEqual(["web", "cache", "pods", "For each: $(.component.name)-side", "db"]);

  tree.focus();
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  expect(names()).toEqual(["pods", ["web", ["cache"]], "db"]);
  expect(now).toContain("name: web # the front");
  expect(now).toContain("# every pod");
  // What was moved is still the one that is open.
  expect(within(tree).getByRole("treeitem", { name: "web", selected: true })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Add one within it" }));
  expect(names()).toEqual(["pods", ["web", ["cache", "new-component"]], "db"]);

  const before = now;
  tree.focus();
  await user.keyboard("{Delete}");
  expect(names()).toEqual(["pods", ["web", ["cache"]], "db"]);
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  expect(now).toBe(before);

  await user.click(screen.getByRole("button", { name: "Add a component" }));
  expect(names().at(-1)).toBe("new-component");
});

test("the tree folds, and is walked by the keyboard", async () => {
  const { user } = open(text);
  const tree = await screen.findByRole("tree", { name: "Components" });
  const selected = () =>
    within(tree).getByRole("treeitem", { selected: true }).querySelector("bdi")?.textContent;
  tree.focus();
  await user.keyboard("{ArrowLeft}");
  expect(within(tree).queryByRole("treeitem", { name: "cache" })).toBeNull();
  await user.keyboard("{ArrowRight}{ArrowRight}");
  expect(selected()).toBe("cache");
  await user.keyboard("{End}");
  expect(selected()).toBe("db");
  await user.keyboard("{Home}");
  expect(selected()).toBe("web");
  expect(now).toBe(text);
});

test("a lookup is a form of its checks, and what each result gets stands beside", async () => {
  const { user } = open(text);
  await user.click(await screen.findByRole("treeitem", { name: "pods" }));
  const component = within(screen.getByRole("region", { name: "Component" }));
  const check = within(component.getByRole("group", { name: "Kubernetes" }));
  fireEvent.change(check.getByRole("textbox", { name: /^Kind/ }), { target: { value: "Node" } });
  expect(now).toBe(text.replace("kind: Pod", "kind: Node"));
  // A property can have a lookup, too; that of the component stands first.
  const [adding] = component.getAllByRole("combobox", { name: "Add a check to Lookup" });
  await user.selectOptions(adding!, "HTTP");
  expect(now).toContain("http:\n");
  const http = within(component.getByRole("group", { name: "HTTP" }));
  fireEvent.change(http.getByRole("textbox", { name: /^URL/ }), {
    target: { value: "https://example.com/parts" },
  });
  expect(parseTopologies(now).problems.filter(({ severity }) => severity === "error")).toEqual([]);
  fireEvent.change(component.getByDisplayValue("owner"), { target: { value: "team" } });
  expect(now).toContain("- name: team\n            text: shop");
  await user.click(http.getByRole("button", { name: "Remove HTTP" }));
  expect(now).not.toContain("http:");
});

test("what the form does not have is said, and stays", async () => {
  const { user } = open(text);
  await user.click(await screen.findByRole("treeitem", { name: "db" }));
  expect(screen.getByText("In the YAML alone: somethingNew")).toBeTruthy();
});

test("what is wrong is shown at its field and in the tree", async () => {
  open(text.replace("type: Service", "order: first"), { isTried: true });
  expect(await screen.findByRole("treeitem", { name: /^web ?, with a mistake$/ })).toBeTruthy();
  expect(screen.queryByRole("treeitem", { name: /^db.*mistake/ })).toBeNull();
});

test("nothing is changed by who may only read", async () => {
  open(text, { readOnly: true });
  const tree = await screen.findByRole("tree", { name: "Components" });
  fireEvent.keyDown(tree, { key: "Delete" });
  expect(now).toBe(text);
  expect(screen.queryByRole("button", { name: /Add|Remove|Move/ })).toBeNull();
});

test("an empty text begins with a document that is good", async () => {
  const { user } = open("");
  await user.click(await screen.findByRole("button", { name: "Begin a topology" }));
  expect(parseTopologies(now).problems).toEqual([]);
  expect(await screen.findByRole("tree")).toBeTruthy();
});

test("a text that cannot be read is not lost to a form", async () => {
  open("spec: [\n");
  expect(await screen.findByText("The text cannot be read")).toBeTruthy();
});

test("every field of a component and of a topology has its place", () => {
  const known = knownOfComponent();
  expect(beyondForm({ name: 1, lookup: 1, forEach: 1, components: 1, x: 1 }, known)).toEqual(["x"]);
  const { groups, head } = componentFields();
  expect(head.length + groups.flatMap(({ fields }) => fields).length).toBe(known.size - 2);
  expect(documentFields().more.map(({ key }) => key)).toContain("groupBy");
});
