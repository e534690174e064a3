// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { Tabs } from "./Tabs.tsx";

afterEach(cleanup);

function Shown({ first }: { first: string }) {
  const [selected, setSelected] = useState(first);
  return (
    <>
      <button type="button">before</button>
      <Tabs
        label="Check"
        tabs={["a", "b", "c"].map((id) => ({ id, label: `Tab ${id}` }))}
        selected={selected}
        onSelect={setSelected}
        panelId="panel"
      />
      <button type="button">after</button>
    </>
  );
}
const selected = () =>
  screen
    .getAllByRole("tab")
    .filter((tab) => tab.getAttribute("aria-selected") === "true")
    .map((tab) => tab.textContent);

test.each([
  ["{ArrowRight}", "Tab c"],
  ["{ArrowLeft}", "Tab a"],
  ["{ArrowRight}{ArrowRight}", "Tab a"],
  ["{ArrowLeft}{ArrowLeft}", "Tab c"],
  ["{Home}", "Tab a"],
  ["{End}", "Tab c"],
])("%s selects and takes the keyboard to %s", async (keys, name) => {
  const user = userEvent.setup();
  render(<Shown first="b" />);
  screen.getByRole("tab", { name: "Tab b" }).focus();
  await user.keyboard(keys);
  expect(selected()).toEqual([name]);
  expect(document.activeElement?.textContent).toBe(name);
});

test.each([
  ["b", "Tab b"],
  ["gone", "Tab a"],
])("with %s selected they are one stop: %s", async (first, name) => {
  const user = userEvent.setup();
  render(<Shown first={first} />);
  screen.getByRole("button", { name: "before" }).focus();
  await user.tab();
  expect(document.activeElement?.textContent).toBe(name);
  await user.tab();
  expect(document.activeElement?.textContent).toBe("after");
});

test("a press selects", async () => {
  render(<Shown first="a" />);
  await userEvent.setup().click(screen.getByRole("tab", { name: "Tab c" }));
  expect(selected()).toEqual(["Tab c"]);
});
