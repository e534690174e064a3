import type { Language } from "./language.ts";

/** What a script did that it cannot do, and where. Its message can be shown to whoever wrote the script. */
export class ScriptError extends Error {
  /** From 1, in the text of the script; where in it nobody knows, they are absent. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly language: Language;
  /** Its text, where many are evaluated at a time. */
  readonly script: string | undefined;

  constructor(
    message: string,
    {
      language,
      line,
      column,
      script,
      cause,
    }: { language: Language; line?: number; column?: number; script?: string; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = "ScriptError";
    this.language = language;
    this.line = line;
    this.column = column;
    this.script = script;
  }
}
