import sql from "sql-template-tag";
import type { Tx } from "#platform/context.ts";
import { credentialTypes } from "./credentials.ts";
import type { UiText } from "./flows/messages.ts";
import { Refused } from "./flows/method.ts";

const isWayIn = (type: string): boolean =>
  type === "password" || type === "passkey" || type.startsWith("oidc:");

/**
 * Refuses what would leave a person without a way to sign in. At the end of what takes one away, so that of two at once
 * the later one sees what the first has left.
 */
export async function keepWayIn(tx: Tx, identityId: string, lastOne: UiText): Promise<void> {
  await tx.run(sql`select from identities where id = ${identityId} for update`);
  const types = await credentialTypes(tx, identityId);
  if (![...types].some(isWayIn)) throw new Refused({ messages: [lastOne] });
}
