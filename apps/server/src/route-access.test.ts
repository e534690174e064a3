import { isAllowed, type Action, type Resource, type Role, roles } from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./testing/app.ts";
import { createPerson, type TestPerson } from "./testing/people.ts";

/**
 * Every endpoint, as every role and as nobody. What is expected is written here by hand: an endpoint that is new must
 * be judged before this passes. The data API has a test of its own (role-matrix.test.ts).
 */

type Rule = "session" | `${Action} ${Resource}` | readonly Role[];

const oryPaths = ["login", "registration", "recovery", "verification", "settings"].flatMap(
  (kind) => [
    `GET /api/.ory/self-service/${kind}/api`,
    `GET /api/.ory/self-service/${kind}/browser`,
    `GET /api/.ory/self-service/${kind}/flows`,
    `POST /api/.ory/self-service/${kind}`,
  ],
);

/** Whoever comes to these may be nobody yet; what they tell is about the asker alone. */
const open = [
  "GET /api/.ory/schemas",
  "GET /api/.ory/schemas/:id",
  ...oryPaths,
  "DELETE /api/.ory/self-service/logout/api",
  "DELETE /api/.ory/sessions",
  "DELETE /api/.ory/sessions/:id",
  "GET /api/.ory/.well-known/ory/webauthn.js",
  "GET /api/.ory/self-service/errors",
  "GET /api/.ory/self-service/logout",
  "GET /api/.ory/self-service/logout/browser",
  "GET /api/.ory/self-service/methods/oidc/callback/:provider",
  "GET /api/.ory/self-service/recovery",
  "GET /api/.ory/self-service/settings",
  "GET /api/.ory/self-service/verification",
  "GET /api/.ory/sessions",
  "GET /api/.ory/sessions/whoami",
  "POST /api/.ory/sessions/whoami",
  "GET /api/auth/mode",
  "GET /api/canary/beat/:token",
  "GET /api/canary/health",
  "POST /api/canary/beat/:token",
  "POST /api/canary/webhook/:name",
];

const ruled: Readonly<Record<string, Rule>> = {
  "DELETE /api/auth/tokens/:id": "session",
  // Each kind of documents asks for a right of its own; what is asked for here is none.
  "DELETE /api/documents/:kind/:name": "session",
  "DELETE /api/documents/:kind/:namespace/:name": "session",
  "GET /api/documents": "session",
  "GET /api/documents/:kind": "session",
  "GET /api/documents/:kind/:name": "session",
  "GET /api/documents/:kind/:namespace/:name": "session",
  "DELETE /api/catalog/notes/:id": "write comments",
  "PATCH /api/catalog/notes/:id": "write comments",
  "POST /api/catalog/items/:id/notes": "write comments",
  "DELETE /api/people/:id": "write identities",
  // Of one's own alone.
  "DELETE /api/saved-views/:id": "session",
  "GET /api/saved-views": "session",
  "PATCH /api/saved-views/:id": "session",
  "POST /api/saved-views": "session",
  "GET /api/artifacts/download/:id": "read canaries",
  "GET /api/artifacts/list/check/:id/:check_time": "read canaries",
  "GET /api/audit/acts": "read audit",
  "GET /api/auth/tokens": "session",
  "GET /api/catalog/changes": "read config_scrapers",
  "GET /api/catalog/items/:id/at": "read config_scrapers",
  "GET /api/catalog/items/:id/difference": "read config_scrapers",
  "GET /api/catalog/items/:id/moments": "read config_scrapers",
  "GET /api/connection/:id/uses": "read connections",
  "GET /api/auth/whoami": "session",
  "GET /api/canary/about": "session",
  "GET /api/canary/api/graph": "read canaries",
  "GET /api/canary/api/summary": "read canaries",
  "GET /api/canary/api/topology": "read topologies",
  "GET /api/events": "session",
  "GET /api/logs/download": "read logging_backends",
  "GET /api/logs/labels": "read logging_backends",
  "GET /api/logs/sources": "read logging_backends",
  "POST /api/logs": "read logging_backends",
  "GET /api/logs/tail": "read logging_backends",
  "POST /api/logs/ingest": "write logging_backends",
  "POST /api/logs/ingest/v1/logs": "write logging_backends",
  "POST /api/logs/context": "read logging_backends",
  "POST /api/logs/histogram": "read logging_backends",
  "GET /api/kubeconfig": "session",
  "GET /api/people/unmailed-invitations": "write identities",
  "GET /api/properties": "session",
  "GET /api/rbac/dump": "read rbac",
  "GET /api/schemas/:file": "session",
  "GET /api/security": "read security",
  "GET /api/topology": "read topologies",
  "GET /api/topology/states": "read topologies",
  "GET /api/topology/states/turns": "read topologies",
  "GET /api/explain/check/:id": "read canaries",
  "GET /api/explain/component/:id": "read topologies",
  "GET /api/explain/config/:id": "read config_scrapers",
  "POST /api/security/rotate-key": "write security",
  "GET /api/topology/propose": "read topologies",
  "POST /api/topology/propose": "read topologies",
  "GET /api/snapshot/config/:id": "read config_scrapers",
  "GET /api/snapshot/topology/:id": "read topologies",
  // Says that there are none of that kind.
  "GET /api/snapshot/:kind/:id": "session",
  "POST /api/auth/:id/properties": "write identities",
  "POST /api/auth/:id/update_state": "write identities",
  "POST /api/auth/invite_user": "write identities",
  "POST /api/auth/tokens": "session",
  "POST /api/canary/api/summary": "read canaries",
  "POST /api/canary/beat-url/:id": "write canaries",
  "POST /api/canary/changes": "write canaries",
  "POST /api/canary/documents": "write canaries",
  // Document 1, section 6: everyone but a viewer.
  "POST /api/canary/run/check/:id": ["admin", "editor", "commander", "responder"],
  "POST /api/canary/run/document": "write canaries",
  "POST /api/canary/script": "write canaries",
  "POST /api/catalog/changes": "read config_scrapers",
  "POST /api/catalog/changes/timeline": "read config_scrapers",
  "POST /api/catalog/scrapers/:id/run": "write config_scrapers",
  "POST /api/catalog/scrapers/run/document": "write config_scrapers",
  "POST /api/catalog/summary": "read config_scrapers",
  "POST /api/logs/backends/test/document": "write logging_backends",
  "POST /api/push/topology": "write topologies",
  "POST /api/topology/:id/abort": "write topologies",
  "POST /api/topology/:id/run": "write topologies",
  "POST /api/topology/run/document": "write topologies",
  "POST /api/connection/test/:id": "write connections",
  // Whoever may write none of the kinds has nothing read.
  "POST /api/documents": ["admin", "editor"],
  "POST /api/event-deliveries/retry": "write database",
  "POST /api/kubeconfig": "session",
  "POST /api/people/:id/reset-second-factor": "write identities",
  "POST /api/people/:id/sign-in-link": "write identities",
  "POST /api/people/update": "write identities",
  "POST /api/rbac/:id/update_role": "write rbac",
  "POST /api/resources/search": "session",
  ...Object.fromEntries(
    ["DELETE", "GET", "PATCH", "POST", "PUT"].map((method) => [
      `${method} /api/kubeproxy/*`,
      "session" as const,
    ]),
  ),
};

function mayAsk(role: Role, rule: Rule): boolean {
  if (rule === "session") return true;
  if (typeof rule !== "string") return rule.includes(role);
  const [action, resource] = rule.split(" ") as [Action, Resource];
  return isAllowed([role], resource, action);
}

let app: TestApp;
const people = new Map<Role, TestPerson>();

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  for (const role of roles) people.set(role, await createPerson(app, role));
});
afterAll(() => app.stop());

/** The status of an answer; what it would go on to say is not waited for. */
async function statusOf(endpoint: string, person: TestPerson | undefined): Promise<number> {
  const [method = "", path = ""] = endpoint.split(" ");
  const url = path
    .replaceAll(":file", "canary.schema.json")
    .replaceAll(/:\w+/g, "00000000-0000-0000-0000-0000000000ff")
    .replaceAll("*", "x");
  const gone = new AbortController();
  const reply = await fetch(app.address + url, {
    method,
    redirect: "manual",
    signal: gone.signal,
    headers: {
      ...(person ? { "x-session-token": person.token } : {}),
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
    },
    body: method === "GET" ? null : "{}",
  });
  gone.abort();
  return reply.status;
}

test("every endpoint has been judged", () => {
  const there = app.app.routes.map(({ method, url }) => `${method} ${url}`).toSorted();
  expect(there).toEqual([...open, ...Object.keys(ruled)].toSorted());
  const isOpen = app.app.routes.filter(({ access }) => access === "public");
  expect(isOpen.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual(open.toSorted());
});

describe.for(Object.entries(ruled))("%s", ([endpoint, rule]) => {
  test("is not for strangers", async () => {
    expect(await statusOf(endpoint, undefined)).toBe(401);
  });
  test.for(roles)("for %s", async (role) => {
    const status = await statusOf(endpoint, people.get(role));
    expect(status).not.toBe(401);
    expect(status === 403, `answered ${status}`).toBe(!mayAsk(role, rule));
    if (!endpoint.includes("kubeproxy")) expect(status).toBeLessThan(500);
  });
});
