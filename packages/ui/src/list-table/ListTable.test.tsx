// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Column, Sort } from "../data-table/column.ts";
import type { ColumnState } from "../data-table/place-columns.ts";
import { DataTable } from "../data-table/DataTable.tsx";
import { loadWindow } from "../data-table/use-window.ts";
import { ListTable, type ListTableProps, type Selected } from "./ListTable.tsx";
import { actionsColumn } from "./stock-columns.tsx";

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

function onScreen(isPhone: boolean) {
  vi.stubGlobal("matchMedia", () => ({
    matches: isPhone,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
}
// Fetched with the first menu and the first long list: not what is waited for below.
beforeAll(() => Promise.all([import("../popups/MenuPopup.tsx"), loadWindow()]));
beforeEach(() => {
  localStorage.clear();
  onScreen(false);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Shown(props: Partial<ListTableProps<Job>>) {
  const [sort, setSort] = useState<Sort | null>(null);
  const [selected, setSelected] = useState<Selected>({});
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
  // The machinery of exports is fetched with the first of them.
  await waitFor(() => expect(texts).toHaveLength(1));
  expect(await texts[0]).toBe("Name,Errors\r\nweb 10,3\r\napi,20\r\nweb 9,0\r\n");
});

test("columns are hidden and come back, are remembered, and one always stays", async () => {
  const user = userEvent.setup();
  const { unmount } = render(<Shown storageKey="columns" />);
  const headers = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
  const choose = async (name: string) => {
    if (!screen.queryByRole("menu"))
      await user.click(screen.getByRole("button", { name: "Columns" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name }));
  };
  await choose("Team");
  await choose("Errors");
  expect(screen.getByRole("menuitemcheckbox", { name: "Name" }).getAttribute("aria-disabled")).toBe(
    "true",
  );
  await user.keyboard("{Escape}");
  expect(headers()).toEqual(["", "Name"]);
  unmount();
  render(<Shown storageKey="columns" />);
  expect(headers()).toEqual(["", "Name"]);
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("menuitem", { name: "Reset columns" }));
  expect(headers()).toEqual(["", "Name", "Team", "Errors"]);
});

test("a column for which there is no room leaves and comes back, which is not remembered; one that is ticked stays, which is", async () => {
  const user = userEvent.setup();
  const room = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(415);
  const resized = new Set<(entries: unknown[]) => void>();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe = () => {};
      disconnect = () => {};
      constructor(measure: (entries: unknown[]) => void) {
        resized.add(measure);
      }
    },
  );
  const resizeTo = (width: number) => {
    room.mockReturnValue(width);
    act(() => resized.forEach((measure) => measure([])));
  };
  const [name, team, errors] = columns;
  const some = [name!, { ...team!, dropOrder: 2 }, { ...errors!, dropOrder: 1 }];
  const { unmount } = render(<Shown columns={some} storageKey="room" />);
  const headers = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
  expect(headers()).toEqual(["", "Name", "Team"]);
  resizeTo(416);
  expect(headers()).toEqual(["", "Name", "Team", "Errors"]);
  resizeTo(415);
  expect(headers()).toEqual(["", "Name", "Team"]);
  expect(localStorage.getItem("room")).toBeNull();

  await user.click(screen.getByRole("button", { name: "Columns" }));
  const ticks = async () =>
    (await screen.findAllByRole("menuitemcheckbox")).map(
      (option) => `${option.textContent} ${option.getAttribute("aria-checked")}`,
    );
  expect(await ticks()).toEqual(["Name true", "Team true", "Errorsno room false"]);
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Errors no room" }));
  expect(await ticks()).toEqual(["Name true", "Teamno room false", "Errors true"]);
  await user.keyboard("{Escape}");
  expect(headers()).toEqual(["", "Name", "Errors"]);
  unmount();
  render(<Shown columns={some} storageKey="room" />);
  expect(headers()).toEqual(["", "Name", "Errors"]);
  resizeTo(800);
  expect(headers()).toEqual(["", "Name", "Team", "Errors"]);
  room.mockRestore();
});

test("of the columns that an address names one is shown in spite of the room by who ticks it; what is remembered stays as it is", async () => {
  const user = userEvent.setup();
  const room = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(300);
  const onChange = vi.fn();
  const [name, team, errors] = columns;
  localStorage.setItem("named", JSON.stringify({ hidden: { team: true }, sizes: {} }));
  render(
    <DataTable
      label="Jobs"
      columns={[{ ...name!, hideable: false }, team!, { ...errors!, dropOrder: 1 }]}
      rows={jobs}
      rowId={(job) => job.id}
      renderPhoneRow={() => null}
      storageKey="named"
      shown={{ ids: ["team", "errors"], onChange }}
    />,
  );
  const headers = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
  expect(headers()).toEqual(["Name", "Team"]);
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Errors no room" }));
  expect(onChange.mock.lastCall).toEqual([["team", "errors"]]);
  const remembered = () => {
    const { hidden, kept } = JSON.parse(localStorage.getItem("named") ?? "") as ColumnState;
    return { hidden, kept };
  };
  expect(remembered()).toEqual({ hidden: { team: true }, kept: {} });
  expect(headers()).toEqual(["Name", "Team", "Errors"]);
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Team" }));
  expect(onChange.mock.lastCall).toEqual([["errors"]]);
  expect(remembered()).toEqual({ hidden: { team: true }, kept: {} });
  room.mockRestore();
});

test("a column that is ticked where there is room for it leaves where there is none", async () => {
  const user = userEvent.setup();
  const room = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(800);
  const [name, team, errors] = columns;
  const some = [name!, team!, { ...errors!, dropOrder: 1, startsHidden: true }];
  const { unmount } = render(<Shown columns={some} storageKey="ticked" />);
  const headers = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
  expect(headers()).toEqual(["", "Name", "Team"]);
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Errors" }));
  expect(headers()).toEqual(["", "Name", "Team", "Errors"]);
  unmount();
  room.mockReturnValue(415);
  render(<Shown columns={some} storageKey="ticked" />);
  expect(headers()).toEqual(["", "Name", "Team"]);
  room.mockRestore();
});

test("a column's width is changed with the keyboard, within its bounds, and remembered", async () => {
  const user = userEvent.setup();
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 90, 35));
  const { unmount } = render(<Shown storageKey="widths" />);
  screen.getByRole("separator", { name: "Width of Team" }).focus();
  await user.keyboard("{ArrowRight}");
  const width = () =>
    screen.getByRole("separator", { name: "Width of Team" }).getAttribute("aria-valuenow");
  expect(width()).toBe("106");
  unmount();
  render(<Shown storageKey="widths" />);
  expect(width()).toBe("106");
  vi.restoreAllMocks();
});

test.each([
  ["comfortable", "35px"],
  ["compact", "28px"],
])("rows are %s: %s high", (density, height) => {
  localStorage.setItem("mainstay.density", density);
  render(<Shown />);
  expect(screen.getAllByRole("row")[1]?.style.height).toBe(height);
});

test("a phone has no header, and still sorts, chooses and exports", async () => {
  onScreen(true);
  const user = userEvent.setup();
  render(<Shown exportName="jobs" />);
  const order = () => screen.getAllByRole("row").map((row) => row.textContent?.slice(0, 6));
  const sort = await screen.findByRole<HTMLSelectElement>("combobox", { name: "Sort by" });
  expect([...sort.options].map(({ text }) => text)).toEqual([
    "Default order",
    "Name, ascending",
    "Name, descending",
    "Errors, ascending",
    "Errors, descending",
  ]);
  await user.selectOptions(sort, "Errors, descending");
  expect(order()).toEqual(["apisho", "web 10", "web 9c"]);
  await user.selectOptions(sort, "Default order");
  expect(order()).toEqual(["web 10", "web 9c", "apisho"]);
  await user.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  expect(screen.getByText("3 selected")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Export" }));
  expect(await screen.findByRole("menuitem", { name: "Export as JSON" })).toBeTruthy();
});

test("a column that says nothing stands last, whichever way; groups keep the order of their first rows", async () => {
  const user = userEvent.setup();
  const rows = [...jobs, { id: "4", name: "", team: "", errors: -1 }];
  const { rerender } = render(<Shown rows={rows} />);
  for (const expected of [
    ["api", "web 9", "web 10", ""],
    ["web 10", "web 9", "api", ""],
  ]) {
    await user.click(screen.getByRole("button", { name: "Name" }));
    expect(names()).toEqual(expected);
  }
  rerender(<Shown rows={rows} groupBy="team" />);
  expect(names()).toEqual(["shop2", "web 10", "api", "core1", "web 9", "none1", ""]);
});

test("a group's head cannot be chosen, nor a row that may not be", async () => {
  const user = userEvent.setup();
  render(<Shown groupBy="team" isSelectable={(job) => job.id !== "3"} />);
  expect(screen.getAllByRole("checkbox", { name: /^Select row/ })).toHaveLength(2);
  await user.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  expect(screen.getByRole("button", { name: "Stop 1,2" })).toBeTruthy();
});

const wide: Column<Job>[] = [
  ...columns,
  { id: "id", header: "Number", renderCell: (job) => job.id, width: 60, pinned: "end" },
];

test("columns are kept in view with the keyboard, at their edge, and remembered", async () => {
  const user = userEvent.setup();
  const cell = (row: number, text: string) =>
    [...(screen.getAllByRole("row")[row]?.querySelectorAll("td") ?? [])].find(
      (one) => one.textContent === text,
    );
  const { unmount } = render(<Shown columns={wide} storageKey="pinned" />);
  expect(cell(1, "1")?.style.right).toBe("0px");
  screen.getByRole("button", { name: "Columns" }).focus();
  await user.keyboard("{Enter}");
  const pins = await screen.findByRole("group", { name: "Keep in view" });
  within(pins).getByRole("menuitemcheckbox", { name: "Team" }).focus();
  await user.keyboard("{Enter}");
  await user.keyboard("{Escape}");
  const headers = () => screen.getAllByRole("columnheader").map((head) => head.textContent);
  expect(headers()).toEqual(["", "Team", "Name", "Errors", "Number"]);
  // Beside the boxes that choose rows, which stay as well.
  expect(cell(1, "shop")?.style.left).toBe("36px");
  expect(screen.getAllByRole("row")[1]?.querySelector("td")?.style.left).toBe("0px");
  unmount();
  render(<Shown columns={wide} storageKey="pinned" />);
  expect(headers()).toEqual(["", "Team", "Name", "Errors", "Number"]);
});

test("what can be done with a row stays in view, however narrow the list is", () => {
  render(<Shown columns={[...columns, actionsColumn<Job>((job) => `do ${job.id}`)]} />);
  expect(screen.getByText("do 1").closest("td")?.style.right).toBe("0px");
});

test("a column that wraps makes rows as high as their content, which is measured", async () => {
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(90);
  const many = Array.from({ length: 200 }, (_, index) => ({ ...jobs[0]!, id: String(index) }));
  const [name, ...others] = columns;
  const { unmount } = render(
    <Shown columns={[{ ...name!, wraps: true }, ...others]} rows={many} />,
  );
  const scroller = screen.getByRole("grid").parentElement!;
  scroller.scrollTop = 3_000;
  fireEvent.scroll(scroller);
  await waitFor(() => expect(screen.queryByRole("checkbox", { name: "Select row 1" })).toBeNull());
  const first = Number(document.querySelector("tr[data-row-id]")?.getAttribute("data-index"));
  const room = document.querySelector<HTMLElement>("tbody tr")?.style.height;
  // Those above were drawn before, and measured.
  expect([first > 0, room]).toEqual([true, `${first * 90}px`]);
  unmount();
  vi.restoreAllMocks();
});

test("where only some rows are here, all are fetched for the export", async () => {
  const user = userEvent.setup();
  const texts: Promise<string>[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    texts.push((blob as Blob).text());
    return "blob:x";
  });
  render(<Shown rows={[jobs[0]!]} exportName="jobs" loadExport={() => Promise.resolve(jobs)} />);
  await user.click(screen.getByRole("button", { name: "Columns and export" }));
  await user.click(await screen.findByRole("menuitem", { name: "Export as CSV" }));
  await waitFor(() => expect(texts).toHaveLength(1));
  expect((await texts[0])?.split("\r\n")).toHaveLength(5);
});

test("what has no room on the screen is in the file all the same", async () => {
  const user = userEvent.setup();
  const texts: Promise<string>[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    texts.push((blob as Blob).text());
    return "blob:x";
  });
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(300);
  const some = columns.map((column) => ({
    ...column,
    ...(column.id !== "name" && { dropOrder: 1 }),
  }));
  render(<Shown columns={some} exportName="jobs" />);
  expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).not.toContain(
    "Errors",
  );
  await user.click(screen.getByRole("button", { name: "Columns and export" }));
  await user.click(await screen.findByRole("menuitem", { name: "Export as CSV" }));
  await waitFor(() => expect(texts).toHaveLength(1));
  expect((await texts[0])?.split("\r\n")[0]).toBe("Name,Team,Errors");
  vi.restoreAllMocks();
});
