import { error, info } from "../flows/messages.ts";
import {
  type Fields,
  type LoginDone,
  type Method,
  type Outcome,
  type Step,
  textOf,
} from "../flows/method.ts";
import { baseUrl } from "../sessions/request-origin.ts";
import { raiseSession, secondFactorsChanged } from "./second-factor.ts";
import { hidden, input, type UiNode } from "../flows/ui-nodes.ts";
import { readAssertion, requestOptions } from "./webauthn-ceremony.ts";
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
import { countSignature } from "./webauthn-keys.ts";
import { webauthnScriptNode } from "./webauthn-script.ts";

/** Security keys, as a second factor. Browsers only: a program has no authenticator. */

const words = {
  use: info(1010008, "Use security key"),
  add: info(1050012, "Add security key"),
  wrong: error(4000008, "The security key was not accepted. Try again, or use another one."),
  none: error(4000013, "There is no security key to sign in with at this address."),
};

const keyWords: KeyWords = {
  remove: removeWith(1050018, "security key"),
  name: info(1050013, "Name of the security key"),
  unnamed: "Security key",
  subject: secondFactorsChanged,
  added: (name) => `The security key "${name}" was added as a second factor.`,
  removed: (name) => `The security key "${name}" was removed from your second factors.`,
  refused: error(4000008, "The security key was not accepted. Try again, or use another one."),
};

export const webauthn: Method = {
  name: "webauthn",
  login: {
    aal: ["aal2"],
    begin: () => newChallenge("webauthn"),
    nodes: loginNodes,
    claims: (fields) => isForKey(fields, "webauthn", "webauthn_login"),
    submit: signInWithKey,
  },
  settings: {
    begin: () => newChallenge("webauthn"),
    nodes: (step) => settingsNodes(step, { kind: "webauthn", words: keyWords, adding }),
    claims: (fields) => isForKey(fields, "webauthn", "webauthn_register", "webauthn_remove"),
    submit: async (step, fields) =>
      textOf(fields.webauthn_remove) !== ""
        ? removeKey(step, "webauthn", textOf(fields.webauthn_remove), keyWords)
        : registerKey(step, {
            kind: "webauthn",
            text: fields.webauthn_register,
            name: fields.webauthn_register_displayname,
            words: keyWords,
            alsoApply: (tx, now) => raiseSession(tx, step.session!, "webauthn", now),
          }),
  },
};

async function loginNodes(step: Step): Promise<UiNode[]> {
  const { exchange, session, flow } = step;
  const rp = partyOf(step);
  if (!rp) return [];
  const known = await keysHere(step, "webauthn", rp);
  if (known.length === 0) return [];
  const { challenge } = flow.state.kept.webauthn as { challenge: string };
  const publicKey = requestOptions({ rp, challenge, known, isPasskey: false });
  return [
    webauthnScriptNode("webauthn", baseUrl(exchange.request, exchange.config)),
    hidden("webauthn", "identifier", session?.identity.traits.email ?? ""),
    hidden("webauthn", "webauthn_login", ""),
    input(
      "webauthn",
      {
        name: "webauthn_login_trigger",
        type: "button",
        value: JSON.stringify({ publicKey }),
        onclick: "window.oryWebAuthnLogin()",
        onclickTrigger: "oryWebAuthnLogin",
      },
      words.use,
    ),
  ];
}

async function signInWithKey(step: Step, fields: Fields): Promise<Outcome<LoginDone>> {
  const identityId = step.session!.identity_id;
  const rp = partyOf(step);
  const known = rp ? await keysHere(step, "webauthn", rp) : [];
  if (!rp || known.length === 0) return { refusal: { messages: [words.none] } };
  const assertion = readAssertion(fields.webauthn_login);
  const key = known.find((one) => one.credential_id === assertion?.credentialId);
  const counter = await checkAssertion(step, { kind: "webauthn", rp, assertion, key });
  if (counter === undefined)
    return { refusal: { messages: [words.wrong], kept: newChallenge("webauthn") } };
  const now = step.exchange.ctx.clock.now();
  return {
    done: { identityId, commit: (tx) => countSignature(tx, { id: key!.id, counter, now }) },
  };
}

function adding(options: string): UiNode[] {
  return [
    hidden("webauthn", "webauthn_register", ""),
    input(
      "webauthn",
      {
        name: "webauthn_register_trigger",
        type: "button",
        value: options,
        onclick: "window.oryWebAuthnRegistration()",
        onclickTrigger: "oryWebAuthnRegistration",
      },
      words.add,
    ),
  ];
}
