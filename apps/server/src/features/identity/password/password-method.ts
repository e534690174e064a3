import sql from "sql-template-tag";
import { type Address, MAX_ADDRESS_LENGTH, normalAddress } from "#platform/address.ts";
import { lockCredential, saveCredential } from "../credentials.ts";
import type { Exchange } from "../flows/exchange.ts";
import { GateFull } from "#platform/gate.ts";
import { identifierNode } from "../flows/identifier-node.ts";
import { messages, type UiText } from "../flows/messages.ts";
import {
  type Fields,
  type FlowChange,
  type LoginDone,
  type Method,
  type Outcome,
  type Step,
  textOf,
} from "../flows/method.ts";
import { readNewPassword } from "./new-password.ts";
import { MAX_PASSWORD_BYTES, verifyPassword } from "./passwords.ts";
import { isStorable, readTraits, traitNodes } from "../traits.ts";
import { input, submit } from "../flows/ui-nodes.ts";

export const password: Method = {
  name: "password",
  login: {
    nodes: (step) => [
      identifierNode(step),
      input(
        "password",
        {
          name: "password",
          type: "password",
          required: true,
          autocomplete: "current-password",
        },
        messages.passwordLabel,
      ),
      submit("password", "method", "password", messages.signIn),
    ],
    submit: signInWithPassword,
  },
  registration: {
    nodes: ({ flow }) => [
      ...traitNodes("default", flow.state.values),
      newPasswordNode(messages.passwordLabel),
      submit("password", "method", "password", messages.signUp),
    ],
    async submit({ exchange }, fields) {
      const { traits, values, fieldMessages } = readTraits(fields);
      const chosen = await readNewPassword(exchange, fields, traits);
      if ("refusal" in chosen || Object.keys(fieldMessages).length > 0) {
        const more = "refusal" in chosen ? chosen.refusal : {};
        return {
          refusal: { ...more, values, fieldMessages: { ...fieldMessages, ...more.fieldMessages } },
        };
      }
      return {
        done: {
          traits,
          values,
          credentials: [{ type: "password", config: { hashed_password: chosen.hashed } }],
        },
      };
    },
  },
  settings: {
    nodes: () => [
      newPasswordNode(messages.newPasswordLabel),
      submit("password", "method", "password", messages.save),
    ],
    async submit({ exchange, session }, fields) {
      const { id, traits } = session!.identity;
      const chosen = await readNewPassword(exchange, fields, traits);
      if ("refusal" in chosen) return chosen;
      return {
        done: {
          async apply(tx) {
            await saveCredential(tx, id, "password", { hashed_password: chosen.hashed });
            // Whoever asked for a way in with the old one has none with the new one.
            await tx.run(sql`
              delete from identity_codes where identity_id = ${id} and purpose in ('recovery', 'login')`);
          },
          notice: { subject: "Your password was changed", text: "Your password was changed." },
          endsOtherSessions: true,
        },
      };
    },
  },
};

const newPasswordNode = (label: UiText) =>
  input(
    "password",
    { name: "password", type: "password", required: true, autocomplete: "new-password" },
    label,
  );

/**
 * Whose password it is. A wrong password and an unknown address are answered alike and cost the same; only the right
 * password learns that an account is deactivated.
 */
async function signInWithPassword(
  { exchange, flow }: Step,
  fields: Fields,
): Promise<Outcome<LoginDone>> {
  const { ctx, request, limits } = exchange;
  const identifier = textOf(fields.identifier ?? fields.password_identifier)
    .normalize("NFC")
    .trim();
  const given = textOf(fields.password);
  const shown = isStorable(identifier) && identifier.length <= MAX_ADDRESS_LENGTH ? identifier : "";
  const refused = (refusal: FlowChange): Outcome<LoginDone> => ({
    refusal: { ...refusal, ...(flow.state.refresh ? {} : { values: { identifier: shown } }) },
  });

  const missing = Object.entries({ identifier, password: given }).filter(
    ([, value]) => value === "",
  );
  if (missing.length > 0) {
    return refused({
      fieldMessages: Object.fromEntries(missing.map(([name]) => [name, [messages.missing(name)]])),
    });
  }
  const wait = limits.take(request.ip, identifier);
  if (wait > 0) return refused({ messages: [messages.tooManyAttempts(wait)], retryAfter: wait });

  // What is no address is nobody's; it takes as long to find that out.
  const address = normalAddress(identifier);
  const impossible = address === undefined || Buffer.byteLength(given) > MAX_PASSWORD_BYTES;
  const known = impossible ? undefined : await findPassword(ctx.db, address);
  let right: boolean;
  try {
    right = await verifyPassword(known?.hashed_password, impossible ? "" : given, ctx.signal);
  } catch (error) {
    if (!(error instanceof GateFull)) throw error;
    limits.giveBack(request.ip, identifier);
    return refused({ messages: [messages.busy], retryAfter: 3 });
  }
  if (!known || !right) {
    ctx.log.info({ ip: request.ip }, "sign-in refused");
    return refused({ messages: [messages.invalidCredentials] });
  }
  limits.giveBack(request.ip, identifier);
  if (known.state !== "active") return refused({ messages: [messages.deactivated] });
  return {
    done: {
      identityId: known.id,
      // A new one ends every session; none that the old one has begun comes after that.
      async commit(tx) {
        const now = await lockCredential<PasswordConfig>(tx, known.id, "password");
        return now?.hashed_password === known.hashed_password;
      },
    },
  };
}

interface PasswordConfig {
  hashed_password: string;
}

interface PasswordRow extends PasswordConfig {
  id: string;
  state: "active" | "inactive";
}

export function findPassword(
  db: Exchange["ctx"]["db"],
  email: Address,
): Promise<PasswordRow | undefined> {
  return db.first<PasswordRow>(sql`
    select i.id, i.state, c.config ->> 'hashed_password' as hashed_password
      from identities i
      join identity_credentials c on c.identity_id = i.id and c.type = 'password'
     where i.traits ->> 'email' = ${email}`);
}
