import {
  asksWhole,
  countOf,
  endsInRollback,
  type Engine,
  explainRead,
  isCostlyRead,
  parseParameters,
  parseRead,
  type PlannedRead,
  readOptions,
  refuseHiddenPlan,
  refuseTooMany,
  requireRead,
  runInTransaction,
  runRead,
  settingsOf,
} from "./answering.ts";
import { mediaTypeOf } from "./body.ts";
import type { ResultRow } from "./connection.ts";
import { ApiError, forbidden } from "./errors.ts";
import type { Preferences } from "./parse/preferences.ts";
import { type Pair, parseQueryString } from "./parse/query-string.ts";
import { inputOfBody, inputOfQuery, noSuchFunction, planCall } from "./plan/plan-call.ts";
import { refuseFanOut } from "./plan/refuse-fan-out.ts";
import type { DataApiRequest } from "./request.ts";
import { type Answer, type DataApiResponse, respondToRead, toAnswer } from "./respond.ts";
import { madeOfCall } from "./schema/media.ts";
import type { ApiFunction, Overload } from "./schema/schema.ts";
import { callCountSql, callSql } from "./sql/call.ts";
import { explainSql, readExplained } from "./sql/explain.ts";

/** A call whose function and arguments are known. */
interface PlannedCall extends PlannedRead {
  overload: Overload;
}

/** Answers GET, HEAD and POST on a function. What only reads runs as a read. */
export async function answerCall<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  called: ApiFunction | undefined,
  name: string,
): Promise<DataApiResponse> {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD" && method !== "POST")
    throw new ApiError(405, "PGRST101", `Cannot use the ${method} method on RPC`);
  const pairs = parseQueryString(request.query);
  const target = { name: `rpc/${name}`, pairs, takesArguments: true };
  const planned =
    method === "POST"
      ? planFunction(request, engine, called, name, pairs)
      : engine.recall.read(request, engine.scope, target, (asked) =>
          planFunction(asked.request, { ...engine, scope: asked.scope }, called, name, asked.pairs),
        );
  request.mark?.("plan");
  const isRead = method !== "POST" || !planned.overload.volatile;
  const response = isRead
    ? await answerReading(request, engine, planned)
    : await answerChanging(request, engine, planned, called?.declaration.resource ?? "");
  request.mark?.("transaction");
  return response;
}

function planFunction<Context>(
  request: DataApiRequest<Context>,
  engine: Pick<Engine<Context>, "scope" | "rules" | "limits">,
  called: ApiFunction | undefined,
  name: string,
  pairs: readonly Pair[],
): PlannedCall {
  const { scope, rules } = engine;
  const isPost = request.method === "POST";
  if (called) requireRead(scope, called.declaration.resource);
  const query = parseParameters(pairs, rules, !isPost);
  const own = called && madeOfCall(scope.schema, called, asksWhole(query));
  const { shape, preferences, paging } = parseRead(request, rules, query, own);
  const input = isPost
    ? inputOfBody(mediaTypeOf(request), request.body ?? "")
    : inputOfQuery(query.args);
  request.mark?.("parse");
  if (!called) throw noSuchFunction(scope.schema, name, input);
  const plan = planCall(scope, called, input, query);
  plan.paging = paging;
  if (plan.read && rules.limitsCosts) refuseFanOut(plan.read);
  refuseHiddenPlan(rules, shape, false);
  const { overload } = plan;
  const isRead = !isPost || !overload.volatile;
  // What changes something is not run again to guess how many rows it makes.
  const count = isRead ? countOf(rules, preferences, false) : preferences.count;
  return {
    overload,
    preferences,
    shape,
    offset: paging.offset ?? 0,
    count,
    isCostly: isCostlyRead(query, plan.read, count),
    plan: plan.read,
    statement: callSql(plan, readOptions(engine, shape, count)),
    matching: () => callCountSql(plan, scope.schema.name),
  };
}

async function answerReading<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  planned: PlannedCall,
): Promise<DataApiResponse> {
  const { shape } = planned;
  return shape.plan
    ? readExplained(await explainRead(engine, planned, shape.plan), shape)
    : respondToCall(request, await runRead(engine, planned), planned);
}

async function answerChanging<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  planned: PlannedCall,
  resource: string,
): Promise<DataApiResponse> {
  const { limits, rules, scope } = engine;
  const { preferences, shape, statement, isCostly, overload } = planned;
  if (!engine.write || !scope.can(resource, "write")) throw forbidden("write", resource);
  refuseUncounted(overload, preferences);
  const rows = await runInTransaction(
    engine.write,
    settingsOf(engine, preferences, isCostly),
    async (client): Promise<ResultRow[]> => {
      const { text, values } = shape.plan ? explainSql(statement, shape.plan) : statement;
      const { rows: made } = await client.query(text, [...values]);
      if (!shape.plan) refuseTooMany(preferences, Number(made[0]?.["rows"]));
      return made;
    },
    () => endsInRollback(rules, preferences),
  );
  if (shape.plan) return readExplained(rows, shape);
  const answer = toAnswer(rows[0] ?? {}, limits.maxBytes, planned.plan);
  return respondToCall(request, answer, planned);
}

/** Rows are counted where rows come out. */
function refuseUncounted({ returnsSet }: Overload, { handling, maxAffected }: Preferences): void {
  if (handling !== "strict" || maxAffected === undefined || returnsSet) return;
  throw new ApiError(
    400,
    "PGRST128",
    "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
  );
}

function respondToCall<Context>(
  { method }: DataApiRequest<Context>,
  answer: Answer,
  { overload, shape, preferences, offset }: PlannedCall,
): DataApiResponse {
  const { returnsSet, returnsVoid } = overload;
  // A single result is one row, whatever it is made of.
  const counted = returnsSet ? answer : { ...answer, rows: 1 };
  const withBody = method !== "HEAD";
  const response = respondToRead(counted, { doing: "call", shape, preferences, offset, withBody });
  if (!returnsVoid) return response;
  const { "content-type": _none, etag: _tag, ...headers } = response.headers;
  return { status: 204, headers, body: undefined };
}
