// @vitest-environment happy-dom
// Takes long: the form of every check type is filled by hand.
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import {
  canaryFormat,
  parseCanaryDocuments,
  supportedCheckTypes,
} from "@mainstay/contract/canary/index.ts";
import { judgeSpec } from "@mainstay/contract/documents/document-format.ts";
import { checkExamples } from "@mainstay/testkit/check-examples.ts";
import type { Control } from "@mainstay/ui/schema-form/schema-fields.ts";
import { fakeApi } from "../../../../testing/fake-api.ts";
import { renderPage } from "../../../../testing/render-page.tsx";
import { checkFields, isAskedFor } from "./check-fields.ts";
import { checkTypeLabel } from "#lib/documents/form/check-type-label.ts";
import { mainFields } from "./main-fields.ts";
import { NewCheckForm } from "./NewCheckForm.tsx";

/** Every check type is made by form, and of its example one field of each kind is changed: what is typed is what it means. */

type Written = Record<string, unknown>;

const examples = checkExamples();

let now = "";
function open() {
  function Page() {
    const [text, setText] = useState("");
    const write = (next: string) => {
      now = next;
      setText(next);
    };
    return (
      <>
        <NewCheckForm text={text} onChange={write} isTried={false} readOnly={false} />
        <textarea
          aria-label="The text"
          value={text}
          onChange={(event) => write(event.target.value)}
        />
      </>
    );
  }
  renderPage(Page, { path: "/", address: "/", session: { roles: ["admin"] } });
}
beforeEach(() => {
  fakeApi({ "GET /api/db/connections": () => ({ body: [] }) });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const change = (field: HTMLElement, value: string) =>
  fireEvent.change(field, { target: { value } });
/** Where the whole form of a check is. */
const region = () => document.querySelector<HTMLElement>('section[aria-label="Check"]')!;
/** What is read out of it: marks are drawn as letters, and say nothing. */
const textOf = (element: Element): string => {
  const copy = element.cloneNode(true) as Element;
  for (const drawn of copy.querySelectorAll("[aria-hidden]")) drawn.remove();
  return copy.textContent.replace(/ *set$/, "").trim();
};
/** The control with this label, where there is one alone. Looked up by hand: roles and labels cost minutes over all types. */
function the(label: string, scope: HTMLElement): HTMLElement | undefined {
  const labels = [...scope.querySelectorAll("label")].filter((one) => textOf(one) === label);
  const named = [...scope.querySelectorAll<HTMLElement>("[aria-label]:not(button)")].filter(
    (one) => one.getAttribute("aria-label") === label,
  );
  const found = new Set([...labels.map((one) => document.getElementById(one.htmlFor)!), ...named]);
  return found.size === 1 ? [...found][0] : undefined;
}
/** Presses the button of this name; whether there is one, and no other of its name. */
function press(name: string, scope: HTMLElement): boolean {
  const found = [...scope.querySelectorAll("button")].filter(
    (one) => (one.getAttribute("aria-label") ?? textOf(one)) === name,
  );
  if (found.length === 1) fireEvent.click(found[0]!);
  return found.length === 1;
}

const samples: Readonly<Record<string, readonly unknown[]>> = {
  text: ["x y", "5m", "1kb", "GET", "example.com:80", "https://example.com/", "now-1d", "/srv"],
  scalar: ["x", 7, "5m"],
  number: [7, 443],
  boolean: [true, false],
  yaml: [{ name: "x" }, ["x"], [{ name: "x" }]],
  value: [{ value: "typed" }],
  secret: [{ value: "typed-in-the-form" }],
  connection: ["connection://shop/api"],
  script: [{ javascript: "1 == 1" }],
  manifest: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { hostname: "x" } }],
};
const kindOf = ({ kind, ...control }: Control) =>
  kind === "own" ? (control as { name: string }).name : kind;
/** What could stand in a field, by its control. */
function valuesOf(control: Control): readonly unknown[] {
  if (control.kind === "choice") return control.options;
  if (control.kind === "own") return samples[control.name] ?? [];
  if (control.kind === "list") return valuesOf(control.item).map((value) => [value]);
  if (control.kind === "map") return valuesOf(control.value).map((value) => ({ added: value }));
  if (control.kind === "object")
    return control.fields.flatMap((field) =>
      ["text", "number", "boolean"].includes(field.control.kind)
        ? valuesOf(field.control).map((value) => ({ [field.key]: value }))
        : [],
    );
  return samples[control.kind] ?? [];
}

/** Types a value into the field with a label; whether that is there, alone of its name. */
function fill(label: string, control: Control, value: unknown, scope = region()): boolean {
  const kind = kindOf(control);
  if (control.kind === "list") {
    const [item] = value as unknown[];
    return press(`Add to ${label}`, scope) && fill(`${label} 1`, control.item, item, scope);
  }
  if (control.kind === "map") {
    const [[key, inner] = ["", ""]] = Object.entries(value as Written);
    if (!press(`Add to ${label}`, scope)) return false;
    const field = the(`New key of ${label}`, scope)!;
    change(field, key);
    fireEvent.keyDown(field, { key: "Enter" });
    return fill(key, control.value, inner, scope);
  }
  if (control.kind === "object") {
    const [[key, inner] = ["", ""]] = Object.entries(value as Written);
    const shape = control.fields.find((field) => field.key === key)!;
    // One of a list lies open.
    const toggle = [...scope.querySelectorAll("button[aria-expanded]")].find(
      (one) => textOf(one) === label,
    );
    if (toggle?.getAttribute("aria-expanded") === "false") fireEvent.click(toggle);
    return fill(shape.label, shape.control, inner, scope);
  }
  if (kind === "connection") press("Write one", scope);
  const field = the(label, scope);
  if (!field) return false;
  if (kind === "script") {
    change(field, "javascript");
    change(the(`Script of ${label}`, scope)!, (value as Written)["javascript"] as string);
  } else if (kind === "yaml" || kind === "manifest") {
    change(field, stringify(value));
    fireEvent.blur(field);
  } else {
    const text = kind === "value" || kind === "secret" ? (value as Written)["value"] : value;
    change(field, String(text));
  }
  return true;
}

const shapesOf = (type: (typeof supportedCheckTypes)[number], check: Written) => {
  const { head, own, scripts, more } = checkFields(type);
  return [...own, ...scripts, ...more, ...head].filter(
    (field) => field.key !== "name" && isAskedFor(type, field, check),
  );
};
const isFine = (type: string, check: Written) =>
  judgeSpec(canaryFormat, { [type]: [check] }).findings.every(
    ({ severity }) => severity !== "error",
  );

/** Of each kind of control the fields that the example leaves out, with the values that they may have. */
function changesOf(type: (typeof supportedCheckTypes)[number], check: Written) {
  const left = shapesOf(type, check).filter(({ key }) => check[key] === undefined);
  return Map.groupBy(left, ({ control }) => kindOf(control));
}

/** The example as a document that somebody has written notes into. */
const annotated = (type: string, check: Written) => {
  const lines = stringify(check, { lineWidth: 0 }).trimEnd().split("\n");
  const isKey = (line: string) => /^[^\s#-]/.test(line);
  const body = lines.flatMap((line, index) => [
    ...(isKey(line) && index > 0 ? [`      # note ${index}`] : []),
    `${index === 0 ? "    - " : "      "}${line}`,
  ]);
  return `# mine\napiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata:\n  name: "kept" # quoted\nspec:\n  ${type}:\n${body.join("\n")}\n`;
};

const walked = new Set<string>();

test.each(supportedCheckTypes)("%s", async (type) => {
  const example = examples.get(type)!;
  expect(isFine(type, example)).toBe(true);

  open();
  change(await screen.findByRole("searchbox"), checkTypeLabel(type));
  const page = document.body;
  expect(press(checkTypeLabel(type), page)).toBe(true);
  change(the("Name", page)!, "front door");
  const made: Written = { name: "front door" };
  const all = shapesOf(type, made);
  for (const key of mainFields(type, made)) {
    const field = all.find((one) => one.key === key)!;
    const typed = valuesOf(field.control).find((value) =>
      fill(field.label, field.control, value, page),
    );
    // Pods are written as YAML, or by all of their fields.
    if (typed !== undefined) made[key] = typed;
  }
  expect(Object.keys(made).length).toBeGreaterThan(type === "pod" ? 0 : 1);
  const begun = parse(now) as { metadata: Written; spec: Written };
  expect(begun.metadata["name"]).toBe("front door");
  expect(begun.spec).toEqual({ schedule: "@every 1m", [type]: [made] });

  const text = annotated(type, example);
  // What the other tab would do.
  change(the("The text", page)!, text);
  press("More fields", page);
  const expected = structuredClone(example);
  let changed = 0;
  for (const [kind, fields] of changesOf(type, example)) {
    // Each kind of control is the same one wherever it stands: of every type two, and those that were not yet seen.
    if (changed >= 2 && walked.has(kind)) continue;
    const field = fields.find((one) => {
      const value = valuesOf(one.control).find((candidate) =>
        isFine(type, { ...expected, [one.key]: candidate }),
      );
      if (value === undefined || !fill(one.label, one.control, value)) return false;
      expected[one.key] = value;
      return true;
    });
    if (!field) continue;
    walked.add(kind);
    changed += 1;
  }
  expect(changed).toBeGreaterThanOrEqual(2);
  const { documents, problems } = parseCanaryDocuments(now);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect((documents[0]!.source[type] as unknown[])[0]).toEqual(expected);
  // Not a line of what was there is gone, the notes neither.
  const left = new Set(now.split("\n"));
  expect(text.split("\n").filter((line) => !left.has(line))).toEqual([]);
});

test("each kind of control was walked", () => {
  const kinds = "text number scalar boolean choice list map object yaml value secret script";
  expect(kinds.split(" ").filter((kind) => !walked.has(kind))).toEqual([]);
});
