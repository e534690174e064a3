import type { Language } from "./language.ts";

/** What a script did that it cannot do, and where. Its message can be shown to whoever wrote the script. */
export class ScriptError extends Error {
  /** From 1, in the text of the script; where in it nobody knows, they are absent. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly language: Language;
  /** It was given up for what it cost: time, steps, memory, output, depth. */
  readonly isLimit: boolean;
  /** Its text, where many are evaluated at a time. */
  readonly script: string | undefined;

  constructor(
    message: string,
    {
      language,
      line,
      column,
      script,
      isLimit = false,
      cause,
    }: {
      language: Language;
      line?: number;
      column?: number;
      script?: string;
      isLimit?: boolean;
      cause?: unknown;
    },
  ) {
    super(message, { cause });
    this.name = "ScriptError";
    this.language = language;
    this.line = line;
    this.column = column;
    this.script = script;
    this.isLimit = isLimit;
  }
}
