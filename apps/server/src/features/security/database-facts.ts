import type { SecurityFact } from "@mainstay/contract";
import type { Queryable } from "#platform/db/database.ts";
import { isSuperuser } from "#platform/db/is-superuser.ts";
import { factsThatHold } from "#platform/security-facts.ts";

/** What the database's user weakens. */
export async function databaseFacts(db: Queryable): Promise<SecurityFact[]> {
  return factsThatHold([
    [
      await isSuperuser(db),
      () => ({
        id: "database.superuser",
        title: "The database's user is a superuser",
        state: "The user of DATABASE_URL may do everything there.",
        cost: "Whoever gets past the server's own rules runs programs and reads files on the database's machine.",
        remedy:
          "Give DATABASE_URL a user with rows only, and name the one that owns the tables with MIGRATION_DATABASE_URL.",
        setting: "DATABASE_URL",
        weight: "serious",
      }),
    ],
  ]);
}
