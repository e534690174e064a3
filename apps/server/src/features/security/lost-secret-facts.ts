import type { SecurityFact } from "@mainstay/contract";
import type { Queryable } from "#platform/db/database.ts";
import type { EncryptedStore } from "#platform/encrypted-stores.ts";
import { listForgotten } from "#platform/forget-key.ts";
import { counted, factsThatHold } from "#platform/security-facts.ts";

/** Documents that are named; more are counted. */
const mostNamed = 10;

/** What was given up with a key and waits to be written again. */
export async function lostSecretFacts(
  db: Queryable,
  stores: readonly EncryptedStore[],
): Promise<SecurityFact[]> {
  const { count, first } = await listForgotten(db, stores, { most: mostNamed });
  const others = count - first.length;
  return factsThatHold([
    [
      count > 0,
      () => ({
        id: "secrets.lost",
        title: "Secrets were given up with a lost key",
        state: `${first.join(", ")}${others > 0 ? ` and ${counted(others, "other document", "other documents")}` : ""} lack secrets that were encrypted with it.`,
        cost: "What connects with them fails, and says so.",
        remedy: "Write the secrets again, in the console or by applying the documents.",
        weight: "notable",
      }),
    ],
  ]);
}
