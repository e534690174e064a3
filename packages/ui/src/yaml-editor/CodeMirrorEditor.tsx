import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type CompletionContext,
} from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  isolateHistory,
} from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  foldGutter,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { forEachDiagnostic, lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  showPanel,
} from "@codemirror/view";
import { AlignLeft } from "lucide-react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { IconButton } from "../Button.tsx";
import { toastFailed } from "../toasts.ts";
import type { YamlEditorProps } from "./YamlEditor.tsx";
import { codeColours, editorTheme } from "./editor-theme.ts";

const checkDelayMs = 300;

// CodeMirror binds another key on a Mac, and asks the same question.
const leaveKey = /Mac/.test(navigator.platform) ? "Shift+Option+M" : "Ctrl+M";
const tabHintId = "tab-hint";

/** Says how the keyboard gets out of an editor that takes Tab: Escape would close the dialog around it. */
const tabHint = [
  showPanel.of(() => {
    const dom = document.createElement("div");
    dom.className = "cm-hint";
    dom.id = tabHintId;
    dom.textContent = `Tab indents. ${leaveKey} lets Tab leave the editor.`;
    return { dom };
  }),
  EditorView.contentAttributes.of({ "aria-describedby": tabHintId }),
];

/**
 * Text typed over a selection. Left to the browser, it would keep the look of what it replaces in a style attribute,
 * which the content security policy refuses and reports.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main, ranges } = view.state.selection;
    const text = event.data;
    if (event.inputType !== "insertText" || text === null || main.empty || ranges.length > 1)
      return false;
    if (view.composing || view.state.readOnly) return false;
    const insert = () =>
      view.state.update({
        ...view.state.replaceSelection(text),
        userEvent: "input.type",
        scrollIntoView: true,
      });
    event.preventDefault();
    const isTaken = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, text, insert));
    if (!isTaken) view.dispatch(insert());
    return true;
  },
});

export function CodeMirrorEditor({
  label,
  value,
  onChange,
  language,
  readOnly = false,
  onProblems,
  onCursor,
  place,
}: YamlEditorProps) {
  const holder = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);

  // The editor knows one line end; what the text has it gets back.
  const changed = useEffectEvent((text: string) =>
    onChange(value.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text),
  );
  const tellCursor = useEffectEvent((offset: number, linesBefore: number) =>
    onCursor?.(value.includes("\r\n") ? offset + linesBefore : offset),
  );
  const tellProblems = useEffectEvent((count: number) => onProblems?.(count));
  const check = useEffectEvent(async (view: EditorView) => {
    const size = view.state.doc.length;
    const problems = (await language?.check(view.state.doc.toString())) ?? [];
    return problems.map((problem) => ({
      from: Math.min(problem.from, size),
      to: Math.min(Math.max(problem.to, problem.from), size),
      severity: problem.severity,
      message: problem.message,
    }));
  });
  const complete = useEffectEvent(async (context: CompletionContext) => {
    const found = await language?.complete(context.state.doc.toString(), context.pos);
    if (!found || found.options.length === 0) return null;
    return {
      from: found.from,
      options: found.options.map((option) => ({
        label: option.label,
        ...(option.insert === undefined ? {} : { apply: option.insert }),
        ...(option.detail === undefined ? {} : { detail: option.detail }),
        ...(option.documentation === undefined ? {} : { info: option.documentation }),
      })),
    };
  });
  const describe = useEffectEvent(async (view: EditorView, position: number) => {
    const found = await language?.describe(view.state.doc.toString(), position);
    if (!found) return null;
    return {
      pos: found.from,
      end: found.to,
      above: true,
      create: () => {
        const dom = document.createElement("div");
        dom.className = "cm-help";
        dom.textContent = found.text;
        return { dom };
      },
    };
  });
  const readValue = useEffectEvent(() => value);
  const canFormat = !readOnly && language?.format !== undefined;
  const format = async (view: EditorView) => {
    const text = view.state.doc.toString();
    const tidy = await language?.format?.(text);
    if (tidy === null) toastFailed(`${label} cannot be formatted before its mistakes are mended`);
    // What was typed meanwhile is worth more.
    if (typeof tidy !== "string" || tidy === text || view.state.doc.toString() !== text) return;
    view.dispatch({
      changes: { from: 0, to: text.length, insert: tidy },
      selection: { anchor: Math.min(view.state.selection.main.head, tidy.length) },
      // Taken back by itself, whatever was typed just before.
      annotations: isolateHistory.of("full"),
      scrollIntoView: true,
    });
  };
  const formatByKey = useEffectEvent((view: EditorView) => {
    if (canFormat) void format(view);
    return canFormat;
  });

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    // CodeMirror writes its rules into a <style> element, which the content security policy forbids; inside a shadow
    // root it uses a constructed style sheet, which is allowed.
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: readValue(),
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          typeOverSelection,
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          yaml(),
          syntaxHighlighting(codeColours),
          editorTheme,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({
            "aria-label": label,
            "aria-multiline": "true",
            tabindex: "0",
          }),
          EditorView.lineWrapping,
          autocompletion({
            override: [(context) => complete(context)],
            activateOnTypingDelay: 100,
          }),
          hoverTooltip((at, position) => describe(at, position)),
          linter((at) => check(at), { delay: checkDelayMs }),
          lintGutter(),
          readOnly ? [] : tabHint,
          keymap.of([
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...searchKeymap,
            ...lintKeymap,
            indentWithTab,
            { key: "Shift-Alt-f", run: (at) => formatByKey(at) },
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
            if (update.docChanged || update.selectionSet) {
              const { head } = update.state.selection.main;
              tellCursor(head, update.state.doc.lineAt(head).number - 1);
            }
            let problems = 0;
            forEachDiagnostic(update.state, (diagnostic) => {
              if (diagnostic.severity === "error") problems += 1;
            });
            tellProblems(problems);
          }),
        ],
      }),
    });
    // Escape closes the completion list first; only one that the editor has no use for closes the dialog around it.
    const keepEscape = (event: KeyboardEvent) => {
      if (event.key === "Escape" && event.defaultPrevented) event.stopPropagation();
    };
    element.addEventListener("keydown", keepEscape);
    editor.current = view;
    return () => {
      element.removeEventListener("keydown", keepEscape);
      view.destroy();
      editor.current = null;
    };
  }, [label, readOnly]);

  // Before the browser takes the next key: later, what was typed meanwhile would be overwritten by the value before it.
  useLayoutEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === value.replaceAll(/\r\n?/g, "\n")) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const view = editor.current;
    if (!view || !place) return;
    const { doc } = view.state;
    const line = doc.line(Math.min(Math.max(place.line, 1), doc.lines));
    const at = Math.min(line.from + Math.max(place.column, 1) - 1, line.to);
    view.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: "center" }),
    });
    view.focus();
  }, [place]);

  return (
    <div className="relative flex min-h-40 flex-1 flex-col overflow-hidden rounded-card border border-control focus-within:outline-2 focus-within:outline-(--focus)">
      <div ref={holder} className="flex min-h-0 flex-1 flex-col" />
      {canFormat && (
        <IconButton
          label="Format (Shift+Alt+F)"
          icon={<AlignLeft size={14} strokeWidth={1.75} />}
          className="absolute top-1 right-3 z-10 bg-raised"
          onClick={() => {
            if (editor.current) void format(editor.current);
          }}
        />
      )}
    </div>
  );
}
