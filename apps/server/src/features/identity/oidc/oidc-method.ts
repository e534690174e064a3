import { randomBytes } from "node:crypto";
import type { Exchange } from "../flows/exchange.ts";
import { flowKinds } from "../flows/flow-kinds.ts";
import type { Flow } from "../flows/flow.ts";
import { messages, type UiText } from "../flows/messages.ts";
import {
  type Fields,
  type Method,
  type Outcome,
  type SettingsDone,
  type Step,
  textOf,
} from "../flows/method.ts";
import { type Attempt, OpenIdError } from "./oidc-client.ts";
import { deleteLink, linkedProviders } from "./oidc-links.ts";
import { oidcMessages } from "./oidc-messages.ts";
import { type OpenIdProvider, openIdProviders } from "./oidc-providers.ts";
import { baseUrl } from "../sessions/request-origin.ts";
import { submit, type UiNode } from "../flows/ui-nodes.ts";
import { keepWayIn } from "../ways-in.ts";

/**
 * Signing in with an account elsewhere, by OpenID Connect: the browser leaves for the provider with what only this
 * flow knows (state, nonce, the proof of PKCE), and comes back to oidc-return.ts.
 */
export const oidc: Method = {
  name: "oidc",
  login: {
    async nodes({ exchange, flow }) {
      const linked = flow.identity_id && (await linkedProviders(exchange.ctx.db, flow.identity_id));
      const isUseful = ({ id }: OpenIdProvider) => !linked || linked.has(id);
      return buttons(exchange, flow, isUseful, oidcMessages.signInWith);
    },
    claims: (fields) => isFor(fields, "provider"),
    submit: (step, fields) => leaveFor(step, textOf(fields.provider)),
  },
  registration: {
    nodes: ({ exchange, flow }) => buttons(exchange, flow, () => true, oidcMessages.signUpWith),
    claims: (fields) => isFor(fields, "provider"),
    submit: (step, fields) => leaveFor(step, textOf(fields.provider)),
  },
  settings: {
    async nodes({ exchange, flow, session }) {
      if (flow.type === "api") return [];
      const linked = await linkedProviders(exchange.ctx.db, session!.identity_id);
      return openIdProviders(exchange.config).map(({ id, label }) =>
        linked.has(id)
          ? submit("oidc", "unlink", id, oidcMessages.unlink(label, id))
          : submit("oidc", "link", id, oidcMessages.link(label, id)),
      );
    },
    claims: (fields) => isFor(fields, "link") || isFor(fields, "unlink"),
    submit: (step, fields) =>
      fields.unlink ? unlink(step, textOf(fields.unlink)) : leaveFor(step, textOf(fields.link)),
  },
};

/** A button says what it is by its own name; only programs name the method beside it. */
const isFor = (fields: Fields, name: string): boolean =>
  (fields.method === undefined || fields.method === "" || fields.method === "oidc") &&
  textOf(fields[name]) !== "";

/** A program could not send anybody's browser away and have it come back. */
function buttons(
  { config }: Exchange,
  flow: Flow,
  isUseful: (provider: OpenIdProvider) => boolean,
  label: (label: string, id: string) => UiText,
): UiNode[] {
  if (flow.type === "api") return [];
  return openIdProviders(config)
    .filter(isUseful)
    .map((provider) => submit("oidc", "provider", provider.id, label(provider.label, provider.id)));
}

export const findProvider = ({ config }: Exchange, id: string): OpenIdProvider | undefined =>
  openIdProviders(config).find((provider) => provider.id === id);

/** Where a provider sends the browser back to. */
export const returnAddress = ({ request, config }: Exchange, provider: OpenIdProvider): string =>
  `${baseUrl(request, config)}/api/.ory/self-service/methods/oidc/callback/${provider.id}`;

export interface KeptAttempt extends Attempt {
  provider: string;
}

const place = (flow: Flow) => `oidc ${flow.id}`;

export function keptAttempt({ encryption }: Exchange, flow: Flow): KeptAttempt | undefined {
  const { oidc: kept } = flow.state.kept;
  return typeof kept === "string"
    ? (JSON.parse(encryption.decrypt(kept, place(flow))) as KeptAttempt)
    : undefined;
}

async function leaveFor<Done>({ exchange, flow }: Step, id: string): Promise<Outcome<Done>> {
  const provider = flow.type === "browser" ? findProvider(exchange, id) : undefined;
  if (!provider) return { refusal: { messages: [flowKinds[flow.kind].noMethod] } };
  const random = () => randomBytes(32).toString("base64url");
  const attempt: KeptAttempt = {
    provider: provider.id,
    // Says which flow goes on; the rest cannot be guessed.
    state: `${flow.kind}.${flow.id}.${random()}`,
    nonce: random(),
    verifier: random(),
    ...(flow.state.refresh ? { confirmsSince: Date.now() } : {}),
  };
  try {
    const address = await provider.client.begin({
      redirectUri: returnAddress(exchange, provider),
      attempt,
    });
    const kept = exchange.encryption.encrypt(JSON.stringify(attempt), place(flow));
    return { leave: address, change: { kept: { oidc: kept } } };
  } catch (error) {
    return { refusal: { messages: [refusalFor(exchange, provider, error)] } };
  }
}

/** What went wrong with a provider, for people; the log has the rest. */
export function refusalFor(
  { ctx }: Exchange,
  { id, label }: OpenIdProvider,
  error: unknown,
): UiText {
  if (!(error instanceof OpenIdError)) throw error;
  ctx.log[error.reason === "denied" ? "info" : "warn"](
    { err: error, provider: id },
    "OpenID sign-in failed",
  );
  return oidcMessages[error.reason](label);
}

async function unlink({ exchange, session }: Step, id: string): Promise<Outcome<SettingsDone>> {
  const { db } = exchange.ctx;
  const identityId = session!.identity_id;
  const provider = findProvider(exchange, id);
  const linked = await linkedProviders(db, identityId);
  if (!provider || !linked.has(id)) return { refusal: { messages: [messages.noMethod.settings] } };
  const { label } = provider;
  return {
    done: {
      async apply(tx) {
        await deleteLink(tx, identityId, id);
        await keepWayIn(tx, identityId, oidcMessages.lastWayIn(label));
      },
      notice: {
        subject: `${label} was unlinked from your account`,
        text: `Your account at ${label} can no longer be used to sign in to yours here.`,
      },
      endsOtherSessions: true,
    },
  };
}
