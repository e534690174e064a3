// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Column, Sort } from "./column.ts";
import { ListTable, type ListTableProps } from "./ListTable.tsx";
import type { Selected } from "./selection.ts";

interface Job {
  id: string;
  name: string;
  team: string;
  errors: number;
}

const columns: Column<Job>[] = [
  {
    id: "name",
    header: "Name",
    renderCell: (job) => job.name,
    value: (job) => job.name,
    sortable: true,
  },
  {
    id: "team",
    header: "Team",
    renderCell: (job) => job.team,
    value: (job) => job.team,
    width: 90,
  },
  {
    id: "errors",
    header: "Errors",
    renderCell: (job) => job.errors,
    value: (job) => job.errors,
    renderGroup: (jobs) => `${jobs.reduce((sum, job) => sum + job.errors, 0)} in all`,
    sortable: true,
    width: 90,
  },
];
const jobs: Job[] = [
  { id: "1", name: "web 10", team: "shop", errors: 3 },
  { id: "2", name: "web 9", team: "core", errors: 0 },
  { id: "3", name: "api", team: "shop", errors: 20 },
];

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Shown(props: Partial<ListTableProps<Job>>) {
  const [sort, setSort] = useState<Sort | null>(null);
  const [selected, setSelected] = useState<Selected>(new Set());
  return (
    <ListTable
      label="Jobs"
      columns={columns}
      rows={jobs}
      rowId={(job) => job.id}
      sort={sort}
      onSort={setSort}
      selection={{ selected, onChange: setSelected }}
      renderBulkActions={(rows) => (
        <button type="button">Stop {rows.map((job) => job.id).join()}</button>
      )}
      {...props}
    />
  );
}

const names = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.querySelectorAll("td")[1]?.textContent);

test("headers sort by value: up, down, as it was", async () => {
  const user = userEvent.setup();
  render(<Shown />);
  expect(names()).toEqual(["web 10", "web 9", "api"]);
  await user.click(screen.getByRole("button", { name: "Name" }));
  expect(names()).toEqual(["api", "web 9", "web 10"]);
  await user.click(screen.getByRole("button", { name: "Name" }));
  expect(names()).toEqual(["web 10", "web 9", "api"]);
  expect(screen.getByRole("columnheader", { name: /^Name/ }).getAttribute("aria-sort")).toBe(
    "descending",
  );
  await user.click(screen.getByRole("button", { name: "Name" }));
  expect(screen.getByRole("columnheader", { name: /^Name/ }).getAttribute("aria-sort")).toBe(
    "none",
  );
});

test("groups have a head that opens and closes with the keyboard, and sums", async () => {
  const user = userEvent.setup();
  render(<Shown groupBy="team" />);
  expect(names()).toEqual(["shop2", "web 10", "api", "core1", "web 9"]);
  expect(screen.getByText("23 in all")).toBeTruthy();
  const head = screen.getByRole("row", { name: /^shop/ });
  head.focus();
  await user.keyboard("{ArrowLeft}");
  expect(names()).toEqual(["shop2", "core1", "web 9"]);
  expect(screen.getByRole("row", { name: /^shop/ }).getAttribute("aria-expanded")).toBe("false");
  await user.keyboard("{ArrowRight}");
  expect(names()).toHaveLength(5);
});

test("rows are chosen with the box, Space, Shift and all at once; the bar says how many", async () => {
  const user = userEvent.setup();
  render(<Shown />);
  await user.click(screen.getByRole("checkbox", { name: "Select row 1" }));
  expect(screen.getByText("1 selected")).toBeTruthy();
  screen.getAllByRole("row")[1]?.focus();
  await user.keyboard("{ArrowDown}{ArrowDown}{Shift>} {/Shift}");
  expect(screen.getByText("3 selected")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Stop 1,2,3" })).toBeTruthy();
  await user.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  expect(screen.queryByText(/selected/)).toBeNull();
  screen.getAllByRole("row")[1]?.focus();
  await user.keyboard("{Control>}a{/Control}");
  await user.click(screen.getByRole("button", { name: "Clear selection" }));
  expect(screen.queryByText(/selected/)).toBeNull();
});

test("the end of the rows is told once", () => {
  const onEndReached = vi.fn();
  const { rerender } = render(<Shown onEndReached={onEndReached} />);
  rerender(<Shown onEndReached={onEndReached} />);
  expect(onEndReached.mock.calls).toEqual([[3]]);
});

test.each([
  ["No data available", { rows: [] }],
  ["loading data...", { rows: [], isLoading: true }],
])("says %s", (words, props) => {
  render(<Shown {...props} />);
  expect(screen.queryByText(words) ?? screen.queryByLabelText(words)).toBeTruthy();
});

test("what is shown is exported", async () => {
  const user = userEvent.setup();
  const texts: Promise<string>[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    texts.push((blob as Blob).text());
    return "blob:x";
  });
  render(<Shown exportName="jobs" groupBy="team" />);
  await user.click(screen.getByRole("button", { name: "Columns and export" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Team" }));
  await user.click(screen.getByRole("menuitem", { name: "Export as CSV" }));
  expect(await texts[0]).toBe("Name,Errors\r\nweb 10,3\r\napi,20\r\nweb 9,0\r\n");
});
