import type { FastifyReply } from "fastify";
import sql from "sql-template-tag";
import { type Address, normalAddress } from "#platform/address.ts";
import type { Tx } from "#platform/context.ts";
import { isSameSecret } from "#platform/same-secret.ts";
import { markVerified } from "../code/codes.ts";
import { isFlowOwner } from "../flows/csrf.ts";
import type { Exchange } from "../flows/exchange.ts";
import { type FlowKind, flowKinds } from "../flows/flow-kinds.ts";
import { findFlow, type Flow } from "../flows/flow.ts";
import { isElsewhere, type KindRules } from "../flows/kind-rules.ts";
import { login } from "../flows/login.ts";
import { messages, type UiText } from "../flows/messages.ts";
import type {
  DoneBy,
  LoginDone,
  Outcome,
  RegistrationDone,
  SettingsDone,
  Step,
} from "../flows/method.ts";
import type { Claims } from "./oidc-client.ts";
import {
  findByAddress,
  findLinked,
  type LinkedIdentity,
  linkedProviders,
  linkType,
  saveLink,
} from "./oidc-links.ts";
import { oidcMessages } from "./oidc-messages.ts";
import {
  findProvider,
  keptAttempt,
  type KeptAttempt,
  oidc,
  refusalFor,
  returnAddress,
} from "./oidc-method.ts";
import type { OpenIdProvider } from "./oidc-providers.ts";
import { type Brought, RoleExpressionError } from "./oidc-roles.ts";
import { openFlow } from "../flows/open-flow.ts";
import { registration } from "../flows/registration.ts";
import { csrfViolation, notLocated, SelfServiceError } from "../flows/self-service-error.ts";
import { settings } from "../flows/settings.ts";
import { leave, replaceExpired, settle } from "../flows/submit-flow.ts";
import { isStorable, type Traits } from "../traits.ts";

/** A browser that comes back from a provider: the flow it left goes on, in the same browser, once. */
export async function returnFromProvider(
  exchange: Exchange,
  providerId: string,
): Promise<object | FastifyReply> {
  const provider = findProvider(exchange, providerId);
  if (!provider) throw notLocated("provider");
  const { kind, id } = readState(exchange.query.state);
  const flow = await findFlow(exchange.ctx.db, kind, id);
  if (!flow) throw notLocated(flowKinds[kind].name);
  if (!isFlowOwner(exchange.request, flow.csrf_hash))
    throw csrfViolation(
      "You came back to another browser than you left, or its cookies are gone. Start again, with cookies allowed.",
    );
  const attempt = await takeAttempt(exchange, flow, provider.id);
  const back: Back = { exchange, flow, provider, attempt };
  switch (kind) {
    case "login":
      return await goOn(back, login, signInWith);
    case "registration":
      return await goOn(back, registration, (step, who) => signUpWith(step.exchange, who));
    case "settings":
      return await goOn(back, settings, linkWith);
  }
}

interface Back {
  exchange: Exchange;
  flow: Flow;
  provider: OpenIdProvider;
  attempt: KeptAttempt;
}

/** Who came back: what the provider vouches for. */
interface Who {
  provider: OpenIdProvider;
  claims: Claims;
  /** Only one that can be used. */
  email?: Address;
  isVerified: boolean;
  brought: Brought;
  /** It was linked when it was looked up. */
  isLinked?: boolean;
  at: Date;
}

const kinds = ["login", "registration", "settings"] as const;

function readState(given: unknown): { kind: (typeof kinds)[number]; id: string } {
  const [, kind, id] =
    (typeof given === "string" && /^([a-z]+)\.([0-9a-f-]{36})\.[\w-]{43}$/.exec(given)) || [];
  const known = kinds.find((one) => one === kind);
  if (!known || !id) throw notLocated("sign-in attempt");
  return { kind: known, id };
}

/** What the browser left with, which is used up by this. */
async function takeAttempt(
  exchange: Exchange,
  flow: Flow,
  providerId: string,
): Promise<KeptAttempt> {
  const attempt = keptAttempt(exchange, flow);
  const isTheirs =
    attempt?.provider === providerId && isSameSecret(attempt.state, exchange.query.state as string);
  const taken =
    isTheirs &&
    (await exchange.ctx.db.run(sql`
      update identity_flows set state = state #- '{kept,oidc}'
       where id = ${flow.id} and state #>> '{kept,oidc}' = ${flow.state.kept.oidc}`)) === 1;
  if (!taken)
    throw csrfViolation(
      "You came back from an attempt that was used already, or was followed by another. Start again.",
    );
  delete flow.state.kept.oidc;
  return attempt;
}

type Elsewhere = { answer: object | FastifyReply };

async function goOn<Kind extends FlowKind>(
  { exchange, flow, provider, attempt }: Back,
  rules: KindRules<Kind>,
  work: (step: Step, who: Who) => Promise<Outcome<DoneBy[Kind]> | Elsewhere>,
): Promise<object | FastifyReply> {
  const session = await rules.admit(exchange, flow);
  const step: Step = { exchange, flow, ...(session ? { session } : {}) };
  const pointless = rules.check?.(step);
  if (pointless) return leave(exchange, pointless);
  if (flow.expires_at <= exchange.ctx.clock.now()) return await replaceExpired(rules, step);
  const refuse = (error: unknown) =>
    settle(rules, step, oidc, { refusal: { messages: [refusalFor(exchange, provider, error)] } });
  let who: Who;
  try {
    who = await identify(exchange, provider, attempt);
  } catch (error) {
    return await refuse(error);
  }
  const outcome = await work(step, who);
  return "answer" in outcome ? outcome.answer : await settle(rules, step, oidc, outcome);
}

async function identify(
  exchange: Exchange,
  provider: OpenIdProvider,
  attempt: KeptAttempt,
): Promise<Who> {
  const { request, ctx } = exchange;
  const query = request.url.slice(request.url.indexOf("?") + 1);
  const claims = await provider.client.finish(
    `${returnAddress(exchange, provider)}?${query}`,
    attempt,
  );
  const email = typeof claims.email === "string" ? normalAddress(claims.email) : undefined;
  const brought = await provider.broughtBy(claims).catch((error: unknown) => {
    if (!(error instanceof RoleExpressionError)) throw error;
    ctx.log.warn({ err: error, provider: provider.id }, "the claims bring no roles");
    return { roles: [], teams: [] };
  });
  return {
    provider,
    claims,
    ...(email ? { email } : {}),
    isVerified: claims.email_verified === true || claims.email_verified === "true",
    brought,
    at: ctx.clock.now(),
  };
}

const refusal = (...said: UiText[]) => ({ refusal: { messages: said } });

async function signInWith(step: Step, who: Who): Promise<Outcome<LoginDone> | Elsewhere> {
  const { exchange, flow } = step;
  const { db } = exchange.ctx;
  const { provider, claims, email, isVerified } = who;
  const linked = await findLinked(db, provider.id, claims.sub);
  if (flow.identity_id && linked?.id !== flow.identity_id)
    return refusal(oidcMessages.somebodyElse(provider.label));
  if (linked) return signInAs(linked, { ...who, isLinked: true });
  // An address that nobody has verified says nothing, and nothing is said about it.
  const known = email && isVerified ? await findByAddress(db, email) : undefined;
  if (!known) return await signUpInstead(step, who);
  // Whoever typed in somebody else's address waits in vain for them to sign in to this account.
  if (known.is_theirs && (known.is_new || provider.linkByEmail)) return signInAs(known, who);
  return refusal(oidcMessages.addressTaken(provider.label));
}

function signInAs({ id, state }: LinkedIdentity, who: Who): Outcome<LoginDone> {
  if (state !== "active") return refusal(messages.deactivated);
  return {
    done: {
      identityId: id,
      method: "oidc",
      provider: who.provider.id,
      commit: (tx) => take(tx, id, who),
    },
  };
}

/** The link, and the provider's word that the address is theirs; false when it was unlinked meanwhile. */
async function take(tx: Tx, identityId: string, who: Who): Promise<boolean> {
  if (!(await saveLink(tx, linkOf(identityId, who)))) return false;
  if (who.email && who.isVerified) await markVerified(tx, identityId, who.email, who.at);
  return true;
}

const linkOf = (identityId: string, { provider, claims, email, brought, isLinked }: Who) => ({
  identityId,
  provider,
  subject: claims.sub,
  ...(email ? { email } : {}),
  brought,
  ...(isLinked ? { isLinked } : {}),
});

/** Somebody new came to the sign-in form: where people may register, they do, by a flow of their own. */
async function signUpInstead(
  { exchange, flow }: Step,
  who: Who,
): Promise<Outcome<LoginDone> | Elsewhere> {
  try {
    const opening = await registration.open(exchange, "browser");
    if (isElsewhere(opening)) return { answer: leave(exchange, opening) };
    const outcome = await signUpWith(exchange, who);
    if ("refusal" in outcome) return outcome;
    const returnTo = flow.return_to ?? opening.returnTo;
    const step = await openFlow(exchange, registration, {
      ...opening,
      ...(returnTo ? { returnTo } : {}),
    });
    return { answer: await settle(registration, step, oidc, outcome) };
  } catch (error) {
    if (!(error instanceof SelfServiceError) || error.parts.id !== "self_service_flow_disabled")
      throw error;
    return refusal(oidcMessages.noAccount(who.provider.label, error.parts.reason));
  }
}

async function signUpWith(exchange: Exchange, who: Who): Promise<Outcome<RegistrationDone>> {
  const { provider, claims, email, isVerified } = who;
  const { db } = exchange.ctx;
  if (await findLinked(db, provider.id, claims.sub))
    return refusal(oidcMessages.linkedElsewhere(provider.label));
  if (!email) return refusal(oidcMessages.noAddress(provider.label));
  if (isVerified && (await findByAddress(db, email)))
    return refusal(oidcMessages.addressTaken(provider.label));
  return {
    done: {
      traits: traitsOf(claims, email),
      credentials: [
        { type: linkType(provider.id), config: { subject: claims.sub, email, roles: [] } },
      ],
      isVerified,
      method: "oidc",
      provider: provider.id,
      commit: (tx, identityId) => take(tx, identityId, who),
    },
  };
}

/** By code points, so that no character is cut in half. */
const cut = (text: string, length: number) => Array.from(text).slice(0, length).join("");

/** Names as the provider has them, as far as they can be kept. */
function traitsOf(claims: Claims, email: Address): Traits {
  const text = (value: unknown) =>
    typeof value === "string" && isStorable(value) ? cut(value.trim(), 100) : "";
  const [first = "", ...rest] = text(claims.name).split(/\s+/);
  return {
    email,
    name: {
      first: text(claims.given_name) || first || email.split("@")[0]!,
      last: text(claims.family_name) || rest.join(" "),
    },
  };
}

async function linkWith({ exchange, session }: Step, who: Who): Promise<Outcome<SettingsDone>> {
  const { db } = exchange.ctx;
  const { id, label } = who.provider;
  const identityId = session!.identity_id;
  const linked = await findLinked(db, id, who.claims.sub);
  if (linked && linked.id !== identityId) return refusal(oidcMessages.linkedElsewhere(label));
  if ((await linkedProviders(db, identityId)).has(id))
    return refusal(oidcMessages.linkedAlready(label));
  return {
    done: {
      apply: async (tx) => void (await saveLink(tx, linkOf(identityId, who))),
      notice: {
        subject: `${label} was linked to your account`,
        text: `Your account at ${label} can be used to sign in to yours here from now on.`,
      },
    },
  };
}
