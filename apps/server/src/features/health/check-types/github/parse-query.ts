import { WrongSpec } from "../attempt-http.ts";

/** A value of a row. */
export type Cell = string | number | boolean | null;

export type Condition =
  | { kind: "and" | "or"; parts: Condition[] }
  | { kind: "not"; part: Condition }
  | { kind: "compare"; column: string; operator: string; value: Cell }
  | { kind: "like"; column: string; pattern: string }
  | { kind: "in"; column: string; values: Cell[] };

export interface Query {
  table: string;
  args: string[];
  /** Empty is all of them; `count` is how many rows there are. */
  columns: { column: string; as: string; isCount?: boolean }[];
  where?: Condition;
  orderBy: { column: string; isDescending: boolean }[];
  limit?: number;
}

const token =
  /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|(\d+(?:\.\d+)?)|([A-Za-z_][\w.]*)|(<=|>=|<>|!=|[=<>(),*;]))/y;

interface Token {
  kind: "text" | "number" | "word" | "sign";
  text: string;
  /** Written in quotes: a name, whatever it looks like. */
  isQuoted?: boolean;
}

function tokensOf(query: string): Token[] {
  const found: Token[] = [];
  const text = query.trim();
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw wrong(`at "${text.slice(at, at + 20).trim()}"`);
    const [, single, double, number, word, sign] = match;
    if (single !== undefined) found.push({ kind: "text", text: single.replaceAll("''", "'") });
    else if (double !== undefined) found.push({ kind: "word", text: double, isQuoted: true });
    else if (number !== undefined) found.push({ kind: "number", text: number });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else if (sign !== undefined) found.push({ kind: "sign", text: sign });
  }
  return found;
}

const wrong = (what: string) =>
  new WrongSpec(
    `the query cannot be read ${what}: SELECT columns or count(*) FROM one table WHERE ... ORDER BY ... LIMIT ... is understood`,
  );

/** Conditions inside each other. */
const deepest = 50;

/** Reads the part of SQL that checks of GitHub use. Throws `WrongSpec`. */
export function parseQuery(query: string): Query {
  const tokens = tokensOf(query);
  let at = 0;
  const peek = () => tokens[at];
  const isWord = (word: string) =>
    peek()?.kind === "word" && !peek()?.isQuoted && peek()?.text.toLowerCase() === word;
  const isSign = (sign: string) => peek()?.kind === "sign" && peek()?.text === sign;
  const took = (isThere: boolean) => {
    if (isThere) at += 1;
    return isThere;
  };
  const word = (text: string) => took(isWord(text));
  const sign = (text: string) => took(isSign(text));
  const here = () => {
    const next = peek();
    return next ? `at "${next.text.slice(0, 40)}"` : "at its end";
  };
  const need = (isThere: boolean) => {
    if (!isThere) throw wrong(here());
  };
  const name = () => {
    const next = peek();
    if (next?.kind !== "word") throw wrong(here());
    at += 1;
    // A table's name before that of the column says nothing new.
    return next.isQuoted ? next.text : (next.text.split(".").at(-1) ?? "").toLowerCase();
  };
  const cell = (): Cell => {
    const next = peek();
    if (next?.kind === "text") return [next.text, (at += 1)][0] as string;
    if (next?.kind === "number") return [Number(next.text), (at += 1)][0] as number;
    for (const [text, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const)
      if (word(text)) return value;
    throw wrong(here());
  };
  const list = <Item>(item: () => Item): Item[] => {
    const items = [item()];
    while (sign(",")) items.push(item());
    return items;
  };

  const column = (): Query["columns"][number] => {
    let found: Query["columns"][number];
    if (isWord("count") && tokens[at + 1]?.text === "(") {
      at += 2;
      need(sign("*") && sign(")"));
      found = { column: "", as: "count(*)", isCount: true };
    } else {
      const called = name();
      found = { column: called, as: called };
    }
    return word("as") ? { ...found, as: name() } : found;
  };

  const comparison = (depth: number): Condition => {
    if (depth > deepest) throw wrong("because it nests too deeply");
    if (word("not")) return { kind: "not", part: comparison(depth + 1) };
    if (sign("(")) {
      const inner = either(depth + 1);
      need(sign(")"));
      return inner;
    }
    const called = name();
    if (word("is")) {
      const isNot = word("not");
      return { kind: "compare", column: called, operator: isNot ? "is not" : "is", value: cell() };
    }
    const isNot = word("not");
    const found = ((): Condition => {
      if (word("like")) return { kind: "like", column: called, pattern: String(cell()) };
      if (word("in")) {
        need(sign("("));
        const values = list(cell);
        need(sign(")"));
        return { kind: "in", column: called, values };
      }
      const operator = ["<=", ">=", "<>", "!=", "=", "<", ">"].find((one) => sign(one));
      if (isNot || operator === undefined) throw wrong(here());
      return { kind: "compare", column: called, operator, value: cell() };
    })();
    return isNot ? { kind: "not", part: found } : found;
  };
  const both = (depth: number): Condition => {
    const parts = [comparison(depth)];
    while (word("and")) parts.push(comparison(depth));
    return parts.length === 1 ? (parts[0] as Condition) : { kind: "and", parts };
  };
  const either = (depth: number): Condition => {
    const parts = [both(depth)];
    while (word("or")) parts.push(both(depth));
    return parts.length === 1 ? (parts[0] as Condition) : { kind: "or", parts };
  };

  need(word("select"));
  const columns = sign("*") ? [] : list(column);
  need(word("from"));
  const table = name();
  const args: string[] = [];
  if (sign("(")) {
    args.push(...list(() => String(cell())));
    need(sign(")"));
  }
  const where = word("where") ? either(0) : undefined;
  const orderBy: Query["orderBy"] = [];
  if (word("order")) {
    need(word("by"));
    orderBy.push(
      ...list(() => {
        const called = name();
        const isDescending = word("desc");
        if (!isDescending) word("asc");
        return { column: called, isDescending };
      }),
    );
  }
  let limit: number | undefined;
  if (word("limit")) {
    limit = Number(cell());
    if (!Number.isInteger(limit)) throw wrong("at its limit");
  }
  sign(";");
  if (at < tokens.length) throw wrong(here());
  const counts = columns.filter(({ isCount }) => isCount).length;
  if (counts > 0 && columns.length > 1) throw wrong("because count(*) stands beside columns");
  return {
    table,
    args,
    columns,
    orderBy,
    ...(where && { where }),
    ...(limit !== undefined && { limit }),
  };
}
