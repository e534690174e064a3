import type { Tx } from "#platform/context.ts";
import { generic, info, type UiText } from "../flows/messages.ts";
import {
  type Fields,
  type Outcome,
  Refused,
  type SettingsDone,
  type Step,
  textOf,
} from "../flows/method.ts";
import { input, submit, type UiNode } from "../flows/ui-nodes.ts";
import { baseUrl } from "../sessions/request-origin.ts";
import {
  type Assertion,
  creationOptions,
  makeChallenge,
  type RelyingParty,
  relyingParty,
  verifyAssertion,
  verifyCreation,
} from "./webauthn-ceremony.ts";
import {
  deleteKeys,
  findKey,
  type IdentityKey,
  insertKey,
  type KeyKind,
  listKeys,
  MAX_KEY_NAME,
  MAX_KEYS,
} from "./webauthn-keys.ts";
import { webauthnScriptNode } from "./webauthn-script.ts";

/** What security keys and passkeys share inside a flow. A challenge belongs to one flow and is answered once. */

/** How a kind of key speaks of itself. */
export interface KeyWords {
  remove(name: string, at: Date): UiText;
  /** Beside the field for the name of a new one. */
  name: UiText;
  unnamed: string;
  /** Of the mail about a change. */
  subject: string;
  added(name: string): string;
  removed(name: string): string;
  refused: UiText;
}

export const removeWith =
  (id: number, what: string): KeyWords["remove"] =>
  (name, at) =>
    info(id, `Remove ${what} "${name}"`, {
      display_name: name,
      added_at: at.toISOString(),
      added_at_unix: Math.floor(at.getTime() / 1000),
    });

/** Screens may leave the method out and send one of its fields alone. */
export const isForKey = (fields: Fields, kind: KeyKind, ...names: string[]): boolean =>
  fields.method === kind || (!fields.method && names.some((name) => textOf(fields[name]) !== ""));

/** Browser flows only: a program has no authenticator. */
export const partyOf = ({ exchange: { request, config }, flow }: Step): RelyingParty | undefined =>
  flow.type === "browser" ? relyingParty(request, config) : undefined;

/** The keys of whom the flow is about, of both kinds and for every host name. */
const keysOf = ({ exchange, flow }: Step): Promise<IdentityKey[]> =>
  listKeys(exchange.ctx.db, flow.identity_id!);

export async function keysHere(
  step: Step,
  kind: KeyKind,
  rp: RelyingParty,
): Promise<IdentityKey[]> {
  return (await keysOf(step)).filter((key) => key.kind === kind && key.rp_id === rp.id);
}

/** What a flow keeps from its start, and again after every answer. */
export const newChallenge = (kind: KeyKind): Record<string, { challenge: string }> => ({
  [kind]: { challenge: makeChallenge() },
});

const challengeOf = ({ flow }: Step, kind: KeyKind): string =>
  (flow.state.kept[kind] as { challenge: string }).challenge;

/** What the settings form shows: the keys there are, and what one more is added with, where there can be one. */
export async function settingsNodes(
  step: Step,
  parts: { kind: KeyKind; words: KeyWords; adding(options: string): UiNode[] },
): Promise<UiNode[]> {
  const { kind, words, adding } = parts;
  const { request, config } = step.exchange;
  const known = await keysOf(step);
  const removing = known
    .filter((key) => key.kind === kind)
    .map((key) => submit(kind, `${kind}_remove`, key.id, words.remove(key.name, key.created_at)));
  const options = registrationOptions(step, kind, known);
  if (!options) return removing;
  return [
    ...removing,
    webauthnScriptNode(kind, baseUrl(request, config)),
    input(
      kind,
      { name: `${kind}_register_displayname`, type: "text", value: "", maxlength: MAX_KEY_NAME },
      words.name,
    ),
    ...adding(options),
  ];
}

/** The options for a new key, as a form's field carries them; undefined where there can be none. */
function registrationOptions(
  step: Step,
  kind: KeyKind,
  known: readonly IdentityKey[],
): string | undefined {
  const rp = partyOf(step);
  if (!rp || known.length >= MAX_KEYS) return undefined;
  const { identity, person } = step.session!;
  const publicKey = creationOptions({
    rp,
    challenge: challengeOf(step, kind),
    user: { id: identity.id, email: identity.traits.email ?? person.name, name: person.name },
    known: known.filter((key) => key.rp_id === rp.id),
    isPasskey: kind === "passkey",
  });
  return JSON.stringify({ publicKey });
}

/** The counter of a good signature of a known key; undefined when it does not count, and the log says why. */
export async function checkAssertion(
  step: Step,
  parts: {
    kind: KeyKind;
    rp: RelyingParty;
    assertion: Assertion | undefined;
    key: IdentityKey | undefined;
  },
): Promise<number | undefined> {
  const { kind, rp, assertion, key } = parts;
  const { ctx, request } = step.exchange;
  const refuse = (fault: string) => {
    ctx.log.info({ ip: request.ip, identity: key?.identity_id, fault }, `${kind} refused`);
    return undefined;
  };
  if (!assertion) return refuse("not the answer of an authenticator");
  if (!key) return refuse("the key is not known here");
  const outcome = await verifyAssertion({
    assertion,
    key,
    challenge: challengeOf(step, kind),
    rp,
    isPasskey: kind === "passkey",
  });
  return "fault" in outcome ? refuse(outcome.fault) : outcome.counter;
}

const tooManyKeys = generic(`There are ${MAX_KEYS} keys already. Remove one first.`);
const keyTaken = generic("This key belongs to an account already. Take another one.");
const noKeysHere = generic(
  "Security keys and passkeys need the console's own name and https: open it at its address, not at a number.",
);

export async function registerKey(
  step: Step,
  parts: {
    kind: KeyKind;
    /** What the authenticator made. */
    text: unknown;
    name: unknown;
    words: KeyWords;
    alsoApply?(tx: Tx, now: Date): Promise<void>;
  },
): Promise<Outcome<SettingsDone>> {
  const { kind, text, words } = parts;
  const { ctx, request } = step.exchange;
  const rp = partyOf(step);
  if (!rp) return { refusal: { messages: [noKeysHere] } };
  const known = await keysOf(step);
  if (known.length >= MAX_KEYS) return { refusal: { messages: [tooManyKeys] } };
  const kept = newChallenge(kind);
  const outcome = await verifyCreation({
    text,
    challenge: challengeOf(step, kind),
    rp,
    isPasskey: kind === "passkey",
  });
  if ("fault" in outcome) {
    ctx.log.info({ ip: request.ip, fault: outcome.fault }, `${kind} registration refused`);
    return { refusal: { messages: [words.refused], kept } };
  }
  const { key } = outcome;
  const taken =
    (await findKey(ctx.db, "webauthn", key.credential_id)) ??
    (await findKey(ctx.db, "passkey", key.credential_id));
  if (taken) return { refusal: { messages: [keyTaken], kept } };
  const name = freeName(textOf(parts.name), words.unnamed, known);
  const now = ctx.clock.now();
  const identityId = step.session!.identity_id;
  return {
    done: {
      async apply(tx) {
        const row = { ...key, identity_id: identityId, kind, rp_id: rp.id, name, now };
        if (!(await insertKey(tx, row))) throw new Refused({ messages: [keyTaken], kept });
        await parts.alsoApply?.(tx, now);
      },
      change: { kept },
      notice: { subject: words.subject, text: words.added(name) },
    },
  };
}

/** The name that was given, on one line; else the first that no other key has. */
function freeName(given: string, unnamed: string, known: readonly IdentityKey[]): string {
  const name = given
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  if (name) return Array.from(name).slice(0, MAX_KEY_NAME).join("");
  const taken = new Set(known.map((key) => key.name));
  for (let number = 2; ; number += 1) {
    const candidate = number === 2 && !taken.has(unnamed) ? unnamed : `${unnamed} ${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

export async function removeKey(
  step: Step,
  kind: KeyKind,
  id: string,
  words: KeyWords,
): Promise<Outcome<SettingsDone>> {
  const identityId = step.session!.identity_id;
  const key = (await keysOf(step)).find((one) => one.id === id && one.kind === kind);
  if (!key) return { refusal: { messages: [generic("This key was removed already.")] } };
  return {
    done: {
      apply: (tx) => deleteKeys(tx, { identityId, kind, id }),
      notice: { subject: words.subject, text: words.removed(key.name) },
    },
  };
}
