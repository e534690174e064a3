// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { JsonTree } from "./JsonTree.tsx";

afterEach(cleanup);

const value = { first: "web", second: "web", third: "web", other: 1 };
const active = () =>
  document.getElementById(screen.getByRole("tree").getAttribute("aria-activedescendant") ?? "")
    ?.textContent;

test.each([
  ["{Enter}", 'first:"web"'],
  ["{Enter}{Enter}", 'second:"web"'],
  ["{Shift>}{Enter}{/Shift}", 'third:"web"'],
  ["{Enter}{Shift>}{Enter}{/Shift}", 'third:"web"'],
])("after what is searched for, %s leads to %s", async (keys, text) => {
  const user = userEvent.setup();
  render(<JsonTree label="Pod" value={value} />);
  await user.type(screen.getByRole("searchbox", { name: "Search in Pod" }), `web${keys}`);
  expect(active()).toBe(text);
});

test("a copy takes the value, unless some of its text is marked", () => {
  render(<JsonTree label="Pod" value={value} />);
  const tree = screen.getByRole("tree");
  const copyIsTaken = () => !fireEvent.keyDown(tree, { key: "c", ctrlKey: true });
  expect(copyIsTaken()).toBe(true);
  window.getSelection()?.selectAllChildren(screen.getByText("other:"));
  expect(copyIsTaken()).toBe(false);
});
