import { isNumberText, parseVerbatim, readCsv } from "../body.ts";
import { arrayText } from "../sql/array-text.ts";
import { ApiError, noSuchColumn } from "../errors.ts";
import { type Pair, parseQueryString } from "../parse/query-string.ts";
import type { Query } from "../parse/query.ts";
import { likeness, nearest } from "../nearest.ts";
import type { ApiFunction, Argument, Overload, Schema } from "../schema/schema.ts";
import type { CallPlan, PlannedArgument } from "./plan.ts";
import { planRead } from "./plan-read.ts";
import type { PlanScope } from "./scope.ts";

/** What a call brings: values by name, and for a body also the whole of it. */
export interface CallInput {
  method: "GET" | "POST";
  /** JSON values of a body, or lists of texts where the same name may come again. */
  named: Map<string, unknown>;
  /** Texts of a query string, as opposed to JSON values. */
  isText: boolean;
  whole?: { type: string; body: Buffer | string };
}

export function inputOfQuery(pairs: readonly Pair[]): CallInput {
  return { method: "GET", named: textsOf(pairs), isText: true };
}

function textsOf(pairs: readonly Pair[]): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const [name, value] of pairs) named.set(name, [...(named.get(name) ?? []), value]);
  return named;
}

/** Reads the body of a call: an object of arguments, a form, or one value for the one argument without a name. */
export function inputOfBody(type: string, body: Buffer | string): CallInput {
  const whole = { type, body };
  const text = body.toString();
  if (type === "application/x-www-form-urlencoded") {
    return { method: "POST", named: textsOf(parseQueryString(text)), isText: true, whole };
  }
  if (type === "text/csv") {
    const [row = {}] = readCsv(text);
    const named = new Map(Object.entries(row).map(([key, value]) => [key, [value]]));
    return { method: "POST", named, isText: true, whole };
  }
  if (type !== "application/json")
    return { method: "POST", named: new Map(), isText: false, whole };
  if (text.trim() === "") return { method: "POST", named: new Map(), isText: false, whole };
  const value = parseVerbatim(text);
  // Of several objects the first is called with.
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const isObject = typeof first === "object" && first !== null && !Array.isArray(first);
  return {
    method: "POST",
    named: new Map(isObject ? Object.entries(first) : []),
    isText: false,
    whole,
  };
}

/** Plans a call: the overload whose names fit, its arguments, and what is done with the rows it returns. */
export function planCall<Context>(
  scope: PlanScope<Context>,
  called: ApiFunction,
  input: CallInput,
  query: Query,
): CallPlan {
  const { columns } = query;
  // `columns` says which keys of a body are arguments.
  const given =
    columns && input.method === "POST"
      ? { ...input, named: new Map(columns.map((key) => [key, input.named.get(key) ?? null])) }
      : input;
  const overload = chooseOverload(called, given, scope.schema);
  if (!overload.columns) refuseColumns(called.name, query);
  const table = overload.table === undefined ? undefined : scope.schema.tables.get(overload.table);
  return {
    name: called.name,
    overload,
    args: planArguments(overload, given),
    paging: query.paging.find(({ path }) => path.length === 0)?.value ?? {},
    read:
      overload.columns &&
      planRead(
        scope,
        {
          name: overload.rowsOf ?? called.name,
          columns: overload.columns,
          table,
          isCalled: true,
        },
        query,
      ),
  };
}

/** A single value has no columns to choose, filter or order by. */
function refuseColumns(name: string, { select = [], where, order }: Query): void {
  const chosen = select.find((item) => item.kind === "field");
  const [condition] = where.flatMap(({ value }) => (value.kind === "condition" ? [value] : []));
  const [term] = order.flatMap(({ value }) => value);
  const field = chosen?.field ?? condition?.field ?? term?.field;
  if (field) throw noSuchColumn(name, field.name);
}

function planArguments({ args }: Overload, { named, isText, whole }: CallInput): PlannedArgument[] {
  const [first] = args;
  if (first && args.length === 1 && first.name === "" && whole) {
    const value = first.base === "bytea" ? Buffer.from(whole.body) : whole.body.toString();
    return [{ name: "", type: first.type, variadic: false, value, isStructure: false }];
  }
  return args
    .filter(({ name }) => named.has(name))
    .map((arg) => {
      const value = named.get(arg.name);
      const { name, type, variadic } = arg;
      if (isText) return { name, type, variadic, value: givenText(value, arg), isStructure: false };
      return { name, type, variadic, ...givenJson(value, arg) };
    });
}

/** Of a name that comes again the last counts, unless the argument takes many. */
function givenText(value: unknown, { variadic, isJson }: Argument): string | null {
  const texts = Array.isArray(value) ? value : [value];
  const last: unknown = texts.at(-1);
  if (variadic) return arrayText(texts);
  if (typeof last !== "string") return null;
  // A text in an address is a text, also where JSON is wanted.
  return isJson ? JSON.stringify(last) : last;
}

/** Which types the one argument without a name may have, by the media type of the body. */
const wholeTypes: Record<string, readonly string[]> = {
  "application/json": ["json", "jsonb"],
  "text/plain": ["text"],
  "text/xml": ["xml"],
  "application/octet-stream": ["bytea"],
};

function chooseOverload(called: ApiFunction, input: CallInput, schema: Functions): Overload {
  const names = [...input.named.keys()];
  const wanted = wholeTypes[input.whole?.type ?? ""] ?? [];
  const isWhole = ({ args: [first, ...others] }: Overload) =>
    first !== undefined && others.length === 0 && first.name === "" && wanted.includes(first.base);
  const fitsNames = ({ args }: Overload) =>
    names.every((name) => args.some((arg) => arg.name === name)) &&
    args.every((arg) => arg.optional || (arg.name !== "" && input.named.has(arg.name)));
  const byType = input.whole && input.whole.type !== "application/json" && !input.isText;
  const named = byType ? [] : called.overloads.filter(fitsNames);
  const fitting = named.length > 0 ? named : called.overloads.filter(isWhole);
  const [first] = fitting;
  if (!first) throw noSuchFunction(schema, called.name, input);
  if (fitting.length > 1) throw ambiguousCall(schema.name, called.name, fitting);
  return first;
}

/** No function of that name takes what was given. */
export function noSuchFunction(schema: Functions, name: string, input: CallInput): ApiError {
  const shown = `${schema.name}.${name}`;
  const names = [...input.named.keys()].toSorted();
  const list = names.join(", ");
  const type = input.whole?.type;
  const wholes = wholeTypes[type ?? ""];
  const unnamed =
    input.method === "POST" && wholes && !input.isText
      ? `a single unnamed ${wholes.join("/")} parameter`
      : "";
  const byType = unnamed !== "" && type !== "application/json";
  const parameters =
    list === "" ? "without parameters" : `with parameter${names.length > 1 ? "s" : ""} ${list}`;
  const searched = byType
    ? `with ${unnamed}`
    : `${parameters}${unnamed === "" ? "" : ` or with ${unnamed}`}`;
  const given = byType ? "" : list === "" ? " without parameters" : `(${list})`;
  return new ApiError(
    404,
    "PGRST202",
    `Could not find the function ${shown}${given} in the schema cache`,
    {
      details: `Searched for the function ${shown} ${searched}, but no matches were found in the schema cache.`,
      hint: nearFunction(schema, name, names),
    },
  );
}

type Functions = Pick<Schema<never>, "name" | "functions">;

/** What may have been meant: other arguments of the function, or another function. */
function nearFunction(
  { name: schema, functions }: Functions,
  name: string,
  names: readonly string[],
): string | null {
  const listed = (args: readonly string[]) => (args.length === 0 ? "" : `(${args.join(", ")})`);
  const overloads = functions.get(name)?.overloads;
  const near = overloads
    ? nearest(
        listed(names),
        overloads.map(({ args }) => listed(args.map((arg) => arg.name).toSorted())),
      )
    : nearest(name, [...functions.keys()], likeness.name);
  if (near === undefined) return null;
  return `Perhaps you meant to call the function ${schema}.${overloads ? `${name}${near}` : near}`;
}

function ambiguousCall(schema: string, name: string, choices: readonly Overload[]): ApiError {
  const described = choices.map(
    ({ args }) =>
      `${schema}.${name}(${args.map((arg) => `${arg.name} => ${arg.type}`).join(", ")})`,
  );
  return new ApiError(
    300,
    "PGRST203",
    `Could not choose the best candidate function between: ${described.join(", ")}`,
    {
      hint: "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
    },
  );
}

function givenJson(
  value: unknown,
  { isJson }: Argument,
): Pick<PlannedArgument, "value" | "isStructure"> {
  if (value === undefined) return { value: null, isStructure: false };
  if (isJson) return { value: JSON.stringify(value), isStructure: false };
  if (value === null || typeof value === "string") return { value, isStructure: false };
  const isStructure = Array.isArray(value) || (typeof value === "object" && !isNumberText(value));
  return { value: JSON.stringify(value), isStructure };
}
