// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { Choice } from "./choice.ts";
import { MultiSelect } from "./MultiSelect.tsx";
import { ResourceSelector } from "./ResourceSelector.tsx";

// Fetched with the first box: not what is waited for below.
beforeAll(() => import("./ChoiceBox.tsx"));
afterEach(cleanup);

const events = ["check.failed", "check.passed", "config.created"];

function Several({ start = [] }: { start?: readonly string[] }) {
  const [value, setValue] = useState(start);
  return (
    <>
      <MultiSelect
        label="Events"
        options={events.map((event) => ({ value: event, label: event }))}
        value={value}
        onChange={setValue}
        error={value.length === 0 ? "This field is required" : undefined}
      />
      <p data-testid="value">{value.join()}</p>
    </>
  );
}
const value = () => screen.getByTestId("value").textContent;
const options = () => screen.getAllByRole("option").map((option) => option.textContent);

test("several are chosen by typing, and the last is taken out with Backspace", async () => {
  const user = userEvent.setup();
  render(<Several />);
  const box = await screen.findByRole("combobox", { name: "Events" });
  expect(box.getAttribute("aria-invalid")).toBe("true");
  await user.type(box, "check");
  expect(options()).toEqual(["check.failed", "check.passed"]);
  await user.keyboard("{Enter}");
  await user.type(box, "conf{Enter}");
  expect(value()).toBe("check.failed,config.created");
  expect(box.getAttribute("aria-invalid")).toBe("false");
  // However often: what was chosen is not thrown away by leaving.
  await user.keyboard("{Escape}{Escape}{Escape}");
  expect(value()).toBe("check.failed,config.created");
  await user.keyboard("{Backspace}");
  expect(value()).toBe("check.failed");
  await user.type(box, "nothing");
  expect(await screen.findByText("No result")).toBeTruthy();
});

test("what is no longer offered stays until it is taken out", async () => {
  const user = userEvent.setup();
  render(<Several start={["gone.event"]} />);
  await user.click(await screen.findByRole("button", { name: "Remove gone.event" }));
  expect(value()).toBe("");
});

test("one resource replaces the other, and a list that is cut says so", async () => {
  const user = userEvent.setup();
  function One() {
    const [chosen, setChosen] = useState<readonly Choice[]>([]);
    return (
      <>
        <ResourceSelector
          label="Resource"
          search={async (text) => ({
            choices: ["web-1", "web-2"].map((name) => ({ value: name, label: `${name} ${text}` })),
            isPartial: true,
          })}
          chosen={chosen}
          onChange={setChosen}
        />
        <p data-testid="value">{chosen.map((choice) => choice.value).join()}</p>
      </>
    );
  }
  render(<One />);
  const box = await screen.findByRole("combobox", { name: "Resource" });
  await user.click(box);
  expect(await screen.findByText("There are more: type to find them")).toBeTruthy();
  await user.click(await screen.findByRole("option", { name: /web-1/ }));
  expect(value()).toBe("web-1");
  await user.click(box);
  await user.click(await screen.findByRole("option", { name: /web-2/ }));
  expect(value()).toBe("web-2");
});
