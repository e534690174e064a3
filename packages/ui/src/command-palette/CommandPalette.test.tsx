// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Dialog, loadDialog } from "../Dialog.tsx";
import { type CommandGroup, CommandPalette } from "./CommandPalette.tsx";
import { moveActive } from "./move-active.ts";

const chosen = vi.fn<(id: string) => void>();
const closed = vi.fn<() => void>();
beforeEach(() => {
  chosen.mockReset();
  closed.mockReset();
});
afterEach(cleanup);

const everything: CommandGroup[] = [
  {
    label: "Pages",
    commands: [
      { id: "health", label: "Health" },
      { id: "users", label: "Users", detail: "Settings" },
    ],
  },
  { label: "Nothing", commands: [] },
  { label: "Actions", commands: [{ id: "dark", label: "Theme: dark" }] },
];

function Palette({ isBusy, notice }: { isBusy?: boolean; notice?: string }) {
  const [text, setText] = useState("");
  return (
    <CommandPalette
      label="Search"
      placeholder="Type"
      text={text}
      onText={setText}
      groups={everything.map((group) => ({
        ...group,
        commands: group.commands.filter(({ label }) => label.toLowerCase().includes(text)),
      }))}
      onChoose={chosen}
      onClose={closed}
      emptyText="Nothing is called that"
      isBusy={isBusy ?? false}
      notice={notice}
    />
  );
}
const box = () => screen.getByRole("combobox", { name: "Search" });
const active = () => {
  const id = box().getAttribute("aria-activedescendant");
  const option = screen
    .getAllByRole("option")
    .find((one) => one.getAttribute("aria-selected") === "true");
  expect(option?.id).toBe(id);
  return option?.textContent;
};

test.each<[string, number, number, number | undefined]>([
  ["ArrowDown", 0, 3, 1],
  ["ArrowDown", 2, 3, 0],
  ["ArrowUp", 0, 3, 2],
  ["ArrowUp", 2, 3, 1],
  ["Home", 2, 3, 0],
  ["End", 0, 3, 2],
  ["PageDown", 0, 30, 8],
  ["PageDown", 28, 30, 29],
  ["PageUp", 3, 30, 0],
  ["ArrowDown", 0, 0, undefined],
  ["a", 0, 3, undefined],
])("%s at %i of %i leads to %s", (key, index, count, to) => {
  expect(moveActive(key, index, count)).toBe(to);
});

test("the keyboard goes through the whole list from the text box", async () => {
  render(<Palette />);
  const user = userEvent.setup();
  await user.click(box());
  expect(active()).toBe("Health");
  await user.keyboard("{ArrowDown}");
  expect(active()).toBe("UsersSettings");
  await user.keyboard("{End}");
  expect(active()).toBe("Theme: dark");
  await user.keyboard("{ArrowDown}");
  expect(active()).toBe("Health");
  await user.keyboard("{ArrowUp}{Home}{ArrowDown}{Enter}");
  expect(chosen).toHaveBeenCalledExactlyOnceWith("users");
  expect(document.activeElement).toBe(box());
});

test("typing narrows the list and begins at its top", async () => {
  render(<Palette />);
  const user = userEvent.setup();
  await user.click(box());
  await user.keyboard("{End}");
  await user.type(box(), "th");
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual([
    "Health",
    "Theme: dark",
  ]);
  expect(active()).toBe("Health");
  expect(screen.getAllByRole("group").map((group) => group.getAttribute("aria-label"))).toEqual([
    "Pages",
    "Actions",
  ]);
  await user.type(box(), "xx");
  expect(screen.getByText("Nothing is called that")).toBeTruthy();
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(box().getAttribute("aria-expanded")).toBe("false");
  await user.keyboard("{Enter}{ArrowDown}");
  expect(chosen).not.toHaveBeenCalled();
});

test("a press chooses and leaves the keyboard where it was", async () => {
  render(<Palette />);
  const user = userEvent.setup();
  await user.click(box());
  await user.click(within(screen.getByRole("group", { name: "Actions" })).getByRole("option"));
  expect(chosen).toHaveBeenCalledExactlyOnceWith("dark");
  expect(document.activeElement).toBe(box());
});

test("Escape closes", async () => {
  render(<Palette />);
  const user = userEvent.setup();
  await user.click(box());
  await user.keyboard("{Escape}");
  expect(closed).toHaveBeenCalledOnce();
});

test("what is composed is not yet a choice", async () => {
  render(<Palette />);
  box().dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", bubbles: true, isComposing: true }),
  );
  expect(chosen).not.toHaveBeenCalled();
});

test("it says that it searches, and what went wrong", () => {
  render(<Palette isBusy notice="The checks could not be searched" />);
  expect(screen.getByRole("status").textContent).toBe("Searching");
  expect(box().getAttribute("aria-busy")).toBe("true");
  expect(screen.getByText("The checks could not be searched")).toBeTruthy();
});

test("a dialog that comes late, or in place of another, waits for what is being typed", async () => {
  await loadDialog();
  const page = (isOpen: boolean, title?: string) => (
    <>
      {title !== undefined && (
        <Dialog key={title} title={title} keepOpenOnOutsidePress onClose={() => {}}>
          <input aria-label={`Field of ${title}`} />
        </Dialog>
      )}
      {isOpen && <Palette />}
    </>
  );
  const focused = (name: string) =>
    vi.waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe(name));
  const { rerender } = render(page(false, "first"));
  await focused("Field of first");
  rerender(page(true, "first"));
  await focused("Search");
  await userEvent.keyboard("us");
  rerender(page(true, "second"));
  // What focuses does so in the next frame.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await userEvent.keyboard("ers");
  expect((box() as HTMLInputElement).value).toBe("users");
  expect(screen.queryByText("second")).toBeNull();

  rerender(page(false, "second"));
  await focused("Field of second");
});
