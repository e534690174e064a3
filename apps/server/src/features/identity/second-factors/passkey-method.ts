import { identifierNode } from "../flows/identifier-node.ts";
import { error, generic, info } from "../flows/messages.ts";
import {
  type Fields,
  type LoginDone,
  type Method,
  type Outcome,
  type SettingsDone,
  type Step,
  textOf,
} from "../flows/method.ts";
import { baseUrl } from "../sessions/request-origin.ts";
import { hidden, input, type UiNode } from "../flows/ui-nodes.ts";
import { keepWayIn } from "../ways-in.ts";
import { type Assertion, readAssertion, requestOptions, userHandle } from "./webauthn-ceremony.ts";
import {
  checkAssertion,
  isForKey,
  type KeyWords,
  keysHere,
  newChallenge,
  partyOf,
  registerKey,
  removeKey,
  removeWith,
  settingsNodes,
} from "./webauthn-flow.ts";
import { countSignature, findKey, type IdentityKey } from "./webauthn-keys.ts";
import { webauthnScriptNode } from "./webauthn-script.ts";

/** Passkeys, instead of address and password: the authenticator knows whose they are. */

const words = {
  use: info(1010021, "Sign in with passkey"),
  add: info(1050019, "Add passkey"),
  unknown: error(
    4000015,
    "This passkey was not accepted. It may have been removed: sign in another way.",
  ),
};

const keyWords: KeyWords = {
  remove: removeWith(1050020, "passkey"),
  // The official service asks for no name and has no number for it.
  name: info(1050013, "Name of the passkey"),
  unnamed: "Passkey",
  subject: "Your passkeys were changed",
  added: (name) => `The passkey "${name}" was added. It can be used to sign in.`,
  removed: (name) => `The passkey "${name}" was removed.`,
  refused: error(4000008, "The passkey was not accepted. Try again, or use another device."),
};

export const passkey: Method = {
  name: "passkey",
  login: {
    begin: () => newChallenge("passkey"),
    nodes: loginNodes,
    claims: (fields) => isForKey(fields, "passkey", "passkey_login"),
    submit: signInWithPasskey,
  },
  settings: {
    begin: () => newChallenge("passkey"),
    nodes: (step) => settingsNodes(step, { kind: "passkey", words: keyWords, adding }),
    claims: (fields) => isForKey(fields, "passkey", "passkey_settings_register", "passkey_remove"),
    submit: async (step, fields) =>
      textOf(fields.passkey_remove) !== ""
        ? removePasskey(step, textOf(fields.passkey_remove))
        : registerKey(step, {
            kind: "passkey",
            text: fields.passkey_settings_register,
            name: fields.passkey_register_displayname,
            words: keyWords,
          }),
  },
};

async function loginNodes(step: Step): Promise<UiNode[]> {
  const { exchange, flow, session } = step;
  const rp = partyOf(step);
  if (!rp) return [];
  // Who confirms who they are is known, and so are their passkeys.
  const known = flow.identity_id && session ? await keysHere(step, "passkey", rp) : undefined;
  if (known?.length === 0) return [];
  const { challenge } = flow.state.kept.passkey as { challenge: string };
  const publicKey = requestOptions({
    rp,
    challenge,
    isPasskey: true,
    ...(known ? { known } : {}),
  });
  return [
    identifierNode(step),
    hidden("passkey", "passkey_challenge", JSON.stringify({ publicKey })),
    webauthnScriptNode("passkey", baseUrl(exchange.request, exchange.config)),
    input("passkey", {
      name: "passkey_login",
      type: "hidden",
      value: "",
      // The browser offers passkeys while the address is typed.
      ...(known
        ? {}
        : {
            onload: "window.oryPasskeyLoginAutocompleteInit()",
            onloadTrigger: "oryPasskeyLoginAutocompleteInit",
          }),
    }),
    input(
      "passkey",
      {
        name: "passkey_login_trigger",
        type: "button",
        value: "",
        onclick: "window.oryPasskeyLogin()",
        onclickTrigger: "oryPasskeyLogin",
      },
      words.use,
    ),
  ];
}

async function signInWithPasskey(step: Step, fields: Fields): Promise<Outcome<LoginDone>> {
  const { ctx } = step.exchange;
  const rp = partyOf(step);
  const refusal = { messages: [words.unknown], kept: newChallenge("passkey") };
  if (!rp) return { refusal };
  const assertion = readAssertion(fields.passkey_login);
  const key = assertion && (await findTheirs(step, assertion));
  const counter = await checkAssertion(step, { kind: "passkey", rp, assertion, key });
  if (counter === undefined) return { refusal };
  const { id, identity_id: identityId } = key!;
  const now = ctx.clock.now();
  return { done: { identityId, commit: (tx) => countSignature(tx, { id, counter, now }) } };
}

/** The passkey, when it is of whom the authenticator says it is, or of whom the flow is about. */
async function findTheirs(
  { exchange: { ctx }, flow }: Step,
  { credentialId, userHandle: handle }: Assertion,
): Promise<IdentityKey | undefined> {
  const key = await findKey(ctx.db, "passkey", credentialId);
  if (!key) return undefined;
  const isTheirs =
    handle === undefined
      ? flow.identity_id === key.identity_id
      : handle === userHandle(key.identity_id);
  return isTheirs ? key : undefined;
}

function adding(options: string): UiNode[] {
  return [
    hidden("passkey", "passkey_create_data", options),
    hidden("passkey", "passkey_settings_register", ""),
    input(
      "passkey",
      {
        name: "passkey_register_trigger",
        type: "button",
        value: "",
        onclick: "window.oryPasskeySettingsRegistration()",
        onclickTrigger: "oryPasskeySettingsRegistration",
      },
      words.add,
    ),
  ];
}

const lastWayIn = generic(
  "This passkey is the only way to sign in to this account. Set a password first, then remove it.",
);

async function removePasskey(step: Step, id: string): Promise<Outcome<SettingsDone>> {
  const outcome = await removeKey(step, "passkey", id, keyWords);
  if (!("done" in outcome)) return outcome;
  const { done } = outcome;
  return {
    done: {
      ...done,
      async apply(tx) {
        await done.apply(tx);
        await keepWayIn(tx, step.session!.identity_id, lastWayIn);
      },
    },
  };
}
