// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type TriState, toggled, TriStateToggle } from "./TriStateToggle.tsx";
import { formatTriStateFilter, parseTriStateFilter } from "./tri-state-filter.ts";
import { TriStateSelect } from "./TriStateSelect.tsx";

// Fetched with the first popup: not what is waited for below.
beforeAll(() =>
  Promise.all([import("../popups/PopoverPopup.tsx"), import("../popups/TriStateValues.tsx")]),
);
afterEach(cleanup);

test.each<[TriState, 1 | -1, TriState]>([
  [0, 1, 1],
  [0, -1, -1],
  [1, 1, 0],
  [1, -1, -1],
  [-1, -1, 0],
  [-1, 1, 1],
])("in state %d, choosing %d gives %d", (current, chosen, next) => {
  expect(toggled(current, chosen)).toBe(next);
});

test("an excluded value is marked and struck out", () => {
  render(<TriStateToggle label="web" value={-1} onChange={() => {}} />);
  const words = screen.getByText("web");
  expect(words.textContent).toBe("!web");
  expect(words.className).toContain("line-through");
});

const options = ["a", "b:c", "d,e"].map((value) => ({ value, label: `value ${value}` }));

function Shown({ start }: { start: string }) {
  const [filter, setFilter] = useState(() => parseTriStateFilter(start));
  return (
    <>
      <TriStateSelect label="Type" options={options} filter={filter} onChange={setFilter} />
      <output>{formatTriStateFilter(filter) ?? "nothing"}</output>
    </>
  );
}
const address = () => screen.getByRole("status").textContent;

test("each value is included, excluded and let go, and written as the wire wants it", async () => {
  const user = userEvent.setup();
  render(<Shown start="" />);
  await user.click(screen.getByRole("button", { name: "Type: All" }));
  await user.click(await screen.findByRole("button", { name: "Include value b:c" }));
  expect(address()).toBe("b____c:1");
  await user.click(screen.getByRole("button", { name: "Exclude value d,e" }));
  expect(address()).toBe("b____c:1,d||||e:-1");
  await user.click(screen.getByRole("button", { name: "Include value b:c" }));
  expect(address()).toBe("d||||e:-1");
  await user.click(screen.getByRole("button", { name: "Select all" }));
  expect(address()).toBe("d||||e:1,a:1,b____c:1");
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(address()).toBe("nothing");
});

test("the button says what is excluded, and one key takes the last one out", async () => {
  const user = userEvent.setup();
  render(<Shown start="a:1,b____c:-1" />);
  const chip = screen.getByRole("button", { name: "Type: value a, !value b:c" });
  expect(screen.getByText("!value b:c").className).toContain("line-through");
  chip.focus();
  await user.keyboard("{Backspace}");
  expect(address()).toBe("a:1");
  await user.keyboard("{Delete}{Backspace}");
  expect(address()).toBe("nothing");
});
