// @vitest-environment happy-dom
import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { CodeMirrorEditor } from "./CodeMirrorEditor.tsx";

afterEach(cleanup);

function shownEditor({ readOnly = false } = {}) {
  const { container } = render(
    <CodeMirrorEditor label="Spec" value="a: 1" onChange={() => {}} readOnly={readOnly} />,
  );
  const root = [...container.querySelectorAll("div")].find(
    (element) => element.shadowRoot,
  )?.shadowRoot;
  const text = root?.querySelector("[role=textbox]");
  if (!root || !text) throw new Error("The editor has no text box");
  return { root, text };
}

test("what describes the editor says how Tab leaves it, and that is so", () => {
  const { root, text } = shownEditor();
  const hint = root.getElementById(text.getAttribute("aria-describedby") ?? "");
  expect(hint?.textContent).toBe("Tab indents. Ctrl+M lets Tab leave the editor.");
  const tabIsTaken = () => !fireEvent.keyDown(text, { key: "Tab", keyCode: 9 });
  expect(tabIsTaken()).toBe(true);
  fireEvent.keyDown(text, { key: "m", keyCode: 77, ctrlKey: true });
  expect(tabIsTaken()).toBe(false);
});

test("an editor that is only read lets Tab leave and says nothing about it", () => {
  const { root, text } = shownEditor({ readOnly: true });
  expect(text.hasAttribute("aria-describedby")).toBe(false);
  expect(root.textContent).not.toContain("Tab");
  expect(fireEvent.keyDown(text, { key: "Tab", keyCode: 9 })).toBe(true);
});
