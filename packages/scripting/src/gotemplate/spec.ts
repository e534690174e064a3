import type { CompileOptions, Program } from "../language.ts";
import type { Context } from "../values.ts";
import type { Stretch } from "./execution.ts";
import { valueMark } from "./lexer.ts";
import { joined, prepare, read, standard } from "./prepare.ts";
import type { Source } from "./source.ts";

/**
 * The templates of a document: first `{{ }}`, then `$( )`, unless the text or the options say other delimiters, which are
 * then the only ones.
 *
 * The second pass reads what the document says, a `$( )` that a literal of the first pass made included. What values
 * printed is put aside meanwhile: no result, label or log line becomes a template by having `$(` in it.
 * @throws ScriptError
 */
export function compileSpec(text: string, options: CompileOptions): Program {
  const { source, delimiters } = read(text);
  const only = delimiters ?? options.delimiters;
  const first = prepare(source, only ?? standard, options);
  return {
    run(context) {
      const stretches = first(context);
      if (only !== undefined) return joined(stretches).trim();
      const { second, values } = aside(source, stretches);
      if (!second.text.includes("$(")) return joined(stretches).trim();
      const restore = (part: string): string =>
        part.replace(marked, (_, index: string) => values[Number(index)] ?? "");
      return joined(prepare(second, ["$(", ")"], options, restore)(context)).trim();
    },
  };
}

/** @throws ScriptError */
export const renderText = (text: string, context: Context, options: CompileOptions = {}): string =>
  compileSpec(text, options).run(context) as string;

const marked = new RegExp(`${valueMark}(\\d+)${valueMark}`, "g");

function aside(
  source: Source,
  stretches: readonly Stretch[],
): { second: Source; values: string[] } {
  const values: string[] = [];
  const pieces: { start: number; from: number; isValue: boolean }[] = [];
  let text = "";
  for (const { text: said, isValue, at } of stretches) {
    pieces.push({ start: text.length, from: at, isValue });
    // A document that has the mark itself must not be taken for one that has values.
    for (const part of isValue ? [said] : said.split(new RegExp(`(${valueMark})`))) {
      if (isValue || part === valueMark) {
        text += `${valueMark}${values.length}${valueMark}`;
        values.push(part);
      } else text += part;
    }
  }
  return {
    values,
    second: {
      text,
      placeOf(at) {
        const piece = pieces.findLast(({ start }) => start <= at);
        if (piece === undefined) return source.placeOf(0);
        return source.placeOf(piece.isValue ? piece.from : piece.from + at - piece.start);
      },
    },
  };
}
