import { ask, type ServerAccess } from "./server-access.ts";

/** What names a connection, in a document or another connection. */
export interface ConnectionUse {
  kind: string;
  namespace: string;
  name: string;
  place: string;
}

/** Places that are named at most. */
const mostNamed = 20;

export async function readUses(access: ServerAccess, id: string): Promise<ConnectionUse[]> {
  const { uses } = await ask<{ uses: ConnectionUse[] }>(
    access,
    "GET",
    `/api/connection/${id}/uses`,
  );
  return uses;
}

/** Says what fails when connections are gone; whether there is anything. */
export function nameUses(title: string, uses: readonly ConnectionUse[]): boolean {
  if (uses.length === 0) return false;
  console.error(`connection ${title} is used by:`);
  for (const { kind, namespace, name, place } of uses.slice(0, mostNamed))
    console.error(`  ${kind} ${namespace}/${name}: ${place}`);
  if (uses.length > mostNamed) console.error(`  and ${uses.length - mostNamed} more places`);
  return true;
}

export const whyNotDeleted =
  "Nothing was deleted. They fail until they name another connection; give --yes to delete it all the same.";
