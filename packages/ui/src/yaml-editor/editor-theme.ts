import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const codeColours = HighlightStyle.define([
  {
    tag: [tags.propertyName, tags.definition(tags.propertyName), tags.labelName],
    color: "var(--syntax-key)",
  },
  { tag: [tags.string, tags.content, tags.special(tags.string)], color: "var(--syntax-string)" },
  { tag: [tags.number], color: "var(--syntax-number)" },
  {
    tag: [tags.keyword, tags.bool, tags.null, tags.meta, tags.typeName],
    color: "var(--syntax-keyword)",
  },
  { tag: [tags.lineComment, tags.comment], color: "var(--syntax-comment)", fontStyle: "italic" },
]);

export const editorTheme = EditorView.theme({
  "&": {
    height: "100%",
    minHeight: "160px",
    color: "var(--text)",
    backgroundColor: "var(--surface-raised)",
    fontSize: "12.5px",
    flex: "1",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-code)",
    fontVariantLigatures: "none",
    lineHeight: "19px",
    overflow: "auto",
  },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--surface-sunken)",
    color: "var(--text-muted)",
    borderRight: "1px solid var(--border)",
  },
  ".cm-activeLine": {
    backgroundColor: "color-mix(in oklch, var(--surface-hover) 45%, transparent)",
  },
  ".cm-activeLineGutter": { backgroundColor: "var(--surface-hover)", color: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {
      backgroundColor: "var(--surface-selected)",
    },
  ".cm-tooltip": {
    border: "1px solid var(--border)",
    borderRadius: "var(--radius-control)",
    backgroundColor: "var(--surface-raised)",
    color: "var(--text)",
    boxShadow: "var(--shadow)",
    fontFamily: "var(--font-interface)",
    fontSize: "12px",
    maxWidth: "440px",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-code)", maxHeight: "220px" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--surface-selected)",
    color: "var(--text)",
  },
  ".cm-completionDetail": {
    color: "var(--text-muted)",
    fontStyle: "normal",
    fontFamily: "var(--font-interface)",
  },
  ".cm-help": { padding: "4px 8px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic": { padding: "4px 8px" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--unhealthy)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warning)" },
  ".cm-panels": {
    backgroundColor: "var(--surface-sunken)",
    color: "var(--text)",
    borderTop: "1px solid var(--border)",
  },
  ".cm-hint": {
    padding: "2px 8px",
    color: "var(--text-muted)",
    fontFamily: "var(--font-interface)",
    fontSize: "11px",
  },
  ".cm-textfield, .cm-button": {
    background: "var(--surface-raised)",
    border: "1px solid var(--border-control)",
    borderRadius: "4px",
    color: "var(--text)",
  },
  ".cm-foldGutter": { width: "12px" },
});
