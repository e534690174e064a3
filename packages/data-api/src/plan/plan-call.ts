import { ApiError, badBody, methodClosed } from "../errors.ts";
import type { Query } from "../parse/query.ts";
import type { ApiFunction, Overload } from "../schema/schema.ts";
import type { CallPlan } from "./plan.ts";
import { type PlanScope, planRead } from "./plan-read.ts";

/** Arguments by name: JSON values of a body, or texts of a query string. */
export type Arguments = Map<string, unknown>;

export function argumentsOfQuery(query: Query): Arguments {
  const args: Arguments = new Map();
  for (const [name, value] of query.args) if (!args.has(name)) args.set(name, value);
  return args;
}

export function argumentsOfBody(body: string): Arguments {
  if (body.trim() === "") return new Map();
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw badBody("Empty or invalid json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badBody("The body of a call must be one object of named arguments");
  }
  return new Map(Object.entries(value));
}

/** Plans a call: the overload whose names fit, its arguments, and what is done with the rows it returns. */
export function planCall<Context>(
  scope: PlanScope<Context>,
  called: ApiFunction,
  method: "GET" | "POST",
  args: Arguments,
  query: Query,
): CallPlan {
  const overload = chooseOverload(called, args, scope.schema.name, method);
  if (method === "GET" && overload.volatile)
    throw methodClosed(method, `rpc/${called.name}`, ["POST"]);
  const table = overload.table === undefined ? undefined : scope.schema.tables.get(overload.table);
  return {
    name: called.name,
    overload,
    args: overload.args
      .filter(({ name }) => args.has(name))
      .map(({ name, type, isJson }) => ({
        name,
        type,
        value: argumentText(args.get(name), type, isJson),
      })),
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

function chooseOverload(
  called: ApiFunction,
  args: Arguments,
  schema: string,
  method: "GET" | "POST",
): Overload {
  const names = [...args.keys()];
  const fitting = called.overloads.filter(
    ({ args: known }) =>
      names.every((name) => known.some((arg) => arg.name === name)) &&
      known.every((arg) => arg.optional || args.has(arg.name)),
  );
  const [first] = fitting.toSorted((left, right) => left.args.length - right.args.length);
  if (first) return first;
  const shown = `${schema}.${called.name}`;
  const list = names.join(", ");
  const searched =
    (list === "" ? "without parameters" : `with parameter${names.length > 1 ? "s" : ""} ${list}`) +
    (method === "POST" ? " or with a single unnamed json/jsonb parameter" : "");
  throw new ApiError(
    404,
    "PGRST202",
    `Could not find the function ${shown}${list === "" ? " without parameters" : `(${list})`} in the schema cache`,
    {
      details: `Searched for the function ${shown} ${searched}, but no matches were found in the schema cache.`,
    },
  );
}

function argumentText(value: unknown, type: string, isJson: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (isJson) return JSON.stringify(value);
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
