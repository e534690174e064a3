import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { effectiveRoles, type Role } from "@mainstay/contract/permissions.ts";
import { aboutQuery } from "#lib/about.ts";
import { ApiError } from "#lib/api-error.ts";
import { disableSignIn, get } from "#lib/api.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { db, oneOf } from "#lib/db.ts";
import { hosted } from "#lib/hosted.ts";
import { paths } from "#lib/paths.ts";
import { checkSession } from "./front/calls.ts";
import { type Person, type Property, type Session, sessionKey } from "#lib/use-access.ts";

/** The asker must sign in first; the address says where. */
export class SignInNeeded extends Error {
  readonly to: string;
  constructor(to: string) {
    super("Sign in first.");
    this.name = "SignInNeeded";
    this.to = to;
  }
}

const here = () => `${window.location.pathname}${window.location.search}`;

/** K1: 401 asks for a sign-in, 403 and 422 for a second factor, anything else is a failure. */
async function requireSession(signal: AbortSignal): Promise<void> {
  try {
    await checkSession(signal);
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 401) throw new SignInNeeded(paths.login({ return_to: here() }));
    if (status === 403 || status === 422)
      throw new SignInNeeded(paths.login({ aal: "aal2", return_to: here() }));
    throw error;
  }
}

interface Whoami {
  payload?: { user?: Person; code_roles?: Role[] } & Partial<Person>;
}

async function readPerson(signal: AbortSignal): Promise<{ person: Person; codeRoles?: Role[] }> {
  const body = await get<Whoami>("/api/auth/whoami", { signal });
  const person = body.payload?.user ?? body.payload;
  if (!person?.id)
    throw new Error("The server did not say who is signed in (/api/auth/whoami has no user).");
  const codeRoles = body.payload?.code_roles;
  return { person: person as Person, ...(codeRoles && { codeRoles }) };
}

/** Start-up calls: who is there (K1), then flags (F1) and person (A1) side by side, then roles (A2). */
export function startUpQuery(client: QueryClient) {
  return queryOptions({
    queryKey: sessionKey,
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
    meta: {
      tables: ["properties", "people", "people_roles"],
      rows: (session) => {
        const { person } = session as Session;
        const own = person ? [person.id] : [];
        return { people: own, people_roles: own };
      },
    },
    queryFn: async ({ signal }): Promise<Session> => {
      // A checker-only server has no identity service to ask, so what kind of server it is comes first. One that wants
      // a session for this answers 401, and is then asked as usual.
      const about = await client.fetchQuery(aboutQuery).catch((error: unknown) => {
        if (error instanceof ApiError && error.status !== 0) return null;
        throw error;
      });
      if (about?.checkerOnly) {
        disableSignIn();
        return { person: null, roles: [], properties: [], about };
      }
      // Whoever came in by way of the hosted provider was asked about before.
      if (!hosted()) await requireSession(signal);
      const [properties, asker] = await Promise.all([
        get<Property[]>("/api/properties", { signal }),
        readPerson(signal),
      ]);
      const granted = await db.list(
        "people_roles",
        { where: { id: oneOf([asker.person.id]) } },
        { signal },
      );
      return { ...asker, properties, about, roles: effectiveRoles(rolesOf(granted)) };
    },
  });
}

const rolesOf = (granted: Pick<Rows["people_roles"], "roles">[]) =>
  (granted[0]?.roles ?? []).filter((role) => role !== null);
