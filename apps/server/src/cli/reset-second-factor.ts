import { StartupError } from "@mainstay/embedded-postgres";
import { normalAddress } from "#platform/address.ts";
import { ask, findServer, type ServerFlags } from "./server-access.ts";

/**
 * The way back in for an administrator who has lost the last second factor: whoever has the server's machine may do it
 * without signing in.
 */
export async function resetSecondFactor(typed: string, options: ServerFlags): Promise<void> {
  const email = normalAddress(typed);
  if (!email) throw new StartupError(`${typed} is no e-mail address.`);
  const access = findServer(options);
  const filter = new URLSearchParams({ email: `eq.${email}`, deleted_at: "is.null", select: "id" });
  const [person] = await ask<{ id: string }[]>(
    access,
    "GET",
    `/api/db/people?${filter.toString()}`,
  );
  if (!person) throw new StartupError(`There is nobody with the e-mail address ${email}.`);
  const { removed } = await ask<{ removed: string[] }>(
    access,
    "POST",
    `/api/people/${person.id}/reset-second-factor`,
  );
  console.log(
    removed.length > 0
      ? `${email} has no second factor any more (removed: ${removed.join(", ")}) and was signed out everywhere.`
      : `${email} has no second factor.`,
  );
}
