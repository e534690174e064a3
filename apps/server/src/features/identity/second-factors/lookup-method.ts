import {
  deleteCredential,
  findCredential,
  lockCredential,
  saveCredential,
} from "../credentials.ts";
import { GateFull } from "#platform/gate.ts";
import {
  findLookupSecret,
  hashLookupSecrets,
  type HashedLookupSecrets,
  makeLookupSecrets,
} from "./lookup-secrets.ts";
import { error, generic, info, messages, type UiText } from "../flows/messages.ts";
import {
  type Fields,
  type LoginDone,
  type Method,
  type Outcome,
  type SettingsDone,
  type Step,
  textOf,
} from "../flows/method.ts";
import {
  giveGuessBack,
  isPrivileged,
  isSet,
  raiseSession,
  takeGuess,
  secondFactorsChanged,
} from "./second-factor.ts";
import { input, submit, text, type UiNode } from "../flows/ui-nodes.ts";

/** Codes kept on paper, as a second factor: the way back in without the device. */

interface LookupConfig extends HashedLookupSecrets {
  /** The codes themselves, encrypted, to be shown again to who asks in time. */
  shown: string;
}

/** What a settings flow keeps. */
interface Kept {
  /** A new set, encrypted, until it is confirmed. */
  fresh?: string;
  /** The set in use is shown. */
  revealed?: boolean;
}

const words = {
  label: info(1010007, "Backup code"),
  signIn: info(1010010, "Use backup code"),
  reveal: info(1050007, "Show backup codes"),
  regenerate: info(1050008, "Make new backup codes"),
  secret: (secret: string) => info(1050009, secret, { secret }),
  codesLabel: info(1050010, "Each of these codes signs you in once. Keep them in a safe place."),
  confirm: info(1050011, "I have kept them: use these codes"),
  used: (at: string) =>
    info(1050014, `Used on ${at.slice(0, 10)}`, { used_at: at, used_at_unix: unix(at) }),
  list: (secrets: UiText[]) =>
    info(1050015, secrets.map((secret) => secret.text).join(", "), { secrets }),
  disable: info(1050016, "Remove backup codes"),
  alreadyUsed: error(4000012, "This code was used already. Take another one."),
  none: error(4000014, "There are no backup codes to sign in with."),
  nothingMade: generic("There are no new backup codes to use. Make new ones first."),
  wrong: error(4000016, "The code is wrong. Check it and try again."),
};

const unix = (at: string) => Math.floor(new Date(at).getTime() / 1000);
const place = (identityId: string) => `lookup_secret ${identityId}`;

export const lookupSecret: Method = {
  name: "lookup_secret",
  login: {
    aal: ["aal2"],
    nodes: async (step) =>
      (await findLookup(step))
        ? [
            input(
              "lookup_secret",
              { name: "lookup_secret", type: "text", value: "", required: true, maxlength: 64 },
              words.label,
            ),
            submit("lookup_secret", "method", "lookup_secret", words.signIn),
          ]
        : [],
    claims: (fields) =>
      fields.method === "lookup_secret" || (!fields.method && textOf(fields.lookup_secret) !== ""),
    submit: signInWithSecret,
  },
  settings: {
    nodes: settingsNodes,
    claims: (fields) =>
      fields.method === "lookup_secret" || (!fields.method && buttonOf(fields) !== undefined),
    submit: changeSecrets,
  },
};

const buttons = ["confirm", "regenerate", "reveal", "disable"] as const;

const buttonOf = (fields: Fields) =>
  buttons.find((button) => isSet(fields[`lookup_secret_${button}`]));

const findLookup = ({ exchange, flow }: Step) =>
  findCredential<LookupConfig>(exchange.ctx.db, flow.identity_id!, "lookup_secret");

async function signInWithSecret(step: Step, fields: Fields): Promise<Outcome<LoginDone>> {
  const { ctx } = step.exchange;
  const identityId = step.session!.identity_id;
  const given = textOf(fields.lookup_secret);
  if (given === "")
    return { refusal: { fieldMessages: { lookup_secret: [messages.missing("lookup_secret")] } } };
  const set = await findLookup(step);
  if (!set) return { refusal: { messages: [words.none] } };
  const refused = takeGuess(step);
  if (refused) return refused;
  const index = await unlessBusy(findLookupSecret(set, given, ctx.signal));
  if (index === "busy") {
    giveGuessBack(step);
    return busy;
  }
  if (index === undefined) return { refusal: { fieldMessages: { lookup_secret: [words.wrong] } } };
  giveGuessBack(step);
  if (set.secrets[index]!.used_at)
    return { refusal: { fieldMessages: { lookup_secret: [words.alreadyUsed] } } };
  return {
    done: {
      identityId,
      async commit(tx) {
        const now = await lockCredential<LookupConfig>(tx, identityId, "lookup_secret");
        if (!now || now.salt !== set.salt || now.secrets[index]!.used_at) return false;
        now.secrets[index]!.used_at = ctx.clock.now().toISOString();
        // Nobody is asked for a code that they no longer have.
        if (now.secrets.every((secret) => secret.used_at))
          await deleteCredential(tx, identityId, "lookup_secret");
        else await saveCredential(tx, identityId, "lookup_secret", now);
        return true;
      },
    },
  };
}

const busy = { refusal: { messages: [messages.busy], retryAfter: 3 } };

async function unlessBusy<T>(hashing: Promise<T>): Promise<T | "busy"> {
  try {
    return await hashing;
  } catch (failure) {
    if (failure instanceof GateFull) return "busy";
    throw failure;
  }
}

async function settingsNodes(step: Step): Promise<UiNode[]> {
  const { encryption } = step.exchange;
  const kept = (step.flow.state.kept.lookup_secret ?? {}) as Kept;
  const { identity_id: identityId } = step.session!;
  const read = (encrypted: string) =>
    JSON.parse(encryption.decrypt(encrypted, place(identityId))) as string[];
  const regenerate = button("regenerate", words.regenerate);
  const disable = button("disable", words.disable);
  if (kept.fresh && isPrivileged(step)) {
    return [
      codes(read(kept.fresh).map(words.secret)),
      regenerate,
      button("confirm", words.confirm),
    ];
  }
  const set = await findLookup(step);
  if (!set) return [regenerate];
  if (!kept.revealed || !isPrivileged(step)) return [button("reveal", words.reveal), disable];
  const shown = read(set.shown).map((secret, index) => {
    const { used_at: usedAt } = set.secrets[index]!;
    return usedAt ? words.used(usedAt) : words.secret(secret);
  });
  return [codes(shown), regenerate, disable];
}

const button = (name: (typeof buttons)[number], label: UiText): UiNode =>
  submit("lookup_secret", `lookup_secret_${name}`, "true", label);

const codes = (secrets: UiText[]): UiNode =>
  text("lookup_secret", "lookup_secret_codes", words.list(secrets), words.codesLabel);

async function changeSecrets(step: Step, fields: Fields): Promise<Outcome<SettingsDone>> {
  const { ctx, encryption } = step.exchange;
  const session = step.session!;
  const identityId = session.identity_id;
  const keep = (kept: Kept) => ({ kept: { lookup_secret: kept } });
  switch (buttonOf(fields)) {
    case "regenerate": {
      const fresh = encryption.encrypt(JSON.stringify(makeLookupSecrets()), place(identityId));
      return { goOn: keep({ fresh }) };
    }
    case "reveal":
      return { goOn: keep({ revealed: true }) };
    case "confirm": {
      const { fresh } = (step.flow.state.kept.lookup_secret ?? {}) as Kept;
      // Nothing was made in this form: there is nothing to confirm.
      if (!fresh) return { refusal: { ...keep({}), messages: [words.nothingMade] } };
      const secrets = JSON.parse(encryption.decrypt(fresh, place(identityId))) as string[];
      const set = await unlessBusy(hashLookupSecrets(secrets));
      if (set === "busy") return busy;
      const config: LookupConfig = { ...set, shown: fresh };
      return {
        done: {
          async apply(tx) {
            await saveCredential(tx, identityId, "lookup_secret", config);
            await raiseSession(tx, session, "lookup_secret", ctx.clock.now());
          },
          change: keep({}),
          notice: {
            subject: secondFactorsChanged,
            text: "New backup codes were made. The ones from before no longer work.",
          },
        },
      };
    }
    case "disable":
      return {
        done: {
          apply: async (tx) => void (await deleteCredential(tx, identityId, "lookup_secret")),
          change: keep({}),
          notice: { subject: secondFactorsChanged, text: "The backup codes were removed." },
        },
      };
    case undefined:
      return { refusal: { messages: [messages.noMethod.settings] } };
  }
}
