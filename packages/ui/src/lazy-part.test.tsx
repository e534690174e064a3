// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { Component, type ReactNode, Suspense, useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { lazyPart } from "./lazy-part.tsx";
import { ToastRegion } from "./popups/ToastRegion.tsx";

afterEach(() => {
  vi.restoreAllMocks();
  for (const button of screen.queryAllByRole("button", { name: "Dismiss" })) button.click();
  cleanup();
});

/** Cannot be fetched so many times, then is there. */
function partAfter<Props extends object>(failures: number, render: (props: Props) => ReactNode) {
  let asked = 0;
  const Part = lazyPart<Props>(() => {
    asked += 1;
    return asked > failures
      ? Promise.resolve(render)
      : Promise.reject(new TypeError("Failed to fetch dynamically imported module"));
  });
  return { Part, asked: () => asked };
}

const lost = /^A part of the console could not be loaded/;

test("a part that cannot be fetched is missed in its own place, and fetched when it is asked for again", async () => {
  const { Part, asked } = partAfter<{ name: string }>(2, ({ name }) => <p>Values of {name}</p>);
  render(
    <>
      <input aria-label="Search" defaultValue="typed" />
      <Suspense>
        <Part name="env" />
      </Suspense>
    </>,
  );
  const again = async () =>
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
  expect((await screen.findByRole("alert")).textContent).toMatch(lost);
  expect(asked()).toBe(1);
  await again();
  await expect.poll(asked).toBe(2);
  await again();
  expect(await screen.findByText("Values of env")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.getByLabelText<HTMLInputElement>("Search").value).toBe("typed");
});

test("one that would float is closed with a toast, and opens when it is pressed again", async () => {
  const { Part } = partAfter<{ onClose: () => void }>(1, () => <p role="dialog">Values</p>);
  function Opener() {
    const [isOpen, setIsOpen] = useState(false);
    return (
      <>
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Labels
        </button>
        <Suspense>{isOpen && <Part onClose={() => setIsOpen(false)} />}</Suspense>
        <ToastRegion />
      </>
    );
  }
  render(<Opener />);
  const opener = screen.getByRole("button", { name: "Labels" });
  fireEvent.click(opener);
  expect(await screen.findByText(lost)).toBeTruthy();
  expect(opener.getAttribute("aria-expanded")).toBe("false");
  fireEvent.click(opener);
  expect(await screen.findByRole("dialog")).toBeTruthy();
});

test("one that fails as it is drawn fails as any other", async () => {
  const { Part } = partAfter<object>(0, () => {
    throw new Error("drawn wrong");
  });
  class Boundary extends Component<{ children: ReactNode }> {
    override state = { said: "" };
    static getDerivedStateFromError = (error: Error) => ({ said: error.message });
    override render() {
      return this.state.said === "" ? this.props.children : this.state.said;
    }
  }
  vi.spyOn(console, "error").mockImplementation(() => {});
  render(
    <Boundary>
      <Suspense>
        <Part />
      </Suspense>
    </Boundary>,
  );
  expect(await screen.findByText("drawn wrong")).toBeTruthy();
});
