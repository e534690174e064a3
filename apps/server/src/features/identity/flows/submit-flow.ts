import type { FastifyReply } from "fastify";
import { change } from "./change-flow.ts";
import { isCsrfToken, isFlowOwner } from "./csrf.ts";
import { type Exchange, readFields, wantsPage } from "./exchange.ts";
import { type FlowKind, flowKinds } from "./flow-kinds.ts";
import { findFlow, type Flow } from "./flow.ts";
import type { Elsewhere, KindRules } from "./kind-rules.ts";
import { messages } from "./messages.ts";
import {
  type DoneBy,
  type Fields,
  type FlowChange,
  type Method,
  type Outcome,
  Refused,
  type Step,
} from "./method.ts";
import { bodyOf, offered, openFlow, pageOf } from "./open-flow.ts";
import { baseUrl, isSameSite } from "../sessions/request-origin.ts";
import {
  csrfViolation,
  locationChangeRequired,
  malformed,
  notLocated,
  SelfServiceError,
} from "./self-service-error.ts";

/** Takes what was filled into a flow: it completes, goes on, or is shown again with what is wrong. */
export async function submitFlow<Kind extends FlowKind>(
  exchange: Exchange,
  rules: KindRules<Kind>,
): Promise<object | FastifyReply> {
  const { ctx, query } = exchange;
  const { name } = flowKinds[rules.kind];
  const flow = await findFlow(ctx.db, rules.kind, query.flow);
  if (!flow) throw notLocated(name);
  const fields = readFields(exchange);
  assertOwnRequest(exchange, flow, fields);
  const session = await rules.admit(exchange, flow);
  const step: Step = { exchange, flow, ...(session ? { session } : {}) };
  const pointless = rules.check?.(step);
  if (pointless) return leave(exchange, pointless);
  if (flow.expires_at <= ctx.clock.now()) return await replaceExpired(rules, step);
  if (!fields) return await showAgain(rules, step, { messages: [messages.unreadable] }, 400);
  return await takeFields(rules, step, fields);
}

/** Hands what was filled in to the method it is for. */
export async function takeFields<Kind extends FlowKind>(
  rules: KindRules<Kind>,
  step: Step,
  fields: Fields,
): Promise<object | FastifyReply> {
  const chosen = offered(rules, step).find(({ method, part }) =>
    part.claims ? part.claims(fields) : fields.method === method.name,
  );
  if (!chosen) {
    const { noMethod } = flowKinds[rules.kind];
    return await showAgain(rules, step, { messages: [noMethod] }, 400);
  }
  const { method, part } = chosen;
  const refused = await rules.checkPart?.(step, part, fields);
  if (refused) return leave(step.exchange, refused);
  return await settle(rules, step, method, await part.submit(step, fields));
}

/** What becomes of a flow after a method has done its part. */
export async function settle<Kind extends FlowKind>(
  rules: KindRules<Kind>,
  step: Step,
  method: Method,
  outcome: Outcome<DoneBy[Kind]>,
): Promise<object | FastifyReply> {
  const { exchange, flow } = step;
  const { goesOnWith } = flowKinds[rules.kind];
  if ("refusal" in outcome) return await showAgain(rules, step, outcome.refusal, 400, method);
  if ("goOn" in outcome) return await showAgain(rules, step, outcome.goOn, goesOnWith, method);
  if ("leave" in outcome) {
    if (outcome.change) await change(step, outcome.change, method);
    if (wantsPage(exchange)) return exchange.reply.redirect(outcome.leave, 303);
    throw locationChangeRequired(outcome.leave);
  }

  const completion = await rules.complete(step, method, outcome.done).catch(unlessRefused);
  if ("gone" in completion)
    return await replaceExpired(rules, {
      ...step,
      flow: { ...flow, expires_at: exchange.ctx.clock.now() },
    });
  if ("goOn" in completion)
    return await showAgain(rules, step, completion.goOn, goesOnWith, method);
  if ("refusal" in completion) return await showAgain(rules, step, completion.refusal, 400, method);
  if ("reply" in completion) return completion.reply as object;
  if (wantsPage(exchange)) return exchange.reply.redirect(completion.page, 303);
  return completion.body as object;
}

function unlessRefused(error: unknown): { refusal: FlowChange } {
  if (error instanceof Refused) return { refusal: error.change };
  throw error;
}

export function leave(exchange: Exchange, { leaveTo, error }: Elsewhere): FastifyReply {
  if (wantsPage(exchange)) return exchange.reply.redirect(leaveTo, 303);
  throw error;
}

/** Browser flows need their cookie, their token and a page of ours; API flows must not come from a browser at all. */
function assertOwnRequest(
  { request, config }: Exchange,
  flow: Flow,
  fields: Fields | undefined,
): void {
  if (flow.type === "api") {
    const { cookie, origin } = request.headers;
    if (cookie === undefined && origin === undefined) return;
    throw malformed(
      "The flow was started for a program, but a browser sent this (it has a Cookie or Origin header).",
    );
  }
  if (!isSameSite(request, config))
    throw csrfViolation(
      "The request came from another site. If the console is open at its own address, set PUBLIC_URL to it.",
    );
  // What cannot be read holds no token, and changes nothing; the form is shown to nobody but its own browser.
  const isTheirs =
    isFlowOwner(request, flow.csrf_hash) &&
    (fields === undefined || isCsrfToken(request, flow.id, fields.csrf_token));
  if (!isTheirs) {
    throw csrfViolation(
      "The form's csrf_token does not belong to this browser and flow. Start again, with cookies allowed.",
    );
  }
}

export async function replaceExpired<Kind extends FlowKind>(
  rules: KindRules<Kind>,
  { exchange, flow, session }: Step,
): Promise<FastifyReply> {
  const { ctx, config, request, reply } = exchange;
  const { expired, name } = flowKinds[flow.kind];
  const { refresh, requested_aal: aal, after_verification_return_to: afterwards } = flow.state;
  const fresh = await openFlow(exchange, rules, {
    type: flow.type,
    ...(session ? { session } : {}),
    ...(flow.return_to ? { returnTo: flow.return_to } : {}),
    ...(flow.identity_id ? { identityId: flow.identity_id } : {}),
    state: {
      ...(refresh === undefined ? {} : { refresh }),
      ...(aal ? { requested_aal: aal } : {}),
      ...(afterwards ? { after_verification_return_to: afterwards } : {}),
      ...(refresh ? { values: flow.state.values } : {}),
      ...(flow.kind === "settings" ? { phase: "show_form" as const } : {}),
    },
    messages: [expired(flow.expires_at)],
  });
  if (wantsPage(exchange)) return reply.redirect(pageOf(fresh.flow), 303);
  const { path, leadsOn } = flowKinds[flow.kind];
  if (leadsOn)
    return reply.redirect(`${baseUrl(request, config)}${path}/flows?id=${fresh.flow.id}`, 303);
  throw new SelfServiceError({
    status: 410,
    id: "self_service_flow_expired",
    message: "The flow has expired",
    reason: `The ${name} has expired or was completed. Go on with the flow in use_flow_id.`,
    ...(flow.type === "browser"
      ? { details: { redirect_to: `${baseUrl(request, config)}${path}/browser` } }
      : {}),
    extras: {
      use_flow_id: fresh.flow.id,
      expired_at: flow.expires_at,
      since: (ctx.clock.now().getTime() - flow.expires_at.getTime()) * 1e6,
    },
  });
}

async function showAgain<Kind extends FlowKind>(
  rules: KindRules<Kind>,
  step: Step,
  changes: FlowChange,
  status: 200 | 400,
  method?: Method,
): Promise<FastifyReply> {
  const { reply } = step.exchange;
  const flow = await change(step, changes, method);
  if (changes.retryAfter) reply.header("retry-after", String(changes.retryAfter));
  if (wantsPage(step.exchange)) return reply.redirect(pageOf(flow), 303);
  return reply.status(status).send(await bodyOf(rules, { ...step, flow }));
}
