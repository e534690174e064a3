import sql from "sql-template-tag";
import type { Exchange } from "./exchange.ts";
import { GateFull } from "./gate.ts";
import { messages, type UiText } from "./messages.ts";
import { MAX_PASSWORD_BYTES, verifyPassword } from "./passwords.ts";

/** What is wrong with a form, for the form to say. */
export interface Refusal {
  messages?: UiText[];
  fieldMessages?: Record<string, UiText[]>;
  /** Seconds. */
  retryAfter?: number;
}

type Outcome = { identityId: string } | { refusal: Refusal; identifier: string };

const MAX_IDENTIFIER_LENGTH = 320;
// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f]/;

/**
 * Whose password it is. A wrong password and an unknown address are answered alike and cost the same; only the right
 * password learns that an account is deactivated.
 */
export async function signInWithPassword(
  { ctx, request, limits }: Exchange,
  fields: Record<string, unknown>,
): Promise<Outcome> {
  const identifier = text(fields.identifier ?? fields.password_identifier).trim();
  const password = text(fields.password);
  // Neither can be stored, and no address has them.
  const storable = identifier.isWellFormed() && !control.test(identifier);
  const shown = storable && identifier.length <= MAX_IDENTIFIER_LENGTH ? identifier : "";
  const refused = (refusal: Refusal): Outcome => ({ refusal, identifier: shown });

  const missing = Object.entries({ identifier, password }).filter(([, value]) => value === "");
  if (missing.length > 0) {
    return refused({
      fieldMessages: Object.fromEntries(missing.map(([name]) => [name, [messages.missing(name)]])),
    });
  }
  const wait = limits.take(request.ip, identifier);
  if (wait > 0) return refused({ messages: [messages.tooManyAttempts(wait)], retryAfter: wait });

  const impossible = identifier !== shown || Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
  const known = impossible ? undefined : await findPassword(ctx.db, identifier);
  let right: boolean;
  try {
    right = await verifyPassword(known?.hashed_password, impossible ? "" : password, ctx.signal);
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
  return { identityId: known.id };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

interface PasswordRow {
  id: string;
  state: "active" | "inactive";
  hashed_password: string;
}

function findPassword(db: Exchange["ctx"]["db"], email: string): Promise<PasswordRow | undefined> {
  return db.first<PasswordRow>(sql`
    select i.id, i.state, c.config ->> 'hashed_password' as hashed_password
      from identities i
      join identity_credentials c on c.identity_id = i.id and c.type = 'password'
     where lower(i.traits ->> 'email') = lower(${email})`);
}
