import { randomInt } from "node:crypto";
import sql from "sql-template-tag";
import { grantRole } from "#features/roles/index.ts";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { createIdentity } from "./create-identity.ts";

export interface FirstAdministrator {
  email: string;
  /** Only when it was made here: to be shown once, it is kept nowhere. */
  password?: string;
  created: boolean;
}

/**
 * Creates the administrator of a database that has no identity yet; otherwise nothing. Nothing either where nobody
 * signs in, or where another service says who people are: a password made there would be of no use.
 */
export async function createFirstAdministrator(
  ctx: Ctx,
  config: Pick<Config, "adminEmail" | "adminPassword" | "checkerOnly" | "identityUrl">,
): Promise<FirstAdministrator> {
  const { adminEmail, adminPassword, checkerOnly, identityUrl } = config;
  if (checkerOnly || identityUrl !== undefined) return { email: adminEmail, created: false };
  return await ctx.tx(async (tx) => {
    // Two servers may start at once.
    await tx.run(sql`lock table identities in share row exclusive mode`);
    if (await tx.first(sql`select from identities limit 1`))
      return { email: adminEmail, created: false };
    const password = adminPassword ?? makePassword();
    const { id } = await createIdentity(tx, {
      email: adminEmail,
      firstName: "Admin",
      lastName: "",
      password,
    });
    await grantRole(tx, id, "admin");
    return { email: adminEmail, created: true, ...(adminPassword ? {} : { password }) };
  });
}

/** What to tell whoever started the server that made it. */
export function howToSignIn({ email, password, created }: FirstAdministrator): string[] {
  if (!created) return [];
  return password === undefined
    ? [`Sign in as ${email} with the password you set.`]
    : [
        `Sign in as ${email} with the password ${password}`,
        "(made for this first start and not shown again)",
      ];
}

/** Without the signs that are taken for one another. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

/** Four groups of five signs: 100 bits. */
function makePassword(): string {
  const group = () =>
    Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: 4 }, group).join("-");
}
