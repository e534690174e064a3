// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { type Edit, SchemaFormContext } from "./form-context.ts";
import { fieldsOfSchema, type Schema } from "./schema-fields.ts";
import { SchemaFields } from "./SchemaFields.tsx";

afterEach(() => cleanup());

const text: Schema = { type: "string" };
const schema: Schema = {
  type: "object",
  properties: {
    kubernetes: { type: "object", properties: { kubeconfig: text, context: text } },
    login: { type: "object", properties: { user: text, realm: text }, required: ["user"] },
    target: { type: "object", properties: { path: text } },
  },
  required: ["target"],
};

/** A form over a mapping, and the edits that it made. */
function form(value: Record<string, unknown>, { readOnly = false } = {}) {
  const edits: Edit[] = [];
  function Form() {
    const [shown, setShown] = useState(value);
    const onEdit = (made: readonly Edit[]) => {
      edits.push(...made);
      for (const { path, value: said } of made)
        setShown((now) => ({ ...now, [String(path[0])]: said }));
    };
    const rest = { errorAt: () => undefined, readOnly, own: {}, suggestionsAt: () => [] };
    return (
      <SchemaFormContext value={{ onEdit, ...rest }}>
        <SchemaFields fields={fieldsOfSchema(schema)} value={shown} path={[]} />
      </SchemaFormContext>
    );
  }
  render(<Form />);
  return edits;
}

test("what means something by being there is set without any field, and removed", async () => {
  const user = userEvent.setup();
  const edits = form({});
  const toggle = () => screen.getByRole("button", { name: /^Kubernetes/ });
  await user.click(toggle());
  await user.click(screen.getByRole("button", { name: "Set Kubernetes without any of these" }));
  expect(toggle().textContent).toBe("Kubernetesset");
  expect(screen.queryByRole("button", { name: /^Set Kubernetes/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Remove Kubernetes" }));
  expect(toggle().textContent).toBe("Kubernetes");
  expect(edits).toEqual([
    { path: ["kubernetes"], value: {} },
    { path: ["kubernetes"], value: undefined },
  ]);
});

test("what needs a field is not set without it, and what must be there is not removed", async () => {
  const user = userEvent.setup();
  form({ target: {} });
  await user.click(screen.getByRole("button", { name: "Login" }));
  expect(screen.getByLabelText(/^User/)).toBeTruthy();
  expect(screen.getByLabelText(/^Path/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^(Set|Remove) / })).toBeNull();
});

test("nothing of that is offered to whoever only reads", async () => {
  const user = userEvent.setup();
  form({ kubernetes: {} }, { readOnly: true });
  await user.click(screen.getByRole("button", { name: "Login" }));
  expect(screen.queryByRole("button", { name: /^(Set|Remove) / })).toBeNull();
});
