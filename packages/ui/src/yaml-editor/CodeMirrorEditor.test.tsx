// @vitest-environment happy-dom
import { EditorView } from "@codemirror/view";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useLayoutEffect, useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { CodeMirrorEditor } from "./CodeMirrorEditor.tsx";

afterEach(cleanup);

const shadowIn = (container: Element) =>
  [...container.querySelectorAll("div")].find((element) => element.shadowRoot)?.shadowRoot;

function shownEditor({ readOnly = false } = {}) {
  const { container } = render(
    <CodeMirrorEditor label="Spec" value="a: 1" onChange={() => {}} readOnly={readOnly} />,
  );
  const root = shadowIn(container);
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

test("line ends of another system stay, and places are those of the text", async () => {
  const onChange = vi.fn<(text: string) => void>();
  const onCursor = vi.fn<(offset: number) => void>();
  const language = {
    check: async () => [],
    complete: async () => null,
    describe: async () => null,
    format: async () => "a: 2\nb: 2",
  };
  const editor = (place: { line: number; column: number } | null) => (
    <CodeMirrorEditor
      label="Spec"
      value={"a: 1\r\nb: 2"}
      onChange={onChange}
      onCursor={onCursor}
      language={language}
      place={place}
    />
  );
  const { rerender } = render(editor(null));
  rerender(editor({ line: 2, column: 2 }));
  expect(onCursor).toHaveBeenLastCalledWith("a: 1\r\nb".length);
  expect(onChange).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: /^Format/ }));
  await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith("a: 2\r\nb: 2"));
});

test("a key that comes while the one before it is being drawn is kept", () => {
  const typed = (root: ShadowRoot | null | undefined, text: string) => {
    const view = EditorView.findFromDOM(root!.querySelector<HTMLElement>(".cm-editor")!)!;
    view.dispatch({ changes: { from: view.state.doc.length, insert: text } });
  };
  let root: ShadowRoot | null | undefined;
  function Page() {
    const [text, setText] = useState("a: ");
    useLayoutEffect(() => {
      if (text === "a: 1") typed(root, "2");
    }, [text]);
    return <CodeMirrorEditor label="Spec" value={text} onChange={setText} />;
  }
  const { container } = render(<Page />);
  root = shadowIn(container);
  act(() => typed(root, "1"));
  expect(root?.querySelector("[role=textbox]")?.textContent).toBe("a: 12");
});
