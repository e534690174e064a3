import { readForm } from "../body.ts";
import { ApiError, badBody } from "../errors.ts";
import type { Pair } from "../parse/query-string.ts";
import type { Query } from "../parse/query.ts";
import type { ApiFunction, Argument, Overload } from "../schema/schema.ts";
import type { CallPlan, PlannedArgument } from "./plan.ts";
import { type PlanScope, planRead } from "./plan-read.ts";

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
  const named = new Map<string, string[]>();
  for (const [name, value] of pairs) named.set(name, [...(named.get(name) ?? []), value]);
  return { method: "GET", named, isText: true };
}

/** Reads the body of a call: an object of arguments, a form, or one value for the one argument without a name. */
export function inputOfBody(type: string, body: Buffer | string): CallInput {
  const whole = { type, body };
  const text = body.toString();
  if (type === "application/x-www-form-urlencoded") {
    const named = new Map(Object.entries(readForm(text)).map(([key, value]) => [key, [value]]));
    return { method: "POST", named, isText: true, whole };
  }
  if (type !== "application/json")
    return { method: "POST", named: new Map(), isText: false, whole };
  if (text.trim() === "") return { method: "POST", named: new Map(), isText: false, whole };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badBody("Empty or invalid json");
  }
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
  const overload = chooseOverload(called, input, scope.schema.name);
  const table = overload.table === undefined ? undefined : scope.schema.tables.get(overload.table);
  return {
    name: called.name,
    overload,
    args: planArguments(overload, input),
    paging: query.paging.find(({ path }) => path.length === 0)?.value ?? {},
    read:
      overload.columns &&
      planRead(
        scope,
        { name: table?.name ?? called.name, columns: overload.columns, table },
        query,
      ),
  };
}

function planArguments({ args }: Overload, { named, isText, whole }: CallInput): PlannedArgument[] {
  const [first] = args;
  if (first && args.length === 1 && first.name === "" && whole) {
    const value = first.base === "bytea" ? Buffer.from(whole.body) : whole.body.toString();
    return [{ name: "", type: first.type, variadic: false, value }];
  }
  return args
    .filter(({ name }) => named.has(name))
    .map((arg) => ({
      name: arg.name,
      type: arg.type,
      variadic: arg.variadic,
      value: isText
        ? givenText(named.get(arg.name), arg)
        : argumentText(named.get(arg.name), arg.type, arg.isJson),
    }));
}

/** Of a name that comes again the last counts, unless the argument takes many. */
function givenText(value: unknown, { variadic, isJson }: Argument): string | null {
  const texts = Array.isArray(value) ? value : [value];
  const last: unknown = texts.at(-1);
  if (variadic) {
    const isArray = texts.length === 1 && typeof last === "string" && last.startsWith("{");
    return isArray ? last : arrayText(texts);
  }
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

function chooseOverload(called: ApiFunction, input: CallInput, schema: string): Overload {
  const names = [...input.named.keys()];
  const wanted = wholeTypes[input.whole?.type ?? ""] ?? [];
  const isWhole = ({ args: [first, ...others] }: Overload) =>
    first !== undefined && others.length === 0 && first.name === "" && wanted.includes(first.base);
  const fitsNames = ({ args }: Overload) =>
    names.every((name) => args.some((arg) => arg.name === name)) &&
    args.every(
      (arg) => arg.optional || arg.variadic || (arg.name !== "" && input.named.has(arg.name)),
    );
  const byType = input.whole && input.whole.type !== "application/json" && !input.isText;
  const named = byType ? [] : called.overloads.filter(fitsNames);
  const fitting = named.length > 0 ? named : called.overloads.filter(isWhole);
  const [first] = fitting;
  if (!first) throw noSuchFunction(schema, called.name, input);
  if (fitting.length > 1) throw ambiguousCall(schema, called.name, fitting);
  return first;
}

/** No function of that name takes what was given. */
export function noSuchFunction(schema: string, name: string, input: CallInput): ApiError {
  const shown = `${schema}.${name}`;
  const names = [...input.named.keys()];
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
    },
  );
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

function argumentText(value: unknown, type: string, isJson: boolean): string | null {
  if (value === undefined) return null;
  if (isJson) return JSON.stringify(value);
  if (value === null) return null;
  if (typeof value === "string") return value;
  if (Array.isArray(value) && type.endsWith("[]")) return arrayText(value);
  return JSON.stringify(value);
}

/** A list as PostgreSQL writes arrays. */
export function arrayText(values: readonly unknown[]): string {
  const items = values.map((value) => {
    if (value === null || value === undefined) return "null";
    if (Array.isArray(value)) return arrayText(value);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${items.join(",")}}`;
}
