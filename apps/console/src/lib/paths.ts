import { stringifySearch } from "./search-params.ts";

/** Every address of the console is made here. */

type Query = Record<string, string | number | boolean | undefined | null>;

function withQuery(path: string, query: Query = {}): string {
  const entries = Object.entries(query).map(([name, value]) => [name, value?.toString()]);
  return `${path}${stringifySearch(Object.fromEntries(entries))}`;
}

export const paths = {
  home: () => "/",
  health: (query?: Query) => withQuery("/health", query),
  check: (checkId: string, query?: Query) => withQuery("/health", { ...query, checkId }),
  canary: (canaryId: string) => `/settings/canaries/${encodeURIComponent(canaryId)}`,
  teams: () => "/settings/teams",
  team: (teamId: string) => `/settings/teams/${encodeURIComponent(teamId)}`,
  tokens: () => "/settings/tokens",
  topology: () => "/topology",
  notifications: () => "/notifications",
  login: (query?: { return_to?: string; aal?: string; refresh?: boolean; flow?: string }) =>
    withQuery("/login", query),
  registration: (query?: Query) => withQuery("/registration", query),
  recovery: (query?: Query) => withQuery("/recovery", query),
  verification: (query?: Query) => withQuery("/verification", query),
  profile: () => "/profile-settings",
  authStateChecker: (returnTo: string) => withQuery("/auth-state-checker", { return_to: returnTo }),
  help: () => "/docs",
  flowError: (id: string) => withQuery("/error", { id }),
};

/** Where to go back to: paths of this origin only, anything else leads home. */
export function safeReturnTo(text: string | null | undefined): string {
  if (!text) return "/";
  // Any origin will do: what matters is whether the text leaves it.
  const base = "http://console.invalid";
  const url = URL.parse(text, base);
  if (!url || url.origin !== base || !text.startsWith("/") || text.includes("\\")) return "/";
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith("//") ||
    ["/login", "/registration", "/auth-state-checker"].includes(url.pathname)
    ? "/"
    : path;
}
