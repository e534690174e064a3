import sql from "sql-template-tag";
import { grantRole } from "#features/roles/index.ts";
import type { Config } from "#platform/config.ts";
import type { Tx } from "#platform/context.ts";
import { isAddressTaken } from "../change-identity.ts";
import { askForCode } from "../code/code-mail.ts";
import { change } from "./change-flow.ts";
import { saveCredential } from "../credentials.ts";
import { createIdentityFor } from "../create-identity.ts";
import type { Exchange } from "./exchange.ts";
import type { KindRules } from "./kind-rules.ts";
import { sendsMail } from "../mail/mail.ts";
import { refuseLinkedElsewhere } from "../oidc/oidc-links.ts";
import { findProvider } from "../oidc/oidc-method.ts";
import { messages } from "./messages.ts";
import { Refused, type RegistrationDone, type Step } from "./method.ts";
import { keepRegistration } from "./pending-registration.ts";
import { ownOrigins } from "../sessions/request-origin.ts";
import { readReturnTo } from "./return-to.ts";
import { alreadySignedIn, flowDisabled } from "./self-service-error.ts";
import { handOut, signIn } from "./sign-in.ts";
import { sessionOf } from "../sessions/sessions.ts";

/**
 * Signing up. Where mail is sent, the identity is made once the code that was sent to its address comes back: an
 * address that has an account already gets another mail and the same answer, and nobody can take an address that is
 * somebody else's. Where none is sent, it is made at once.
 */
export const registration: KindRules<"registration"> = {
  kind: "registration",
  async open(exchange, type) {
    const { ctx, config, request, query } = exchange;
    const origins = ownOrigins(request, config);
    const returnTo = readReturnTo(query.return_to, origins);
    const afterwards = readReturnTo(query.after_verification_return_to, origins);
    const goal = returnTo ?? afterwards;
    if (await sessionOf(ctx, request)) return { leaveTo: goal ?? "/", error: alreadySignedIn() };
    await assertAllowed(exchange);
    return {
      type,
      ...(goal ? { returnTo: goal } : {}),
      ...(afterwards ? { state: { after_verification_return_to: afterwards } } : {}),
    };
  },
  async admit(exchange) {
    await assertAllowed(exchange);
    return await sessionOf(exchange.ctx, exchange.request);
  },
  check: ({ flow, session }) =>
    session ? { leaveTo: flow.return_to ?? "/", error: alreadySignedIn() } : undefined,
  // Once a code was sent, the form asks for it and for nothing else.
  offers: ({ flow }, method) => (flow.state.phase === "sent_email") === (method.name === "code"),
  body: () => ({ organization_id: null }),
  async complete(step, method, done) {
    const { exchange, flow } = step;
    if (sendsMail(exchange.config) && !done.isVerified) return await proveAddress(step, done);
    const now = exchange.ctx.clock.now();
    const signedIn = await signIn(exchange, {
      flow,
      async identify(tx) {
        const isFirst = await enter(tx, exchange);
        if (isFirst === undefined) return undefined;
        const id = await createPerson(tx, exchange, done);
        if (isFirst) await grantRole(tx, id, "admin");
        return id;
      },
      methods: [
        {
          method: done.method ?? method.name,
          aal: "aal1",
          completed_at: now.toISOString(),
          ...(done.provider ? { provider: done.provider } : {}),
        },
      ],
      before: undefined,
    });
    return signedIn ? handOut(exchange, flow, signedIn, { identity: true }) : { gone: true };
  },
};

async function createPerson(tx: Tx, exchange: Exchange, done: RegistrationDone): Promise<string> {
  const { traits, credentials, commit, values, provider = "" } = done;
  const { id } = await createIdentityFor(tx, traits).catch((error: unknown) => {
    if (!isAddressTaken(error)) throw error;
    throw new Refused({ messages: [messages.addressTaken], ...(values ? { values } : {}) });
  });
  const label = findProvider(exchange, provider)?.label ?? provider;
  for (const { type, config } of credentials)
    await saveCredential(tx, id, type, config).catch(refuseLinkedElsewhere(label));
  if (commit && !(await commit(tx, id)))
    throw new Refused({ messages: [messages.registrationCodeInvalid] });
  return id;
}

/** The code that was sent is what makes the identity. */
async function proveAddress(step: Step, done: RegistrationDone) {
  const { exchange, flow } = step;
  const { ctx, request, limits } = exchange;
  const address = done.traits.email!;
  const wait = limits.takeMail(request.ip, address);
  if (wait > 0)
    return {
      refusal: {
        messages: [messages.tooManyMails(wait)],
        retryAfter: wait,
        ...(done.values ? { values: done.values } : {}),
      },
    };
  const goOn = {
    phase: "sent_email" as const,
    messages: [messages.registrationCodeSent],
    kept: { code: { address }, ...keepRegistration(exchange, flow, done) },
    ...(done.values ? { values: done.values } : {}),
  };
  // The address first: a code is sent to what the flow says.
  await change(step, goOn);
  await ctx.tx((tx) => askForCode(tx, flow.id));
  return { goOn };
}

/** Whether this makes the first person of all, who administrates; undefined when the first was somebody else just now. */
async function enter(tx: Tx, { config }: Exchange): Promise<boolean | undefined> {
  // Of two first ones at once, one is first.
  await tx.run(sql`lock table identities in share row exclusive mode`);
  const isFirst = (await tx.first(sql`select from identities limit 1`)) === undefined;
  return isFirst || isRegistrationOpen(config) ? isFirst : undefined;
}

/** Whether anybody may register. Beside a hosted provider nobody may. */
export const isRegistrationOpen = ({
  registration,
  hostedIssuer,
}: Pick<Config, "registration" | "hostedIssuer">): boolean =>
  registration === "open" && hostedIssuer === undefined;

async function assertAllowed({ ctx, config }: Exchange): Promise<void> {
  if (config.hostedIssuer !== undefined)
    throw flowDisabled("Accounts are made at the organization's sign-in service.");
  if (isRegistrationOpen(config)) return;
  if ((await ctx.db.first(sql`select from identities limit 1`)) === undefined) return;
  throw flowDisabled(
    config.registration === "invite"
      ? "Accounts are made by invitation. Ask an administrator for one."
      : "No accounts can be made here.",
  );
}
