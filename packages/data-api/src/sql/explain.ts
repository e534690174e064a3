import type { ResultRow, Statement } from "../connection.ts";
import { contentTypeOf, type PlanRequest, type Shape } from "../parse/accept.ts";
import type { DataApiResponse } from "../respond.ts";

/** Asks how PostgreSQL would make, or made, a statement's answer. */
export function explainSql(
  { text, values }: Statement,
  { format, options, costs }: Omit<PlanRequest, "of">,
): Statement {
  const words = [`format ${format}`, ...options, ...(costs ? [] : ["costs off"])];
  return { text: `explain (${words.join(", ")}) ${text}`, values };
}

const column = "QUERY PLAN";

/** How many rows the planner expects of a statement that was explained as JSON. */
export function readPlannedRows([row]: readonly ResultRow[]): number {
  const value: unknown = row?.[column];
  const [top] = (typeof value === "string" ? JSON.parse(value) : value) as {
    Plan: { "Plan Rows": number };
  }[];
  return top?.Plan["Plan Rows"] ?? 0;
}

/** The answer that shows a plan. */
export function readExplained(rows: readonly ResultRow[], shape: Shape): DataApiResponse {
  const lines = rows.map((row) => row[column]);
  const body =
    shape.plan?.format === "json"
      ? JSON.stringify(typeof lines[0] === "string" ? JSON.parse(lines[0]) : lines[0])
      : lines.map(String).join("\n");
  return { status: 200, headers: { "content-type": contentTypeOf(shape) }, body };
}
