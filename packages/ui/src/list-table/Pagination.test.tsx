// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { Pagination, type PaginationProps } from "./Pagination.tsx";

afterEach(cleanup);

function show(page: Omit<PaginationProps, "onChange">) {
  const onChange = vi.fn();
  render(<Pagination {...page} onChange={onChange} />);
  return { user: userEvent.setup(), onChange };
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const box = () => screen.getByRole<HTMLInputElement>("spinbutton");
const sizes = () => screen.getByRole<HTMLSelectElement>("combobox", { name: "Rows per page" });

test.each([
  ["First", 0],
  ["Previous", 3],
  ["Next", 5],
  ["Last", 24],
])("%s leads to page index %d", async (name, pageIndex) => {
  const { user, onChange } = show({ pageIndex: 4, pageSize: 50, total: 1_234 });
  expect(screen.getByText("201–250 of 1,234")).toBeTruthy();
  await user.click(button(name));
  expect(onChange.mock.calls).toEqual([[{ pageIndex, pageSize: 50 }]]);
});

test.each([
  [0, [true, true, false, false]],
  [24, [false, false, true, true]],
])("at page index %d some buttons lead nowhere", (pageIndex, disabled) => {
  show({ pageIndex, pageSize: 50, total: 1_234 });
  expect(["First", "Previous", "Next", "Last"].map((name) => button(name).disabled)).toEqual(
    disabled,
  );
});

test.each([
  ["3{Enter}", [[{ pageIndex: 2, pageSize: 50 }]]],
  ["3{Tab}", [[{ pageIndex: 2, pageSize: 50 }]]],
  ["999{Enter}", [[{ pageIndex: 24, pageSize: 50 }]]],
  ["0{Enter}", [[{ pageIndex: 0, pageSize: 50 }]]],
  ["{Enter}", []],
  ["5{Enter}", []],
])("%j in the box for the page", async (typed, calls) => {
  const { user, onChange } = show({ pageIndex: 4, pageSize: 50, total: 1_234 });
  expect([box().min, box().max, box().readOnly]).toEqual(["1", "25", false]);
  await user.clear(box());
  await user.type(box(), typed);
  expect(onChange.mock.calls).toEqual(calls);
});

test("the box is only to be read where there is one page", () => {
  show({ pageIndex: 0, pageSize: 50, total: 50 });
  expect([box().max, box().readOnly]).toEqual(["1", true]);
});

test("the sizes are those of the specification, and one that an address asks for", async () => {
  const { user, onChange } = show({ pageIndex: 4, pageSize: 50, total: 1_234 });
  const offered = () => [...sizes().options].map(({ text }) => Number(text));
  expect(offered()).toEqual([5, 10, 25, 50, 100, 150, 200, 250, 300, 500, 1000]);
  await user.selectOptions(sizes(), "100");
  expect(onChange.mock.calls).toEqual([[{ pageIndex: 0, pageSize: 100 }]]);
  cleanup();
  show({ pageIndex: 0, pageSize: 20, total: 100 });
  expect(offered().slice(0, 4)).toEqual([5, 10, 20, 25]);
  expect(sizes().value).toBe("20");
});

test("behind the last page there is nothing, and a way back", async () => {
  const { user, onChange } = show({ pageIndex: 9, pageSize: 10, total: 12 });
  expect(screen.getByText("0–0 of 12")).toBeTruthy();
  expect(button("Next").disabled).toBe(true);
  await user.click(button("Previous"));
  expect(onChange.mock.calls).toEqual([[{ pageIndex: 1, pageSize: 10 }]]);
});

test("while it is not known how many there are it leads on, and to no end", async () => {
  const { user, onChange } = show({ pageIndex: 1, pageSize: 50, total: 101, isCounting: true });
  expect(screen.getByText("51–100 of many")).toBeTruthy();
  expect([button("Next").disabled, button("Last").disabled, box().readOnly]).toEqual([
    false,
    true,
    true,
  ]);
  await user.click(button("Next"));
  expect(onChange.mock.calls).toEqual([[{ pageIndex: 2, pageSize: 50 }]]);
});

test("while nothing is known it says so, and not that there is nothing", () => {
  show({ pageIndex: 0, pageSize: 50, total: 0, isLoading: true });
  expect(screen.getByText("Loading...")).toBeTruthy();
  expect(screen.queryByText("0–0 of 0")).toBeNull();
});
