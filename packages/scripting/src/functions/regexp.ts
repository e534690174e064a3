import { RE2JS, RE2JSException } from "re2js";

/** Regular expressions in the syntax of RE2, which take time in proportion to the text whatever they say. */

const remembered = new Map<string, RE2JS>();
const mostRemembered = 200;
const longestExpression = 10_000;
const maxCharacters = 10_000_000;

export function compileExpression(expression: string): RE2JS {
  const known = remembered.get(expression);
  if (known !== undefined) return known;
  if (expression.length > longestExpression) throw new Error("the regular expression is too long");
  try {
    const compiled = RE2JS.compile(expression);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(expression, compiled);
    return compiled;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Error(error.message, { cause: error });
  }
}

interface Found {
  start: number;
  end: number;
  /** Of the whole and its groups. */
  texts: readonly (string | null)[];
  named: Readonly<Record<string, number>>;
}

/** The matches as Go counts them: an empty one right after another does not count. */
function* matches(expression: string, text: string): Generator<Found> {
  const compiled = compileExpression(expression);
  const matcher = compiled.matcher(text);
  const groups = compiled.groupCount();
  let previousEnd = -1;
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end && start === previousEnd) continue;
    previousEnd = end;
    yield {
      start,
      end,
      texts: Array.from({ length: groups + 1 }, (_, i) => matcher.group(i)),
      named: compiled.namedGroups(),
    };
  }
}

export const isMatch = (expression: string, text: string): boolean =>
  compileExpression(expression).matcher(text).find();

export function find(expression: string, text: string): string {
  const matcher = compileExpression(expression).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** All of them when `most` is negative. */
export function findAll(expression: string, text: string, most = -1): string[] {
  const found: string[] = [];
  if (most === 0) return found;
  for (const { texts } of matches(expression, text)) {
    found.push(texts[0] ?? "");
    if (found.length === most) break;
  }
  return found;
}

export const quoteMeta = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");

function replaceWith(expression: string, text: string, by: (found: Found) => string): string {
  let out = "";
  let after = 0;
  for (const found of matches(expression, text)) {
    out += text.slice(after, found.start) + by(found);
    after = found.end;
    if (out.length > maxCharacters) throw new Error("the text gets too long");
  }
  return out + text.slice(after);
}

export const replaceLiteral = (expression: string, by: string, text: string): string =>
  replaceWith(expression, text, () => by);

/** In `by`, `$1`, `$name` and `${name}` are what the groups matched, `$$` is a dollar. */
export const replace = (expression: string, by: string, text: string): string =>
  replaceWith(expression, text, ({ texts, named }) =>
    by.replace(
      /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu,
      (whole, braced?: string, bare?: string) => {
        if (whole === "$$") return "$";
        const name = braced ?? bare ?? "";
        const group = /^\d+$/.test(name)
          ? Number(name)
          : Object.hasOwn(named, name)
            ? named[name]
            : undefined;
        return group === undefined ? "" : (texts[group] ?? "");
      },
    ),
  );

/** As Go splits: an empty match at the beginning parts nothing. */
export function split(expression: string, text: string, most = -1): string[] {
  if (most === 0) return [];
  if (expression !== "" && text === "") return [""];
  const parts: string[] = [];
  let start = 0;
  let end = 0;
  for (const found of matches(expression, text)) {
    if (most > 0 && parts.length === most - 1) break;
    end = found.start;
    if (found.end !== 0) parts.push(text.slice(start, end));
    start = found.end;
  }
  if (end !== text.length) parts.push(text.slice(start));
  return parts;
}
