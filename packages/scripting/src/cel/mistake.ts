/** What an expression did that it cannot do; becomes a `ScriptError` once it is known where. */
export class Mistake extends Error {
  /** Offset in the text of the script. */
  at: number | undefined;
  /** Ends the script even where another operand of `&&` or `||` would have decided. */
  readonly fatal: boolean;

  constructor(
    message: string,
    { at, fatal = false, cause }: { at?: number; fatal?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.at = at;
    this.fatal = fatal;
  }
}

/** Whatever was thrown at a place of the script, as a mistake there. */
export function mistakeAt(error: unknown, at: number): Mistake {
  if (error instanceof Mistake) {
    error.at ??= at;
    return error;
  }
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return new Mistake("the values are nested too deeply", { at, fatal: true, cause: error });
  return new Mistake(error instanceof Error ? error.message : String(error), { at, cause: error });
}
