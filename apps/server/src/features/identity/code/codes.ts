import { createHash, randomBytes, randomInt } from "node:crypto";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { Encryption } from "#platform/encryption.ts";
import type { FlowKind } from "../flows/flow-kinds.ts";

/**
 * One-time secrets. A code is short, typed in, belongs to one flow and survives few wrong tries; a link carries a long
 * secret, works in any browser, and is used by pressing a button, not by being looked at, because mail programs look
 * at links by themselves.
 */

export type CodePurpose = Exclude<FlowKind, "settings">;

/** Wrong codes that one flow takes before a new code has to be sent. */
const MAX_TRIES = 5;
export const CODE_LIFESPAN_MS = 10 * 60 * 1000;
const CODE_DIGITS = 6;

const codeShape = /^\d{6}$/;
const linkShape = /^[\w-]{43}$/;

const codeHash = (encryption: Encryption, flowId: string, code: string) =>
  encryption.mac(code, `code ${flowId}`);
const linkHash = (token: string) => createHash("sha256").update(token).digest("hex");

interface NewSecret {
  purpose: CodePurpose;
  identityId: string | null;
  /** What whoever has the secret proves to read; null when it proves nothing. */
  address: string | null;
  now: Date;
}

/** A new code for a flow, which takes the place of the one before and starts the tries anew. */
export async function issueCode(
  tx: Queryable,
  encryption: Encryption,
  { purpose, identityId, address, now, flowId }: NewSecret & { flowId: string },
): Promise<string> {
  const code = randomInt(10 ** CODE_DIGITS)
    .toString()
    .padStart(CODE_DIGITS, "0");
  await tx.run(sql`delete from identity_codes where flow_id = ${flowId}`);
  await tx.run(sql`
    insert into identity_codes (purpose, flow_id, identity_id, address, secret_hash, issued_at, expires_at)
    values (${purpose}, ${flowId}, ${identityId}, ${address}, ${codeHash(encryption, flowId, code)}, ${now},
            ${new Date(now.getTime() + CODE_LIFESPAN_MS)})`);
  return code;
}

/** A new link's secret; links from before stay good until one is used. */
export async function issueLink(
  tx: Queryable,
  { purpose, identityId, address, now, lifespanMs }: NewSecret & { lifespanMs: number },
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await tx.run(sql`
    insert into identity_codes (purpose, identity_id, address, secret_hash, issued_at, expires_at)
    values (${purpose}, ${identityId}, ${address}, ${linkHash(token)}, ${now}, ${new Date(now.getTime() + lifespanMs)})`);
  return token;
}

export interface Proof {
  id: string;
  identity_id: string | null;
  address: string | null;
}

/**
 * What a code proves, or undefined when it is wrong or there is none. Each call counts as a try, also where no code was
 * ever sent, so that nobody learns from the difference.
 */
export async function tryCode(
  db: Queryable,
  encryption: Encryption,
  { purpose, flowId, code, now }: { purpose: CodePurpose; flowId: string; code: string; now: Date },
): Promise<Proof | "tooOften" | undefined> {
  const counted = await db.first<{ tries: number }>(
    sql`update identity_flows set tries = tries + 1 where id = ${flowId} returning tries`,
  );
  if (!counted || counted.tries > MAX_TRIES) return "tooOften";
  const typed = code.replace(/[\s-]/g, "");
  if (!codeShape.test(typed)) return undefined;
  return await db.first<Proof>(sql`
    select id, identity_id, address from identity_codes
     where flow_id = ${flowId} and purpose = ${purpose} and used_at is null and expires_at > ${now}
       and secret_hash = any(${encryption.macs(typed, `code ${flowId}`)})`);
}

/** What the secret of a link proves, or undefined when it is not or no longer good. */
export async function findLink(
  db: Queryable,
  { purpose, token, now }: { purpose: CodePurpose; token: unknown; now: Date },
): Promise<Proof | undefined> {
  if (typeof token !== "string" || !linkShape.test(token)) return undefined;
  return await db.first<Proof>(sql`
    select id, identity_id, address from identity_codes
     where flow_id is null and purpose = ${purpose} and secret_hash = ${linkHash(token)} and used_at is null
       and expires_at > ${now}`);
}

/**
 * Uses a secret up, and with it every other one of the same person and purpose; false when it was used already, was
 * withdrawn, or has expired.
 */
export async function useUp(
  tx: Queryable,
  { id, identity_id: identityId }: Pick<Proof, "id" | "identity_id">,
  now: Date,
): Promise<boolean> {
  const used = await tx.first<{ purpose: string }>(sql`
    update identity_codes set used_at = ${now} where id = ${id} and used_at is null and expires_at > ${now}
    returning purpose`);
  if (!used) return false;
  if (identityId !== null)
    await tx.run(sql`
      update identity_codes set used_at = ${now}
       where identity_id = ${identityId} and purpose = ${used.purpose} and used_at is null`);
  return true;
}

/** Starts the tries of a flow anew, when a new code is asked for. */
export async function allowTries(tx: Queryable, flowId: string): Promise<void> {
  await tx.run(sql`update identity_flows set tries = 0 where id = ${flowId}`);
}

/** Whoever has read a mail to an address has it; nothing when the identity has another one by now. */
export async function markVerified(
  tx: Queryable,
  identityId: string,
  address: string,
  now: Date,
): Promise<boolean> {
  const marked = await tx.run(sql`
    update identity_addresses
       set verified = true, verified_at = coalesce(verified_at, ${now}), status = 'completed', updated_at = ${now}
     where identity_id = ${identityId} and value = ${address}`);
  return marked > 0;
}
