// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { TypeGrid } from "./TypeGrid.tsx";

afterEach(cleanup);

const item = (label: string, help: string) => ({
  value: label.toLowerCase(),
  label,
  help,
  icon: null,
});
const groups = [
  { label: "Databases", items: [item("Postgres", "A database."), item("Redis", "A cache.")] },
  { label: "Messages", items: [item("Slack", "A channel.")] },
];
const names = () => screen.getAllByRole("button").map(({ textContent }) => textContent);

test("types are found by name and by what they are for", async () => {
  const user = userEvent.setup();
  const onChoose = vi.fn();
  render(<TypeGrid noun="type" groups={groups} onChoose={onChoose} />);
  expect(names()).toEqual(["Postgres", "Redis", "Slack"]);
  const field = screen.getByRole("searchbox", { name: "Search types" });
  await user.type(field, "a cache");
  expect(names()).toEqual(["Redis"]);
  expect(screen.getByRole("status").textContent).toBe("1 type found");
  expect(screen.queryByRole("heading", { name: "Messages" })).toBeNull();
  await user.keyboard("{Enter}");
  expect(onChoose).toHaveBeenCalledWith("redis");
  await user.type(field, "zzz");
  expect(screen.getByText("Nothing matches what is searched for.")).toBeTruthy();
});

test("the arrows lead from the search into the grid, along it and back", async () => {
  const user = userEvent.setup();
  const onChoose = vi.fn();
  render(<TypeGrid noun="type" groups={groups} onChoose={onChoose} />);
  await user.click(screen.getByRole("searchbox"));
  await user.keyboard("{ArrowDown}{ArrowRight}{ArrowRight}");
  expect(document.activeElement?.textContent).toBe("Slack");
  await user.keyboard("{ArrowRight}{ArrowLeft}{Enter}");
  expect(onChoose.mock.calls).toEqual([["redis"]]);
  await user.keyboard("{Home}");
  expect(document.activeElement?.textContent).toBe("Postgres");
  await user.keyboard("{End}{Enter}");
  expect(onChoose).toHaveBeenLastCalledWith("slack");
});

test("told, what each is for stands on it, and its name stays its own", () => {
  render(<TypeGrid noun="type" groups={groups} isTold onChoose={() => undefined} />);
  expect(screen.getByRole("button", { name: "Redis", description: "A cache." }).textContent).toBe(
    "Redis",
  );
  expect(screen.getByText("A cache.").hidden).toBe(false);
});
