import { stringifySearch } from "./search-params.ts";

/** Every address of the console is made here. */

type Query = Record<string, string | number | boolean | undefined | null>;

function withQuery(path: string, query: Query = {}): string {
  const entries = Object.entries(query).map(([name, value]) => [name, value?.toString()]);
  return `${path}${stringifySearch(Object.fromEntries(entries))}`;
}

/** The addresses of all pages, as the route table has them; `paths` fills them in. */
export const patterns = {
  home: "/",
  health: "/health",
  catalog: "/catalog",
  catalogChanges: "/catalog/changes",
  catalogInsights: "/catalog/insights",
  catalogScrapers: "/catalog/scrapers",
  catalogScraper: "/catalog/scrapers/$scraperId",
  catalogItem: "/catalog/$itemId",
  catalogItemTab: "/catalog/$itemId/$tab",
  canaries: "/settings/canaries",
  canary: "/settings/canaries/$canaryId",
  documents: "/settings/documents",
  applyDocuments: "/settings/documents/apply",
  document: "/settings/documents/$kind/$documentId",
  connections: "/settings/connections",
  users: "/settings/users",
  integrations: "/settings/integrations",
  integration: "/settings/integrations/$integrationType/$integrationId",
  teams: "/settings/teams",
  team: "/settings/teams/$teamId",
  featureFlags: "/settings/feature-flags",
  tokens: "/settings/tokens",
  audit: "/settings/audit",
  jobs: "/settings/jobs",
  eventQueue: "/settings/event-queue-status",
  eventDeliveries: "/settings/event-queue-status/deliveries",
  security: "/settings/security",
  topology: "/topology",
  component: "/topology/$componentId",
  componentView: "/view/topology/$componentId",
  topologies: "/settings/topologies",
  topologyDocument: "/settings/topologies/$topologyId",
  logs: "/logs",
  logBackends: "/settings/logging-backends",
  logBackend: "/settings/logging-backends/$logBackendId",
  notifications: "/notifications",
  login: "/login",
  registration: "/registration",
  recovery: "/recovery",
  verification: "/verification",
  profile: "/profile-settings",
  authStateChecker: "/auth-state-checker",
  help: "/docs",
  flowError: "/error",
  sessionError: "/session-error",
} as const;

/** A pattern with its names replaced, in their order. */
const fill = (pattern: string, ...parts: readonly string[]) =>
  parts.reduce((text, part) => text.replace(/\$\w+/, encodeURIComponent(part)), pattern);

const one = (pattern: string) => (id: string) => fill(pattern, id);
const listed = (pattern: string) => (query?: Query) => withQuery(pattern, query);
const only = (pattern: string) => () => pattern;

export const paths = {
  home: only(patterns.home),
  health: listed(patterns.health),
  check: (checkId: string, query?: Query) => withQuery(patterns.health, { ...query, checkId }),
  catalog: listed(patterns.catalog),
  catalogChanges: listed(patterns.catalogChanges),
  catalogInsights: listed(patterns.catalogInsights),
  catalogScrapers: listed(patterns.catalogScrapers),
  catalogScraper: (scraperId: string, query?: Query) =>
    withQuery(fill(patterns.catalogScraper, scraperId), query),
  catalogItem: (itemId: string, query?: Query) =>
    withQuery(fill(patterns.catalogItem, itemId), query),
  catalogItemTab: (itemId: string, tab: string, query?: Query) =>
    withQuery(fill(patterns.catalogItemTab, itemId, tab), query),
  canaries: only(patterns.canaries),
  canary: one(patterns.canary),
  documents: listed(patterns.documents),
  applyDocuments: only(patterns.applyDocuments),
  document: (kind: string, documentId: string) => fill(patterns.document, kind, documentId),
  connections: listed(patterns.connections),
  connection: (connectionId: string) => withQuery(patterns.connections, { id: connectionId }),
  users: only(patterns.users),
  integrations: only(patterns.integrations),
  integration: (type: string, id: string) => fill(patterns.integration, type, id),
  teams: only(patterns.teams),
  team: one(patterns.team),
  featureFlags: only(patterns.featureFlags),
  tokens: only(patterns.tokens),
  audit: (query?: { resource_type?: string; resource_id?: string }) =>
    withQuery(patterns.audit, query),
  jobs: listed(patterns.jobs),
  eventQueue: only(patterns.eventQueue),
  eventDeliveries: listed(patterns.eventDeliveries),
  security: only(patterns.security),
  topology: listed(patterns.topology),
  component: (componentId: string, query?: Query) =>
    withQuery(fill(patterns.component, componentId), query),
  topologies: (query?: { addTopology?: "true" | "propose" }) =>
    withQuery(patterns.topologies, query),
  logs: listed(patterns.logs),
  topologyDocument: one(patterns.topologyDocument),
  logBackends: listed(patterns.logBackends),
  logBackend: one(patterns.logBackend),
  notifications: only(patterns.notifications),
  login: (query?: { return_to?: string; aal?: string; refresh?: boolean; flow?: string }) =>
    withQuery(patterns.login, query),
  registration: listed(patterns.registration),
  recovery: listed(patterns.recovery),
  verification: listed(patterns.verification),
  profile: only(patterns.profile),
  authStateChecker: (returnTo: string) =>
    withQuery(patterns.authStateChecker, { return_to: returnTo }),
  help: only(patterns.help),
  flowError: (id: string) => withQuery(patterns.flowError, { id }),
  sessionError: only(patterns.sessionError),
} satisfies Record<
  // Nothing of the console leads to a component's own view: other programs show it.
  Exclude<keyof typeof patterns, "componentView"> | "check" | "connection",
  (...parts: never[]) => string
>;

/** Where to go back to: paths of this origin only, anything else leads home. */
export function safeReturnTo(text: string | null | undefined): string {
  if (!text) return "/";
  // Any origin will do: what matters is whether the text leaves it.
  const base = "http://console.invalid";
  const url = URL.parse(text, base);
  if (!url || url.origin !== base || !text.startsWith("/") || text.includes("\\")) return "/";
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith("//") ||
    [patterns.login, patterns.registration, patterns.authStateChecker].some(
      (pattern) => pattern === url.pathname,
    )
    ? "/"
    : path;
}
