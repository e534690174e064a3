import {
  type AskedRead,
  countOf,
  type Engine,
  isCostlyRead,
  parseRead,
  readAnswer,
  readOptions,
  refuseHiddenPlan,
  requireRead,
  settingsOf,
} from "./answer-read.ts";
import { endsInRollback, refuseTooMany } from "./answer-write.ts";
import { mediaTypeOf } from "./body.ts";
import type { Queryable, ResultRow } from "./connection.ts";
import { ApiError, forbidden } from "./errors.ts";
import type { CallPlan } from "./plan/plan.ts";
import { refuseFanOut } from "./plan/refuse-fan-out.ts";
import { inputOfBody, inputOfQuery, noSuchFunction, planCall } from "./plan/plan-call.ts";
import type { Preferences } from "./parse/preferences.ts";
import type { DataApiRequest } from "./request.ts";
import { type Answer, type DataApiResponse, respondToRead, toAnswer } from "./respond.ts";
import { madeOfCall } from "./schema/media.ts";
import type { ApiFunction } from "./schema/schema.ts";
import { callCountSql, callSql } from "./sql/call.ts";
import { explainSql, readExplained } from "./sql/explain.ts";

class Undone extends Error {
  readonly rows: ResultRow[];

  constructor(rows: ResultRow[]) {
    super("The transaction ends in a rollback, as it was asked to.");
    this.rows = rows;
  }
}

/** Answers GET, HEAD and POST on a function. What only reads runs as a read. */
export async function answerCall<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  called: ApiFunction | undefined,
  name: string,
): Promise<DataApiResponse> {
  const { scope, rules } = engine;
  const { method } = request;
  if (method !== "GET" && method !== "HEAD" && method !== "POST")
    throw new ApiError(405, "PGRST101", `Cannot use the ${method} method on RPC`);
  if (called) requireRead(request.can, called.declaration.resource);
  const asked = parseRead(request, rules, method !== "POST", (isAll) =>
    called ? madeOfCall(scope.schema, called, isAll) : undefined,
  );
  const input =
    method === "POST"
      ? inputOfBody(mediaTypeOf(request), request.body ?? "")
      : inputOfQuery(asked.query.args);
  request.mark?.("parse");
  if (!called) throw noSuchFunction(scope.schema, name, input);
  const plan = planCall(scope, called, input, asked.query);
  plan.paging = asked.paging;
  if (plan.read && rules.limitsCosts) refuseFanOut(plan.read);
  if (asked.shape.plan) refuseHiddenPlan(rules, false);
  request.mark?.("plan");
  const isRead = method !== "POST" || !plan.overload.volatile;
  const response = isRead
    ? await answerReading(engine, asked, plan)
    : await answerChanging(request, engine, asked, plan, called.declaration.resource);
  request.mark?.("transaction");
  return response;
}

async function answerReading<Context>(
  engine: Engine<Context>,
  asked: AskedRead,
  plan: CallPlan,
): Promise<DataApiResponse> {
  const count = countOf(engine, asked, false);
  const statement = callSql(plan, readOptions(engine, asked, count));
  if (asked.shape.plan) {
    const explained = explainSql(statement, asked.shape.plan);
    return readExplained(
      await engine.read(explained, settingsOf(engine, asked.preferences, true)),
      asked.shape,
    );
  }
  const isCostly = isCostlyRead(asked.query, plan.read, count);
  const answer = await readAnswer(
    engine,
    { ...asked, count, isCostly, plan: plan.read },
    statement,
    () => callCountSql(plan, engine.scope.schema.name),
  );
  return respondToCall(answer, plan, asked);
}

async function answerChanging<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  asked: AskedRead,
  plan: CallPlan,
  resource: string,
): Promise<DataApiResponse> {
  const { limits, rules } = engine;
  const { preferences, shape } = asked;
  if (!engine.write || !request.can(resource, "write")) throw forbidden("write", resource);
  refuseUncounted(plan, preferences);
  const statement = callSql(plan, readOptions(engine, asked, preferences.count));
  const run = async (client: Queryable): Promise<ResultRow[]> => {
    const { text, values } = shape.plan ? explainSql(statement, shape.plan) : statement;
    const { rows } = await client.query(text, values);
    if (!shape.plan) refuseTooMany(preferences, Number(rows[0]?.["rows"]));
    if (endsInRollback(rules, preferences)) throw new Undone(rows);
    return rows;
  };
  const isCostly = isCostlyRead(asked.query, plan.read, preferences.count);
  const settings = settingsOf(engine, preferences, isCostly);
  const rows = await engine.write(run, settings).catch((error: unknown) => {
    if (error instanceof Undone) return error.rows;
    throw error;
  });
  if (shape.plan) return readExplained(rows, shape);
  return respondToCall(toAnswer(rows[0] ?? {}, limits.maxBytes, plan.read), plan, asked);
}

/** Rows are counted where rows come out. */
function refuseUncounted({ overload }: CallPlan, { handling, maxAffected }: Preferences): void {
  if (handling !== "strict" || maxAffected === undefined || overload.returnsSet) return;
  throw new ApiError(
    400,
    "PGRST128",
    "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
  );
}

function respondToCall(answer: Answer, plan: CallPlan, asked: AskedRead): DataApiResponse {
  const { returnsSet, returnsVoid } = plan.overload;
  // A single result is one row, whatever it is made of.
  const counted = returnsSet ? answer : { ...answer, rows: 1 };
  const response = respondToRead(counted, { ...asked, doing: "call" });
  if (!returnsVoid) return response;
  const { "content-type": _none, etag: _tag, ...headers } = response.headers;
  return { status: 204, headers, body: undefined };
}
