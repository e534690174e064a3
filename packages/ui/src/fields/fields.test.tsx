// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type FormEvent, useRef, useState } from "react";
import { afterEach, expect, test } from "vitest";
import { checkNumber, checkRequired } from "./check-field.ts";
import { CheckboxField, SelectField } from "./ChoiceFields.tsx";
import { focusFirstInvalid } from "./Field.tsx";
import { NumberField } from "./NumberField.tsx";
import { CpuField, MemoryField } from "./QuantityFields.tsx";
import { SecretField, TextAreaField, TextField } from "./TextField.tsx";

afterEach(cleanup);

const start = { name: "", port: "", memory: "", cpu: "", kind: "", note: "", secret: "" };

function Form() {
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(start);
  const [isTried, setIsTried] = useState(false);
  const field = (name: keyof typeof start) => ({
    value: values[name],
    onChange: (value: string) => setValues((known) => ({ ...known, [name]: value })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    requestAnimationFrame(() => focusFirstInvalid(form.current));
  };
  const told = (text: string | undefined) => (isTried ? text : undefined);
  return (
    <form ref={form} noValidate onSubmit={submit}>
      <TextField label="Note" {...field("note")} />
      <TextField
        label="Name"
        required
        hint="Lower case"
        error={told(checkRequired(values.name))}
        {...field("name")}
      />
      <NumberField
        label="Port"
        unit="ms"
        error={told(checkNumber(values.port, { required: true }))}
        {...field("port")}
      />
      <MemoryField label="Memory" {...field("memory")} />
      <CpuField label="CPU" {...field("cpu")} />
      <SelectField
        label="Kind"
        placeholder="Choose"
        options={[{ value: "a", label: "A" }]}
        error={told(checkRequired(values.kind))}
        {...field("kind")}
      />
      <TextAreaField label="Text" value="" onChange={() => {}} />
      <SecretField label="Password" {...field("secret")} />
      <CheckboxField label="Sure" checked={false} error="Be sure" onChange={() => {}} />
      <button type="submit">Save</button>
      <output>{JSON.stringify(values)}</output>
    </form>
  );
}
const values = () => JSON.parse(screen.getByRole("status").textContent ?? "") as typeof start;
const said = (control: HTMLElement) =>
  (control.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent);

test("what is wrong is said with the field, and the keyboard goes to the first of them", async () => {
  const user = userEvent.setup();
  render(<Form />);
  const name = screen.getByRole("textbox", { name: /^Name/ });
  expect(said(name)).toEqual(["Lower case"]);
  await user.type(screen.getByRole("textbox", { name: /^Port/ }), "ten");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(name.getAttribute("aria-invalid")).toBe("true");
  expect(said(name)).toEqual(["Lower case", "This field is required"]);
  expect(said(screen.getByRole("textbox", { name: /^Port/ }))).toEqual([
    "This field must be a number",
  ]);
  expect(said(screen.getByRole("combobox", { name: "Kind" }))).toEqual(["This field is required"]);
  expect(said(screen.getByRole("checkbox", { name: "Sure" }))).toEqual(["Be sure"]);
  await expect.poll(() => document.activeElement).toBe(name);
  await user.keyboard("web");
  expect(name.getAttribute("aria-invalid")).toBe("false");
});

test("memory is a number and a unit, Mi unless another is chosen", async () => {
  const user = userEvent.setup();
  render(<Form />);
  const unit = screen.getByRole<HTMLSelectElement>("combobox", { name: "Unit of Memory" });
  expect([...unit.options].map(({ text }) => text)).toEqual(["Mi", "Gi", "Ti"]);
  const amount = screen.getByRole("textbox", { name: "Memory" });
  await user.type(amount, "512");
  expect(values().memory).toBe("512Mi");
  await user.selectOptions(unit, "Gi");
  expect(values().memory).toBe("512Gi");
  await user.clear(amount);
  expect([values().memory, unit.value]).toEqual(["", "Gi"]);
  await user.type(amount, "2");
  expect(values().memory).toBe("2Gi");
});

test("CPU is written in millicores", async () => {
  render(<Form />);
  await userEvent.setup().type(screen.getByRole("textbox", { name: /^CPU/ }), "250");
  expect(values().cpu).toBe("250m");
});

test("a secret is hidden until it is asked for", async () => {
  const user = userEvent.setup();
  render(<Form />);
  const secret = screen.getByLabelText<HTMLInputElement>("Password");
  await user.type(secret, "pears");
  expect(secret.type).toBe("password");
  await user.click(screen.getByRole("button", { name: "Show Password" }));
  expect(secret.type).toBe("text");
  expect(values().secret).toBe("pears");
});
