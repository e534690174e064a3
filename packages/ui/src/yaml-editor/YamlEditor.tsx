import { Suspense } from "react";
import { lazyPart } from "../lazy-part.tsx";
import type { EditorLanguage } from "./editor-api.ts";

export interface YamlEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Problems, completion and help for the kind of document that is edited. */
  language?: EditorLanguage;
  readOnly?: boolean;
  /** Told what is wrong with the text as it now stands, as often as it is checked. */
  onProblems?: (count: number) => void;
  /** Told where the cursor is, as an offset into the text. */
  onCursor?: (offset: number) => void;
  /** Where the cursor is led; another object leads it there again. Lines and columns are 1-based. */
  place?: { line: number; column: number } | null;
}

const CodeMirrorEditor = lazyPart(() =>
  import("./CodeMirrorEditor.tsx").then((module) => module.CodeMirrorEditor),
);

/** A YAML editor. Its machinery is fetched when the first one is shown. */
export function YamlEditor(props: YamlEditorProps) {
  return (
    <Suspense
      fallback={
        <output className="block min-h-40 flex-1 rounded-card border bg-sunken p-3">
          <span className="sr-only">Loading editor</span>
          <span className="skeleton mb-2 block h-3 w-1/3" />
          <span className="skeleton mb-2 block h-3 w-1/2" />
          <span className="skeleton block h-3 w-2/5" />
        </output>
      }
    >
      <CodeMirrorEditor {...props} />
    </Suspense>
  );
}
