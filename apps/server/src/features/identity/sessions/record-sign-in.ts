import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

export async function recordSignIn(tx: Queryable, personId: string, at: Date): Promise<void> {
  await tx.run(sql`update people set last_login = ${at} where id = ${personId}`);
  // The first time only: whoever lists identities hears of it.
  await tx.run(sql`
    update identities set first_sign_in_at = ${at} where id = ${personId} and first_sign_in_at is null`);
}
