import { QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { act, render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { vi } from "vitest";
import type { Role } from "@mainstay/contract/permissions.ts";
import { contributions, documentKinds, resources } from "../app/navigation.ts";
import { DocumentKindsContext } from "../lib/documents/document-kinds.ts";
import type { Change } from "../lib/refreshing.ts";
import { ResourcesContext } from "../lib/resources/use-resource-kind.ts";
import { PlacesContext } from "../lib/places/use-guests.ts";
import { makeQueryClient } from "../app/query-client.ts";
import { makeRouter } from "../app/router.tsx";
import { buildGraph } from "../features/health/testing/build-graph.ts";
import { fakeApi, type FakeRoute } from "./fake-api.ts";

/** Stands in for the browser's: the test says what the server would. */
export class FakeStream extends EventTarget {
  static readonly CLOSED = 2;
  static latest: FakeStream | undefined;
  readonly readyState = 1;

  constructor() {
    super();
    FakeStream.latest = this;
  }
  close(): void {
    if (FakeStream.latest === this) FakeStream.latest = undefined;
  }
  static change(table: string, rows: Omit<Change, "table"> = {}): void {
    FakeStream.latest?.dispatchEvent(
      new MessageEvent("change", { lastEventId: "e-2", data: JSON.stringify({ table, ...rows }) }),
    );
  }
}

const at = "2026-01-01T00:00:00Z";
const vera = { id: "p2", name: "Vera", email: "vera@example.com", avatar: null };
const canary = {
  id: "y1",
  name: "shop",
  namespace: "web",
  source: "UI",
  spec: { interval: 30 },
  labels: {},
  created_at: at,
  updated_at: at,
};
const check = {
  id: "c1",
  canary_id: "y1",
  canary_name: "shop",
  name: "front page",
  type: "http",
  status: "unhealthy",
  namespace: "web",
  labels: {},
  last_runtime: at,
  uptime: { passed: 1, failed: 1 },
  latency: { rolling1h: 1, p95: 1, p97: 1, p99: 1 },
  recent: [],
  created_at: at,
  updated_at: at,
};
const rows = (...body: unknown[]): FakeRoute => {
  const range = body.length === 0 ? "*/0" : `0-${body.length - 1}/${body.length}`;
  return () => ({ body, headers: { "content-range": range } });
};

const storedCanary = {
  id: "y1",
  source: null,
  created_at: at,
  updated_at: at,
  document: {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "shop", namespace: "web", uid: "y1" },
    spec: { interval: 30 },
  },
  text: "apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: { name: shop, namespace: web, uid: y1 }\nspec: { interval: 30 }\n",
};

/** One row of everything there is. */
const server: Record<string, FakeRoute> = {
  "GET /api/canary/about": () => ({ body: { Version: "1.2.3" } }),
  "GET /api/.ory/sessions/whoami": () => ({ body: { id: "s1", active: true } }),
  "GET /api/.ory/sessions": () => ({ body: [] }),
  "GET /api/.ory/self-service/settings/browser": () => ({
    body: { id: "f1", ui: { action: "/", method: "post", nodes: [] } },
  }),
  "GET /api/canary/api/summary": () => ({ body: { duration: 1, checks_summary: [check] } }),
  "GET /api/topology": () => ({
    body: {
      components: [
        {
          id: "k1",
          agent_id: "00000000-0000-0000-0000-000000000000",
          external_id: "shop",
          name: "web shop",
          status: "healthy",
          health: "healthy",
          order: 0,
          created_at: at,
          updated_at: at,
        },
      ],
    },
  }),
  "GET /api/db/topologies": rows({
    id: "o1",
    name: "system",
    namespace: "default",
    spec: {},
    labels: {},
    source: "UI",
    created_at: at,
    deleted_at: null,
  }),
  "GET /api/db/logging_backends": rows({
    id: "l1",
    name: "lines",
    namespace: "default",
    spec: { backends: [{ loki: { url: "http://loki.example.org" } }] },
    labels: {},
    source: "UI",
    created_by: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
  }),
  "GET /api/db/topologies_with_status": rows({
    id: "o1",
    name: "system",
    namespace: "default",
    source: "UI",
    schedule: null,
    created_by: null,
    created_at: at,
    updated_at: at,
    job_name: null,
    job_status: null,
    job_details: null,
  }),
  "GET /api/documents/topology/o1": () => ({
    body: {
      id: "o1",
      source: null,
      created_at: at,
      updated_at: at,
      document: {
        apiVersion: "canaries.flanksource.com/v1",
        kind: "Topology",
        metadata: { name: "system", namespace: "default", uid: "o1" },
        spec: { components: [{ name: "web", type: "App" }] },
      },
      text: "apiVersion: canaries.flanksource.com/v1\nkind: Topology\nmetadata: { name: system, namespace: default, uid: o1 }\nspec: { components: [{ name: web, type: App }] }\n",
    },
  }),
  "GET /api/documents/logging-backend/l1": () => ({
    body: {
      id: "l1",
      source: null,
      created_at: at,
      updated_at: at,
      document: {
        apiVersion: "apm-hub.flanksource.com/v1",
        kind: "LoggingBackend",
        metadata: { name: "lines", namespace: "default", uid: "l1" },
        spec: { backends: [{ loki: { url: "http://loki.example.org" } }] },
      },
      text: "apiVersion: apm-hub.flanksource.com/v1\nkind: LoggingBackend\nmetadata: { name: lines, namespace: default, uid: l1 }\nspec: { backends: [{ loki: { url: http://loki.example.org } }] }\n",
    },
  }),
  "GET /api/explain/component/k1": () => ({
    body: { text: "web shop is healthy", isWell: true, causes: [], changes: [] },
  }),
  "GET /api/db/config_component_relationships": rows(),
  "GET /api/db/agents": rows(),
  "GET /api/canary/api/graph": () => ({ body: buildGraph() }),
  "GET /api/db/checks": rows({ ...check, canaries: canary, components: [], configs: [] }),
  "GET /api/db/check_statuses": rows(),
  "GET /api/db/canaries": rows(canary),
  "GET /api/db/canaries_with_status": rows({
    ...canary,
    created_by: null,
    job_name: "Canary",
    job_status: "SUCCESS",
    job_details: null,
  }),
  "GET /api/documents/canary/y1": () => ({ body: storedCanary }),
  "GET /api/db/identities": rows({
    id: "p2",
    state: "active",
    created_at: at,
    traits: { email: vera.email, name: { first: "Vera", last: "Viewer" } },
  }),
  "GET /api/db/people": rows(vera),
  "GET /api/db/teams": rows({
    id: "t1",
    name: "Database",
    source: "UI",
    spec: null,
    created_at: at,
    updated_at: at,
    created_by: null,
    members: [{ person: vera }],
  }),
  "GET /api/db/teams_with_status": rows({
    id: "t1",
    name: "Database",
    source: "UI",
    created_at: at,
    updated_at: at,
    created_by: null,
    members: [{ person: vera }],
    job_name: null,
    job_status: null,
    job_details: null,
  }),
  "GET /api/db/config_scrapers": rows({
    id: "s1",
    name: "machines",
    namespace: "default",
    spec: { schedule: "@every 10m" },
    labels: {},
    source: "UI",
    created_at: "2026-01-01T00:00:00Z",
    deleted_at: null,
  }),
  "GET /api/db/config_scrapers_with_status": rows({
    id: "s1",
    name: "machines",
    namespace: "default",
    spec: { schedule: "@every 10m", host: [{}] },
    labels: {},
    source: "UI",
    created_by: null,
    created_at: at,
    updated_at: at,
    job_name: "Scraper",
    job_status: "SUCCESS",
    job_details: null,
    job_success_count: 12,
    job_error_count: 0,
  }),
  "GET /api/db/integrations_with_status": rows({
    id: "s1",
    name: "machines",
    namespace: "default",
    integration_type: "scrapers",
    source: "UI",
    created_by: null,
    created_at: at,
    updated_at: at,
    job_name: "Scraper",
    job_status: "SUCCESS",
    job_details: null,
  }),
  "GET /api/documents/scraper/s1": () => ({
    body: {
      id: "s1",
      source: null,
      created_at: at,
      updated_at: at,
      document: {
        apiVersion: "configs.flanksource.com/v1",
        kind: "ScrapeConfig",
        metadata: { name: "machines", namespace: "default", uid: "s1" },
        spec: { host: [{}] },
      },
      text: "apiVersion: configs.flanksource.com/v1\nkind: ScrapeConfig\nmetadata: { name: machines, namespace: default, uid: s1 }\nspec: { host: [{}] }\n",
    },
  }),
  "POST /api/catalog/summary": () => ({
    body: [{ type: "Host::Package", count: 1, health: { healthy: 1 }, created_at: at }],
  }),
  "GET /api/db/configs": rows({
    id: "i1",
    name: "curl",
    type: "Host::Package",
    config_class: "Package",
    health: "healthy",
    status: "installed",
    labels: {},
    tags: {},
    changes: null,
    analysis: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    last_scraped_time: at,
    agent: null,
  }),
  "GET /api/db/config_types": rows({ type: "Host::Package" }),
  "GET /api/db/config_statuses": rows({ status: "installed" }),
  "GET /api/db/config_tags": rows({ key: "host", value: "web-1" }),
  "GET /api/db/config_detail": rows({
    id: "i1",
    name: "orders",
    type: "Kubernetes::Deployment",
    config_class: "Deployment",
    status: "Running",
    health: "healthy",
    external_id: ["orders"],
    tags: {},
    labels: {},
    properties: null,
    last_scraped_time: at,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    summary: { changes: 1, analysis: 0, relationships: 0, playbook_runs: 0, checks: 0 },
    annotations: null,
    agent: null,
    config_scrapers: { id: "s1", name: "machines" },
  }),
  "GET /api/db/config_items": rows({ config: { kind: "Deployment" } }),
  "POST /api/catalog/changes": () => ({ body: {} }),
  "POST /api/catalog/changes/timeline": () => ({
    body: { from: at, to: "2026-01-08T00:00:00Z", step_ms: 3_600_000, spans: [] },
  }),
  "GET /api/db/change_types": rows(),
  "GET /api/db/config_notes": rows(),
  "GET /api/catalog/items/i1/moments": () => ({
    body: { since: at, hasMore: false, moments: [] },
  }),
  "GET /api/db/config_analysis_items": rows(),
  "GET /api/db/config_analysis_analyzers": rows(),
  "GET /api/db/components": rows(),
  "GET /api/db/connections": rows({
    id: "n1",
    name: "orders db",
    namespace: "web",
    type: "postgres",
    url: "postgres://db.example/orders",
    username: "ann",
    password: "***",
    certificate: null,
    properties: null,
    insecure_tls: false,
    source: "UI",
    created_by: null,
    created_at: at,
    updated_at: at,
  }),
  "GET /api/connection/n1/uses": () => ({ body: { uses: [] } }),
  "GET /api/db/properties": rows({ name: "color", value: "red", created_at: at, updated_at: at }),
  "GET /api/db/audit_entries": rows(),
  "GET /api/people/unmailed-invitations": rows(),
  "GET /api/db/job_histories": rows(),
  "GET /api/db/job_history_names": rows(),
  "GET /api/db/event_queue_summary": rows(),
  "GET /api/db/event_deliveries": rows({
    id: 1,
    event_id: "e1",
    event: "note.added",
    handler: "notes/remember",
    subject: "n1",
    priority: 100,
    due_at: at,
    attempts: 33,
    last_attempt: at,
    error: "no",
    parked_at: at,
  }),
  "POST /api/logs": () => ({
    body: {
      total: 1,
      results: [{ id: "1-1", timestamp: at, message: "ready", labels: { app: "shop" } }],
    },
  }),
  "POST /api/logs/histogram": () => ({
    body: { step: 60_000, start: at, end: at, buckets: [{ start: at, counts: { info: 1 } }] },
  }),
  "GET /api/logs/sources": () => ({
    body: { sources: [{ id: "store", name: "Mainstay", type: "store" }] },
  }),
  "GET /api/db/components_with_logs": rows(),
  "GET /api/security": () => ({ body: { facts: [] } }),
  "GET /api/auth/tokens": () => ({
    body: {
      tokens: [
        {
          id: "k1",
          name: "ci",
          kind: "personal",
          person: { id: "p1", name: "Ada" },
          roles: null,
          effective_roles: ["viewer"],
          created_at: at,
          expires_at: null,
          last_used_at: null,
        },
      ],
    },
  }),
};

export interface ConsoleOptions {
  roles: readonly Role[];
  /** Feature flags, by name. */
  flags?: Readonly<Record<string, string>>;
  address?: string;
  answers?: Record<string, FakeRoute>;
}

/** The console as it is, for somebody, on a server that has one of everything. */
export async function openConsole({ roles, flags = {}, address, answers }: ConsoleOptions) {
  vi.stubGlobal("EventSource", FakeStream);
  const now = { roles, flags };
  const api = fakeApi({
    ...server,
    "GET /api/auth/whoami": () => ({
      body: { payload: { user: { id: "p1", name: "Ada", email: "ada@example.com" } } },
    }),
    "GET /api/properties": () => ({
      body: [
        { name: "color", value: "red", source: "db" },
        ...Object.entries(now.flags).map(([name, value]) => ({ name, value, source: "local" })),
      ],
    }),
    "GET /api/db/people_roles": ({ url }) => ({
      body: [{ id: "p1", roles: now.roles }].filter(({ id }) => url.search.includes(id)),
    }),
    ...answers,
  });
  const queryClient = makeQueryClient();
  queryClient.setDefaultOptions({ queries: { retry: false } });
  const router = makeRouter(queryClient);
  router.update({ history: createMemoryHistory({ initialEntries: [address ?? "/docs"] }) });
  await act(async () => {
    render(
      <QueryClientProvider client={queryClient}>
        <PlacesContext value={contributions}>
          <DocumentKindsContext value={documentKinds}>
            <ResourcesContext value={resources}>
              <RouterProvider router={router} />
            </ResourcesContext>
          </DocumentKindsContext>
        </PlacesContext>
      </QueryClientProvider>,
    );
    await router.load();
  });
  return {
    api,
    queryClient,
    now,
    user: userEvent.setup(),
    goTo: (to: string) => act(async () => router.navigate({ href: to })),
  };
}

/** Waits without sleeping for long: what is drawn is there within milliseconds, hundreds of times. */
export const eventually = (look: () => void): Promise<void> =>
  vi.waitFor(look, { timeout: 10_000, interval: 5 });

/** What stands where the page should be: its heading, or why it is not there. */
export function shownPage(): string | undefined {
  const main = document.querySelector("main");
  if (main?.querySelector("[role=alert]")?.textContent?.startsWith("Unauthorized - "))
    return "unauthorized";
  const heading = document.querySelector("h1")?.textContent;
  return heading === "Page not found" ? "absent" : heading;
}
