// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { emptySourced, SourcedField } from "./SourcedField.tsx";

afterEach(cleanup);

function Form({ isStored = false, readOnly = false }) {
  const [value, setValue] = useState(emptySourced);
  const [isKept, setIsKept] = useState(isStored);
  return (
    <>
      <SourcedField
        label="Password"
        hint="Of the database"
        error={value.value === "bad" ? "Too short" : undefined}
        isSecret
        value={value}
        onChange={setValue}
        isKept={isKept}
        onKeep={isStored ? setIsKept : undefined}
        readOnly={readOnly}
      />
      <output>{JSON.stringify(value)}</output>
    </>
  );
}
const value = () => JSON.parse(screen.getByRole("status").textContent ?? "") as object;

test("a value is written down or named; what was written under another source is kept", async () => {
  const user = userEvent.setup();
  render(<Form />);
  const text = screen.getByLabelText<HTMLInputElement>("Password");
  await user.type(text, "bad");
  expect(text.type).toBe("password");
  expect(text.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText("Too short")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Show Password" }));
  expect(text.type).toBe("text");
  const source = screen.getByRole("radiogroup", { name: "Source of Password" });
  await user.click(within(source).getByRole("radio", { name: "ConfigMap" }));
  await user.type(screen.getByLabelText("ConfigMap of Password"), "db");
  await user.type(screen.getByLabelText("Key of Password"), "pw");
  expect(value()).toEqual({ from: "configmap", value: "bad", name: "db", key: "pw" });
  await user.click(within(source).getByRole("radio", { name: "Static" }));
  expect(screen.getByLabelText<HTMLInputElement>("Password").value).toBe("bad");
});

test("what is stored is not there to be read, and can be replaced and kept after all", async () => {
  const user = userEvent.setup();
  render(<Form isStored />);
  expect(screen.queryByLabelText("Password")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Replace Password" }));
  await user.type(screen.getByLabelText("Password"), "pears");
  await user.click(screen.getByRole("button", { name: "Keep what is stored" }));
  expect(screen.getByText("Stored, and never shown")).toBeTruthy();
});

test("who may only read changes nothing", () => {
  render(<Form isStored readOnly />);
  expect(screen.queryByRole("button")).toBeNull();
  cleanup();
  render(<Form readOnly />);
  expect(screen.getByLabelText<HTMLInputElement>("Password").readOnly).toBe(true);
  for (const radio of screen.getAllByRole<HTMLInputElement>("radio"))
    expect(radio.disabled).toBe(true);
});
