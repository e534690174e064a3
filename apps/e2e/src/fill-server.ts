import type { APIRequestContext } from "playwright-core";
import { applyDocument, rowThatComes } from "./bring.ts";
import type { Parts } from "./console-routes.ts";

const people = [
  ["Åsa", "Lindqvist-Sørensen", "editor"],
  ["Бояна", "Петрова", "viewer"],
  ["春香", "天海", "commander"],
  ["Maximiliana", "von und zu Hohenzollern-Sigmaringen", "responder"],
  ["Jo", "O", "viewer"],
] as const;

const scraper = `
apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata: { name: shop }
spec:
  schedule: "@every 24h"
  full: true
  exec:
    - script: |
        echo '[{"id": "orders", "name": "orders-with-a-name-that-takes-more-room-than-there-is",
               "config": {"replicas": 2, "metadata": {"annotations": {"owner": "shop", "runbook": "https://runbooks.example.com/orders"}}},
               "changes": [{"change_type": "ScalingReplicaSet", "summary": "Scaled up to 2", "severity": "medium", "external_change_id": "1"}],
               "analysis": [{"analyzer": "a-rule-with-a-name-that-takes-more-room-than-there-is", "analysis_type": "security", "severity": "high", "summary": "It runs as root"}]}]'
      id: $.id
      name: $.name
      type: Kubernetes::Deployment
      tags: [{ name: namespace, value: shop }]
`;

/** Has an item brought into the catalog. @returns its id, and that of its scraper */
async function scrapeItem(
  request: APIRequestContext,
): Promise<{ itemId: string; scraperId: string }> {
  const scraperId = await applyDocument(request, scraper);
  await request.post(`/api/catalog/scrapers/${scraperId}/run`);
  const itemId = await rowThatComes(request, "config_names?select=id&external_id=cs.{orders}");
  return { itemId, scraperId };
}

const topology = `
apiVersion: canaries.flanksource.com/v1
kind: Topology
metadata: { name: shop-system }
spec:
  schedule: "@every 24h"
  components:
    - name: shop
      type: System
      components:
        - name: a-component-with-a-name-that-takes-more-room-than-there-is
          health: unhealthy
          owner: Platform
          labels: { team: web, tier: "1" }
          checks: [{ selector: { name: orders* } }]
          configs: [{ search: orders }]
          properties:
            - { name: url, text: "https://shop.example.com", type: url, headline: true }
            - { name: memory, value: 1900000000, max: 2000000000, unit: bytes }
            - { name: cpu, value: 250, max: 1000, unit: millicores }
            - { name: cost, value: 1250, type: currency }
            - { name: errors, value: 3, unit: percent }
            - { name: version, text: v1.2.3-with-a-suffix-that-takes-more-room-than-there-is }
            - { name: since, text: "2026-01-01T00:00:00Z", type: age }
        - { name: db, health: warning, type: Database }
        - { name: cache, health: healthy, hidden: true }
`;

const logBackend = `
apiVersion: apm-hub.flanksource.com/v1
kind: LoggingBackend
metadata: { name: a-log-backend-with-a-name-that-takes-more-room-than-there-is }
spec:
  backends:
    - loki: { url: "http://127.0.0.1:9" }
      routes: [{ type: Nothing }]
`;

/** Has a topology looked up. @returns its id, and that of a component of which there is much to say */
async function lookUpComponents(
  request: APIRequestContext,
): Promise<{ topologyId: string; componentId: string }> {
  const topologyId = await applyDocument(request, topology);
  const componentId = await rowThatComes(
    request,
    `components?select=id&topology_id=eq.${topologyId}&name=eq.shop`,
  );
  return { topologyId, componentId };
}

/** Gives a server what one in use has: people of many names, teams, flags, connections, tokens, checks of both ends. */
export async function fillServer(request: APIRequestContext, target: string): Promise<Parts> {
  async function post<Reply>(path: string, data: unknown): Promise<Reply> {
    const reply = await request.post(path, { data, headers: { prefer: "return=representation" } });
    if (!reply.ok()) throw new Error(`POST ${path}: ${reply.status()} ${await reply.text()}`);
    return (await reply.json()) as Reply;
  }
  for (const [at, [firstName, lastName, role]] of people.entries())
    await post("/api/auth/invite_user", {
      firstName,
      lastName,
      email: `somebody.with.a.long.address.${at}@operations.example.com`,
      role,
    });
  // Those who can be in a team: another journey on the same server may have deleted somebody, or made a service.
  const everybody = (await (
    await request.get("/api/db/people?select=id&deleted_at=is.null&email=not.is.null")
  ).json()) as { id: string }[];
  const teams: string[] = [];
  for (const name of ["Platform", "Night shift", `A${" very".repeat(12)} long name`]) {
    const [team] = await post<{ id: string }[]>("/api/db/teams", {
      name,
      icon: "kubernetes",
      spec: { channel: { slack: "#on-call" } },
    });
    teams.push(team!.id);
  }
  await post(
    "/api/db/team_members",
    everybody.map(({ id }) => ({ team_id: teams[0], person_id: id })),
  );
  for (const name of ["incidents.disable", "playbooks.disable", "dashboard.default.view"])
    await post("/api/db/properties", { name, value: "true" });
  for (const [name, type] of [
    ["orders database", "postgres"],
    ["a-service-with-a-name-that-takes-more-room-than-there-is", "http"],
  ])
    await post("/api/db/connections", { name, namespace: "shop", type, url: target });
  for (const name of ["laptop", "deploy pipeline of the shop"])
    await post("/api/auth/tokens", { name });
  const canaries: string[] = [];
  for (const [name, url] of [
    ["orders", target],
    [
      "a-service-with-a-name-that-takes-more-room-than-there-is",
      new URL("long/path?of=it", target).href,
    ],
  ]) {
    const [canary] = await post<{ id: string }[]>("/api/db/canaries", {
      name,
      namespace: "shop",
      labels: { team: "web", tier: "1" },
      spec: { schedule: "@every 1h", http: [{ name: `${name} page`, url, responseCodes: [200] }] },
    });
    canaries.push(canary!.id);
  }
  const { itemId, scraperId } = await scrapeItem(request);
  const { topologyId, componentId } = await lookUpComponents(request);
  const logBackendId = await applyDocument(request, logBackend);
  return {
    $componentId: componentId,
    $topologyId: topologyId,
    $itemId: itemId,
    $logBackendId: logBackendId,
    $scraperId: scraperId,
    $integrationType: "scrapers",
    $integrationId: scraperId,
    $tab: "config",
    $teamId: teams[0]!,
    $canaryId: canaries[0]!,
    $kind: "canary",
    $documentId: canaries[0]!,
  };
}
