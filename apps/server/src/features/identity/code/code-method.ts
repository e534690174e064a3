import sql from "sql-template-tag";
import { MAX_ADDRESS_LENGTH, normalAddress } from "#platform/address.ts";
import { change } from "../flows/change-flow.ts";
import { askForCode, type KeptCode } from "./code-mail.ts";
import { type CodePurpose, markVerified, type Proof, tryCode, useUp } from "./codes.ts";
import type { Exchange } from "../flows/exchange.ts";
import { identifierNode } from "../flows/identifier-node.ts";
import { sendsMail } from "../mail/mail.ts";
import { messages, type UiText } from "../flows/messages.ts";
import { type Fields, type FlowChange, type Method, type Step, textOf } from "../flows/method.ts";
import { keptRegistration } from "../flows/pending-registration.ts";
import { hidden, input, submit, type UiNode } from "../flows/ui-nodes.ts";

/** One-time codes by e-mail. */

const wasSent = ({ flow }: Step) => flow.state.phase === "sent_email";
const wantsAgain = (fields: Fields) => fields.resend === "code";
const isForCode = (fields: Fields) => fields.method === "code" || wantsAgain(fields);

export const code: Method = {
  name: "code",
  login: {
    isOffered: ({ exchange: { config } }) => config.signInByCode && sendsMail(config),
    claims: isForCode,
    nodes: (step) => [
      identifierNode(step),
      ...(wasSent(step)
        ? [...codeNodes(messages.loginCodeLabel), resendButton]
        : [submit("code", "method", "code", messages.signInWithCode)]),
    ],
    async submit(step, fields) {
      if (!wasSent(step) || wantsAgain(fields)) {
        const address = (textOf(fields.identifier) || step.flow.state.values.identifier) ?? "";
        return await send(step, "identifier", address, messages.loginCodeSent);
      }
      const proof = await prove(step, "login", fields, messages.loginCodeInvalid);
      if ("refusal" in proof) return proof;
      const identityId = proof.identity_id!;
      const now = step.exchange.ctx.clock.now();
      return {
        done: {
          identityId,
          async commit(tx) {
            if (!(await useUp(tx, proof, now))) return false;
            await markVerified(tx, identityId, proof.address!, now);
            return true;
          },
        },
      };
    },
  },
  registration: {
    isOffered: wasSent,
    claims: isForCode,
    nodes: () => [...codeNodes(messages.registrationCodeLabel), resendButton],
    async submit(step, fields) {
      const { exchange, flow } = step;
      const pending = keptRegistration(exchange, flow);
      const address = pending.traits.email!;
      if (wantsAgain(fields))
        return await send(step, "traits.email", address, messages.registrationCodeSent);
      const proof = await prove(step, "registration", fields, messages.registrationCodeInvalid);
      if ("refusal" in proof) return proof;
      // Of two forms sent at once, the code of one must not make the account of the other.
      if (proof.address !== address)
        return { refusal: { messages: [messages.registrationCodeInvalid] } };
      const now = exchange.ctx.clock.now();
      return {
        done: {
          ...pending,
          isVerified: true,
          async commit(tx, identityId) {
            if (!(await useUp(tx, proof, now))) return false;
            return await markVerified(tx, identityId, address, now);
          },
        },
      };
    },
  },
  recovery: {
    isOffered: ({ exchange: { config }, flow }) => sendsMail(config) && !flow.state.kept.link,
    claims: (fields) => isForCode(fields) || typeof fields.email === "string",
    nodes: addressForm(messages.recoveryCodeLabel),
    async submit(step, fields) {
      if (!wasSent(step) || isSet(fields.email))
        return await send(step, "email", textOf(fields.email), messages.recoveryCodeSent);
      const proof = await prove(
        step,
        "recovery",
        fields,
        messages.recoveryCodeInvalid,
        messages.recoveryTooOften,
      );
      if ("refusal" in proof) return proof;
      return { done: { identityId: proof.identity_id!, method: "code_recovery", proof } };
    },
  },
  verification: {
    isOffered: ({ exchange: { config }, flow }) =>
      sendsMail(config) && !flow.state.kept.link && flow.state.phase !== "passed_challenge",
    claims: (fields) => isForCode(fields) || typeof fields.email === "string",
    nodes: addressForm(messages.verificationCodeLabel),
    async submit(step, fields) {
      if (!wasSent(step) || isSet(fields.email))
        return await send(step, "email", textOf(fields.email), messages.verificationCodeSent);
      const proof = await prove(
        step,
        "verification",
        fields,
        messages.verificationCodeInvalid,
        messages.verificationTooOften,
      );
      return "refusal" in proof ? proof : { done: { proof } };
    },
  },
};

const isSet = (value: unknown) => typeof value === "string" && value !== "";

/** The method is named apart from the button, as a form that is sent without pressing one has to name it, too. */
const codeNodes = (label: UiText): UiNode[] => [
  hidden("code", "method", "code"),
  input(
    "code",
    {
      name: "code",
      type: "text",
      required: true,
      autocomplete: "one-time-code",
      pattern: "[0-9]+",
      maxlength: 6,
    },
    label,
  ),
  submit("code", "method", "code", messages.goOn),
];
const resendButton = submit("code", "resend", "code", messages.resendCode);

/** First the address, then the code that was sent to it. */
function addressForm(label: UiText): (step: Step) => UiNode[] {
  return (step) => {
    const address = step.flow.state.values.email ?? "";
    if (wasSent(step))
      return [...codeNodes(label), submit("code", "email", address, messages.resendCode)];
    return [
      input(
        "code",
        {
          name: "email",
          type: "email",
          value: address,
          required: true,
          autocomplete: "email",
          maxlength: MAX_ADDRESS_LENGTH,
        },
        messages.addressLabel,
      ),
      submit("code", "method", "code", messages.submit),
    ];
  };
}

/** Has a code sent, whether or not there is anybody at the address. */
async function send(
  step: Step,
  field: string,
  typed: string,
  sent: UiText,
): Promise<{ refusal: FlowChange } | { goOn: FlowChange }> {
  const { exchange, flow } = step;
  const { ctx, request, limits } = exchange;
  const address = normalAddress(typed);
  const refused = (refusal: FlowChange) => ({ refusal });
  if (typed.trim() === "")
    return refused({ fieldMessages: { [field]: [messages.missing(field)] } });
  if (address === undefined)
    return refused({ fieldMessages: { [field]: [messages.invalidAddress] } });
  const wait = limits.takeMail(request.ip, address);
  if (wait > 0) return refused({ messages: [messages.tooManyMails(wait)], retryAfter: wait });
  const kept: KeptCode = { address };
  const goOn: FlowChange = {
    phase: "sent_email",
    messages: [sent],
    ...(field === "traits.email" || flow.state.refresh ? {} : { values: { [field]: address } }),
    kept: { code: kept },
  };
  // The address first: a code is sent to what the flow says.
  await change(step, goOn);
  await ctx.tx((tx) => askForCode(tx, flow.id));
  return { goOn };
}

/** What the typed code proves. */
async function prove(
  { exchange, flow }: Step,
  purpose: CodePurpose,
  fields: Fields,
  wrong: UiText,
  tooOften = wrong,
): Promise<Proof | { refusal: FlowChange }> {
  const { ctx, encryption, limits } = exchange;
  const typed = textOf(fields.code);
  if (typed.trim() === "")
    return { refusal: { fieldMessages: { code: [messages.missing("code")] } } };
  const { address } = flow.state.kept.code as KeptCode;
  const wait = limits.takeCode(address);
  if (wait > 0)
    return { refusal: { messages: [messages.tooManyAttempts(wait)], retryAfter: wait } };
  const proof = await tryCode(ctx.db, encryption, {
    purpose,
    flowId: flow.id,
    code: typed,
    now: ctx.clock.now(),
  });
  if (proof === "tooOften") return { refusal: { messages: [tooOften] } };
  if (!proof || !(await isStillTheirs(exchange, proof))) return { refusal: { messages: [wrong] } };
  limits.giveCodeBack(address);
  return proof;
}

/** A code proves nothing any more once the identity was deactivated. */
async function isStillTheirs({ ctx }: Exchange, { identity_id: id }: Proof): Promise<boolean> {
  if (id === null) return true;
  const found = await ctx.db.first(
    sql`select from identities where id = ${id} and state = 'active'`,
  );
  return found !== undefined;
}
