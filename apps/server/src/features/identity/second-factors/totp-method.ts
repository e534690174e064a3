import {
  deleteCredential,
  findCredential,
  lockCredential,
  saveCredential,
} from "../credentials.ts";
import type { Exchange } from "../flows/exchange.ts";
import { error, generic, info, messages } from "../flows/messages.ts";
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
  isSet,
  raiseSession,
  takeGuess,
  secondFactorsChanged,
} from "./second-factor.ts";
import { makeTotpSecret, qrImage, totpAddress, totpStep } from "./totp.ts";
import { image, input, submit, text, type UiNode } from "../flows/ui-nodes.ts";

/** Codes of an authenticator app, as a second factor. */

interface TotpConfig {
  /** Encrypted. */
  secret: string;
  /** The step of the code taken last: only later ones are taken. */
  last_step: number;
}

const words = {
  label: info(1010006, "Code of your authenticator app"),
  signIn: info(1010009, "Use authenticator app"),
  qr: info(1050005, "Scan this picture with your authenticator app"),
  secret: (secret: string) => info(1050006, secret, { secret }),
  secretLabel: info(1050017, "Or type in this secret"),
  newCode: info(1070006, "Code that the app shows"),
  unlink: info(1050004, "Remove the authenticator app"),
  wrong: error(
    4000008,
    "The code is wrong or was used already. Wait for the next one, and check the clock of your device.",
  ),
  already: generic("There is an authenticator app already. Remove it before you add another one."),
  none: error(4000011, "There is no authenticator app to sign in with."),
};

const place = (identityId: string) => `totp ${identityId}`;

export const totp: Method = {
  name: "totp",
  login: {
    aal: ["aal2"],
    // Also for a browser that was signed out meanwhile: it is told when it sends the form.
    nodes: async ({ exchange, flow }) =>
      (await findTotp(exchange, flow.identity_id!))
        ? [codeInput(words.label), submit("totp", "method", "totp", words.signIn)]
        : [],
    claims: (fields) => isMeant(fields),
    submit: signInWithCode,
  },
  settings: {
    begin: (step) => ({ totp: freshSecret(step) }),
    nodes: settingsNodes,
    claims: (fields) => isMeant(fields),
    submit: (step, fields) =>
      isSet(fields.totp_unlink) ? unlinkApp(step) : linkApp(step, textOf(fields.totp_code)),
  },
};

/** Screens may leave the method out and send the fields alone. */
const isMeant = (fields: Fields): boolean =>
  fields.method === "totp" ||
  (!fields.method && (textOf(fields.totp_code) !== "" || isSet(fields.totp_unlink)));

const codeInput = (label: typeof words.label): UiNode =>
  input(
    "totp",
    {
      name: "totp_code",
      type: "text",
      value: "",
      required: true,
      autocomplete: "one-time-code",
      maxlength: 16,
    },
    label,
  );

const findTotp = ({ ctx }: Exchange, identityId: string) =>
  findCredential<TotpConfig>(ctx.db, identityId, "totp");

async function signInWithCode(step: Step, fields: Fields): Promise<Outcome<LoginDone>> {
  const { ctx, encryption } = step.exchange;
  const identityId = step.session!.identity_id;
  const code = textOf(fields.totp_code);
  if (code === "") return missingCode;
  const known = await findTotp(step.exchange, identityId);
  if (!known) return { refusal: { messages: [words.none] } };
  const refused = takeGuess(step);
  if (refused) return refused;
  const secret = encryption.decrypt(known.secret, place(identityId));
  const taken = totpStep({ secret, code, now: ctx.clock.now() });
  if (taken === undefined || taken <= known.last_step) return wrongCode;
  giveGuessBack(step);
  return {
    done: {
      identityId,
      async commit(tx) {
        const now = await lockCredential<TotpConfig>(tx, identityId, "totp");
        if (!now || now.secret !== known.secret || taken <= now.last_step) return false;
        await saveCredential(tx, identityId, "totp", { ...now, last_step: taken });
        return true;
      },
    },
  };
}

const missingCode = {
  refusal: { fieldMessages: { totp_code: [messages.missing("totp_code")] } },
};
const wrongCode = { refusal: { fieldMessages: { totp_code: [words.wrong] } } };

const freshSecret = ({ exchange: { encryption }, session }: Step): { secret: string } => ({
  secret: encryption.encrypt(makeTotpSecret(), place(session!.identity_id)),
});

/** The secret that this form offers, until an app has shown that it has taken it over. */
function offeredSecret({ exchange: { encryption }, flow, session }: Step): string {
  const { secret } = flow.state.kept.totp as { secret: string };
  return encryption.decrypt(secret, place(session!.identity_id));
}

async function settingsNodes(step: Step): Promise<UiNode[]> {
  const { identity_id: identityId, identity } = step.session!;
  if (await findTotp(step.exchange, identityId))
    return [submit("totp", "totp_unlink", "true", words.unlink)];
  const secret = offeredSecret(step);
  const account = identity.traits.email ?? identityId;
  const src = qrImage(totpAddress({ secret, account, issuer: "Mainstay" }));
  return [
    image("totp", { id: "totp_qr", src, width: 256, height: 256 }, words.qr),
    text("totp", "totp_secret_key", words.secret(secret), words.secretLabel),
    codeInput(words.newCode),
    submit("totp", "method", "totp", messages.save),
  ];
}

async function linkApp(step: Step, code: string): Promise<Outcome<SettingsDone>> {
  const { ctx, encryption } = step.exchange;
  const session = step.session!;
  const identityId = session.identity_id;
  if (code === "") return missingCode;
  if (await findTotp(step.exchange, identityId)) return { refusal: { messages: [words.already] } };
  const refused = takeGuess(step);
  if (refused) return refused;
  const now = ctx.clock.now();
  const secret = offeredSecret(step);
  const taken = totpStep({ secret, code, now });
  if (taken === undefined) return wrongCode;
  giveGuessBack(step);
  const config: TotpConfig = {
    secret: encryption.encrypt(secret, place(identityId)),
    last_step: taken,
  };
  return {
    done: {
      async apply(tx) {
        await saveCredential(tx, identityId, "totp", config);
        await raiseSession(tx, session, "totp", now);
      },
      // The secret is in use now; who removes the app and links another gets another.
      change: { kept: { totp: freshSecret(step) } },
      notice: {
        subject: secondFactorsChanged,
        text: "An authenticator app was added as a second factor.",
      },
    },
  };
}

async function unlinkApp(step: Step): Promise<Outcome<SettingsDone>> {
  const identityId = step.session!.identity_id;
  return {
    done: {
      apply: async (tx) => void (await deleteCredential(tx, identityId, "totp")),
      notice: {
        subject: secondFactorsChanged,
        text: "The authenticator app was removed from your second factors.",
      },
    },
  };
}
