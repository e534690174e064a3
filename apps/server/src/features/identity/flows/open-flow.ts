import { randomUUID } from "node:crypto";
import type { FastifyReply } from "fastify";
import { csrfHash, csrfSecret, csrfToken, readSecret } from "./csrf.ts";
import { type Exchange, wantsPage } from "./exchange.ts";
import { type FlowKind, flowKinds } from "./flow-kinds.ts";
import { type Flow, type FlowState, type FlowType, insertFlow } from "./flow.ts";
import { isElsewhere, type KindRules, type Opening } from "./kind-rules.ts";
import type { Method, MethodPart, MethodParts, Step } from "./method.ts";
import { methods } from "./methods.ts";
import { baseUrl, isSecure } from "../sessions/request-origin.ts";
import { tooManyFlows } from "./self-service-error.ts";
import type { Credential, Session } from "../sessions/sessions.ts";
import { input, nameOf, type UiNode } from "./ui-nodes.ts";

/** Starts a flow: for a browser the flow itself for a program, the page for a person; for a program without cookies the flow. */
export async function startFlow<Kind extends FlowKind>(
  exchange: Exchange,
  rules: KindRules<Kind>,
  type: FlowType,
): Promise<object | FastifyReply> {
  const isPage = type === "browser" && wantsPage(exchange);
  const opening = await rules.open(exchange, type);
  if (isElsewhere(opening)) {
    if (isPage) return exchange.reply.redirect(opening.leaveTo, 303);
    throw opening.error;
  }
  const step = await openFlow(exchange, rules, opening);
  if (isPage) return exchange.reply.redirect(pageOf(step.flow), 303);
  return await bodyOf(rules, step);
}

/** Where the console shows a flow. */
export const pageOf = (flow: Pick<Flow, "kind" | "id">): string =>
  `${flowKinds[flow.kind].page}?flow=${flow.id}`;

/** Writes a new flow and gives its browser the cookie it is bound to. */
export async function openFlow<Kind extends FlowKind>(
  exchange: Exchange,
  rules: KindRules<Kind>,
  opening: Opening,
): Promise<Step> {
  const { ctx, config, request, reply, limits } = exchange;
  const { type, session, returnTo, identityId, state: given, messages = [] } = opening;
  const wait = limits.takeFlow(request.ip);
  if (wait > 0) throw tooManyFlows(wait);
  const state: FlowState = {
    request_url: `${baseUrl(request, config)}${withoutToken(request.url)}`.slice(0, 4096),
    phase: "choose_method",
    messages: [],
    field_messages: {},
    values: {},
    kept: {},
    ...given,
  };
  state.messages = [...messages, ...(rules.greeting?.(state, exchange) ?? [])];
  const secret =
    type === "browser" ? csrfSecret(request, reply, isSecure(request, config)) : undefined;
  const now = ctx.clock.now();
  const flow: Flow = {
    id: randomUUID(),
    kind: rules.kind,
    type,
    state,
    csrf_hash: secret ? csrfHash(secret) : null,
    return_to: returnTo ?? null,
    identity_id: identityId ?? null,
    issued_at: now,
    updated_at: now,
    expires_at: new Date(now.getTime() + config.identityFlowLifespan),
  };
  const step: Step = { exchange, flow, ...(session ? { session } : {}), secret };
  for (const { part } of offered(rules, step)) {
    if (part.begin) state.kept = { ...state.kept, ...(await part.begin(step)) };
  }
  await insertFlow(ctx.db, flow);
  return step;
}

/** The secret of a link is kept nowhere. */
const withoutToken = (url: string): string =>
  /[?&]token=/.test(url) ? url.split("?", 1)[0]! : url;

/** The parts of methods that a flow offers as it is now. */
export function offered<Kind extends FlowKind>(
  rules: KindRules<Kind>,
  step: Step,
): { method: Method; part: MethodPart<Kind> }[] {
  return methods.flatMap((method) => {
    const part = (method as MethodParts)[rules.kind];
    const isOffered =
      part && (rules.offers?.(step, method, part) ?? true) && (part.isOffered?.(step) ?? true);
    return isOffered ? [{ method, part }] : [];
  });
}

/** A flow as clients see it. */
export async function bodyOf<Kind extends FlowKind>(
  rules: KindRules<Kind>,
  step: Step,
): Promise<object> {
  const { exchange, flow } = step;
  const { state } = flow;
  const { path } = flowKinds[flow.kind];
  return {
    id: flow.id,
    type: flow.type,
    expires_at: flow.expires_at,
    issued_at: flow.issued_at,
    created_at: flow.issued_at,
    updated_at: flow.updated_at,
    request_url: state.request_url,
    ...(flow.return_to ? { return_to: flow.return_to } : {}),
    ...(state.active ? { active: state.active } : {}),
    state: state.phase,
    ...rules.body?.(step),
    ...(state.continue_with ? { continue_with: state.continue_with } : {}),
    ui: {
      action: `${baseUrl(exchange.request, exchange.config)}${path}?flow=${flow.id}`,
      method: "POST",
      ...rules.target?.(step),
      nodes: await nodesOf(rules, step),
      ...(state.messages.length > 0 ? { messages: state.messages } : {}),
    },
  };
}

async function nodesOf<Kind extends FlowKind>(
  rules: KindRules<Kind>,
  step: Step,
): Promise<UiNode[]> {
  const { flow } = step;
  const secret = flow.type === "browser" ? (step.secret ?? readSecret(step.exchange.request)) : "";
  const csrf = input("default", {
    name: "csrf_token",
    type: "hidden",
    value: secret ? csrfToken(secret, flow.id) : "",
    required: true,
  });
  const contributed = await Promise.all(
    offered(rules, step).map(async ({ part }) => part.nodes(step)),
  );
  const nodes = [csrf, ...(rules.nodes?.(step) ?? []), ...contributed.flat()];
  const seen = new Set<string>();
  return nodes
    .filter((node) => {
      if (node.group !== "default") return true;
      const isFirst = !seen.has(nameOf(node));
      seen.add(nameOf(node));
      return isFirst;
    })
    .map((node) => ({ ...node, messages: flow.state.field_messages[nameOf(node)] ?? [] }));
}

/** The session as a flow may use it: that of its own person, when it is about somebody. */
export const ownSession = (
  flow: Flow,
  session: (Session & Credential) | undefined,
): (Session & Credential) | undefined =>
  session && flow.identity_id === session.identity_id ? session : undefined;
