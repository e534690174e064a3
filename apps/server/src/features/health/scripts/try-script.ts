import type { ScriptTrial, ScriptTrialReply } from "@mainstay/contract";
import { type Mapping, ScriptError, type Value, valueAsJson } from "@mainstay/scripting";
import sql from "sql-template-tag";
import { catalogEvaluator } from "#features/catalog/index.ts";
import type { Ctx } from "#platform/context.ts";
import { notFound, tooMany } from "#platform/errors.ts";
import { scriptDuration } from "../check-types/check-type.ts";
import { contextOf } from "./context.ts";
import { LAST_RESULT } from "./evaluate.ts";

/** Scripts that people of one server try at the same time. */
const MOST_TRIALS = 8;
let running = 0;

/** Evaluates one script on the last result of a check, or on what is given, and stores nothing. */
export async function tryScript(ctx: Ctx, trial: ScriptTrial): Promise<ScriptTrialReply> {
  ctx.require("canaries", "write");
  if (running >= MOST_TRIALS)
    throw tooMany("Several scripts are being tried already. Try again in a moment.");
  running += 1;
  try {
    const stored = trial.check === undefined ? undefined : await readStored(ctx, trial.check);
    const { value, text } = await ctx.service(catalogEvaluator).evaluate({
      language: trial.language,
      script: trial.script,
      context: { ...stored?.context, ...(trial.context as Mapping | undefined) },
      answers: { [LAST_RESULT]: stored?.lastResult ?? {} },
    });
    return { value: JSON.parse(valueAsJson(value)) as unknown, text };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const { message, line, column } = error;
    return { error: message, ...(line && { line }), ...(column && { column }) };
  } finally {
    running -= 1;
  }
}

interface Row {
  id: string;
  name: string;
  type: string;
  description: string | null;
  labels: Record<string, string> | null;
  endpoint: string | null;
  canary: { id: string; name: string; namespace: string; labels: Record<string, string> | null };
  time: Date | null;
  duration: number | null;
  status: boolean | null;
  invalid: boolean | null;
  message: string | null;
  error: string | null;
  details: Value;
}

async function readStored(
  ctx: Ctx,
  checkId: string,
): Promise<{ context: Mapping; lastResult: Mapping }> {
  const row = await ctx.db.first<Row>(sql`
    select c.id, c.name, c.type, c.description, c.labels, t.endpoint,
           json_build_object('id', y.id, 'name', y.name, 'namespace', y.namespace, 'labels', y.labels) as canary,
           s.time, s.duration, s.status, s.invalid, s.message, s.error, s.details
      from checks c
      join canaries y on y.id = c.canary_id
      left join check_totals t on t.check_id = c.id
      left join check_statuses s on s.check_id = c.id and s.time = c.last_runtime
     where c.id = ${checkId} and c.deleted_at is null`);
  if (!row) throw notFound("There is no such check.");
  const { id, name, type } = row;
  const subject = {
    check: {
      id,
      name,
      type,
      description: row.description ?? "",
      labels: row.labels ?? {},
      endpoint: row.endpoint ?? "",
    },
    canary: { ...row.canary, labels: row.canary.labels ?? {} },
  };
  const results = storedResults(type, row.details);
  const said = { message: row.message ?? "", error: row.error ?? "" };
  const outcome = { ...said, pass: row.status === true, durationMs: row.duration ?? 0 };
  return {
    context: contextOf(subject, { ...outcome, data: () => ({ ...results, results }) }, {}),
    lastResult: {
      ...said,
      status: row.status === true,
      invalid: row.invalid === true,
      createdAt: row.time,
      duration: row.duration ?? 0,
      results,
    },
  };
}

/** What is stored as numbers and texts is again what scripts see in a run. */
function storedResults(type: string, details: Value): Record<string, Value> {
  const found =
    typeof details === "object" && details !== null && !Array.isArray(details)
      ? (details as Record<string, Value>)
      : {};
  if (type !== "http") return found;
  const { elapsed, sslAge } = found;
  return {
    ...found,
    elapsed: scriptDuration(typeof elapsed === "number" ? elapsed : 0),
    sslAge: scriptDuration(typeof sslAge === "number" ? sslAge : 0),
  };
}
