/** What an editor of documents needs to know about a language it does not know itself. Offsets are in UTF-16 units. */

export interface EditorProblem {
  from: number;
  to: number;
  severity: "error" | "warning";
  message: string;
}

export interface EditorCompletion {
  label: string;
  /** What is put in; the label when left out. */
  insert?: string;
  detail?: string;
  documentation?: string;
}

export interface EditorCompletions {
  /** Where the word that is being completed starts. */
  from: number;
  options: readonly EditorCompletion[];
}

export interface EditorLanguage {
  check: (text: string) => Promise<readonly EditorProblem[]>;
  complete: (text: string, offset: number) => Promise<EditorCompletions | null>;
  describe: (
    text: string,
    offset: number,
  ) => Promise<{ from: number; to: number; text: string } | null>;
  /** The same document tidied up, with its comments; nothing where it cannot be read. */
  format?: (text: string) => Promise<string | null>;
}
