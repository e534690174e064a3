import type { Exchange } from "./exchange.ts";
import { type AssuranceLevel, assuranceLevels, type Flow } from "./flow.ts";
import type { KindRules } from "./kind-rules.ts";
import { messages } from "./messages.ts";
import { ownSession } from "./open-flow.ts";
import { isRegistrationOpen } from "./registration.ts";
import { ownOrigins } from "../sessions/request-origin.ts";
import { readReturnTo } from "./return-to.ts";
import {
  alreadySignedIn,
  firstFactorRequired,
  identityMismatch,
  malformed,
} from "./self-service-error.ts";
import { handOut, signIn } from "./sign-in.ts";
import { type AuthenticationMethod, type Session, sessionOf } from "../sessions/sessions.ts";

/** Signing in, confirming who one is (`refresh`), and adding a second factor (`aal`). */
export const login: KindRules<"login"> = {
  kind: "login",
  async open(exchange, type) {
    const { ctx, config, request, query } = exchange;
    const returnTo = readReturnTo(query.return_to, ownOrigins(request, config));
    const session = await sessionOf(ctx, request);
    const asked = readAsked(query);
    if (session && isReached(asked, session))
      return { leaveTo: returnTo ?? "/", error: alreadySignedIn() };
    if (asked.aal === "aal2" && !session) throw firstFactorRequired();
    const refresh = asked.refresh && session !== undefined;
    const isTheirs = refresh || asked.aal === "aal2";
    return {
      type,
      ...(returnTo ? { returnTo } : {}),
      ...(isTheirs && session ? { session, identityId: session.identity_id } : {}),
      state: {
        refresh,
        requested_aal: asked.aal,
        ...(refresh ? { values: { identifier: session.identity.traits.email ?? "" } } : {}),
      },
    };
  },
  async admit({ ctx, request }, flow) {
    const session = await sessionOf(ctx, request);
    return flow.identity_id ? ownSession(flow, session) : session;
  },
  check({ flow, session }) {
    const { refresh = false, requested_aal: aal = "aal1" } = flow.state;
    if (session && isReached({ refresh, aal }, session))
      return { leaveTo: flow.return_to ?? "/", error: alreadySignedIn() };
    if (aal === "aal2" && !session) throw firstFactorRequired();
    return undefined;
  },
  offers({ flow: { state } }, method, { aal = ["aal1"] }) {
    // Once a code was sent, the form asks for it and for nothing else.
    if (state.phase === "sent_email" && method.name !== "code") return false;
    return aal.includes(state.requested_aal ?? "aal1");
  },
  greeting: ({ refresh, requested_aal: aal }) => [
    ...(refresh ? [messages.confirmIdentity] : []),
    ...(aal === "aal2" ? [messages.secondFactor] : []),
  ],
  body: ({ exchange, flow: { state } }) => ({
    refresh: state.refresh ?? false,
    requested_aal: state.requested_aal ?? "aal1",
    organization_id: null,
    // Beyond the official service: whether the sign-in page offers to register.
    registration_open: isRegistrationOpen(exchange.config),
  }),
  async complete({ exchange, flow, session: before }, method, done) {
    if (flow.identity_id !== null && done.identityId !== flow.identity_id) throw identityMismatch();
    const { commit, identityId } = done;
    const signedIn = await signIn(exchange, {
      flow,
      identify: async (tx) => (commit && !(await commit(tx)) ? undefined : identityId),
      methods: [
        ...carriedOver(flow, before),
        {
          method: done.method ?? method.name,
          aal: flow.state.requested_aal ?? "aal1",
          completed_at: exchange.ctx.clock.now().toISOString(),
          ...(done.provider ? { provider: done.provider } : {}),
        },
      ],
      before,
    });
    if (!signedIn) return { gone: true };
    return handOut(exchange, flow, signedIn);
  },
};

/** What was proven before still holds for who adds a second factor or confirms who they are. */
function carriedOver(flow: Flow, before: Session | undefined): AuthenticationMethod[] {
  return flow.identity_id && before ? before.authentication_methods : [];
}

interface Asked {
  refresh: boolean;
  aal: AssuranceLevel;
}

function readAsked(query: Exchange["query"]): Asked {
  const aal = query.aal || "aal1";
  const known = assuranceLevels.find((level) => level === aal);
  if (!known) throw malformed(`aal must be ${assuranceLevels.join(" or ")}.`);
  return { refresh: query.refresh === "true", aal: known };
}

/** Whether signing in would bring nothing. */
const isReached = (asked: Asked, session: Session): boolean =>
  !asked.refresh && (asked.aal <= session.aal || asked.aal > session.available_aal);
