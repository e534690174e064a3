import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";

/** One that somebody belongs to at the provider. */
export interface Organization {
  id: string;
  name: string;
  /** Its server, where the provider knows one: what is `/api/x` here is `/x` there. */
  backendUrl?: string;
}

const MAX_LISTED = 500;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value.trim() !== "");

/**
 * The organizations that the provider lists in the claim `organizations`: ids, or objects with `id`, `name` and
 * `backend_url`, which may lie in `public_metadata`. Nothing when it lists none: then there is only the one of the token.
 */
export function listedOrganizations(claims: Record<string, unknown>): Organization[] | undefined {
  const { organizations: list } = claims;
  if (!Array.isArray(list)) return undefined;
  const found = new Map<string, Organization>();
  for (const item of list.slice(0, MAX_LISTED)) {
    const entry: Record<string, unknown> = isRecord(item) ? item : { id: item };
    const id = text(entry.id, entry.org_id);
    if (id === undefined) continue;
    const metadata = isRecord(entry.public_metadata) ? entry.public_metadata : {};
    const backendUrl = text(entry.backend_url, metadata.backend_url);
    const name = text(entry.name, entry.slug) ?? id;
    found.set(id, { id, name, ...(backendUrl === undefined ? {} : { backendUrl }) });
  }
  return [...found.values()].toSorted((one, other) => one.name.localeCompare(other.name));
}

/** The organization that a token is for. */
export function currentOrganization(claims: Record<string, unknown>): Organization | undefined {
  const short = isRecord(claims.o) ? claims.o : {};
  const id = text(claims.org_id, short.id);
  if (id === undefined) return undefined;
  const listed = listedOrganizations(claims)?.find((organization) => organization.id === id);
  return listed ?? { id, name: text(claims.org_name, claims.org_slug, short.slg) ?? id };
}

/** This window's choice, else the one made last in any. */
const KEY = "mainstay.organization";

export const chosenOrganization = (): string | undefined =>
  window.sessionStorage.getItem(KEY) ?? readStored(KEY) ?? undefined;

export function chooseOrganization(id: string | null): void {
  if (id === null) window.sessionStorage.removeItem(KEY);
  else window.sessionStorage.setItem(KEY, id);
  writeStored(KEY, id);
}
