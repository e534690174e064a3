import { ScriptError } from "../script-error.ts";

export interface Place {
  line: number;
  column: number;
}

/** A text that is parsed, and where its parts are in what its author wrote. */
export interface Source {
  text: string;
  placeOf(at: number): Place;
}

/** Line and column, from 1. */
function placeIn(text: string, at: number): Place {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let i = before.indexOf("\n"); i >= 0; i = before.indexOf("\n", i + 1)) line++;
  return { line, column: Array.from(before.slice(lineStart)).length + 1 };
}

export const sourceOf = (text: string): Source => ({ text, placeOf: (at) => placeIn(text, at) });

/** What is left when a part has been cut out. */
export const withoutPart = ({ text, placeOf }: Source, start: number, end: number): Source => ({
  text: text.slice(0, start) + text.slice(end),
  placeOf: (at) => placeOf(at < start ? at : at + end - start),
});

export const mistake = (
  source: Source,
  at: number,
  message: string,
  { cause, isLimit }: { cause?: unknown; isLimit?: boolean } = {},
): ScriptError =>
  new ScriptError(message, { language: "gotemplate", ...source.placeOf(at), cause, isLimit });
