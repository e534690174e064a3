import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { APIRequestContext, Page } from "playwright-core";
import { expect } from "vitest";
import { applyDocument, rowThatComes } from "./bring.ts";
import { settled } from "./browser.ts";
import { addressOf, type Parts, readRoutes } from "./console-routes.ts";
import { journey, journeys } from "./journey.ts";

/** Script in every text that people and monitored targets can set, on every page that shows some of it. */

const payload = `<script>window.ran=1</script><img src=x onerror="window.ran=1">'"><svg/onload=window.ran=1>`;

/** What a system says of itself that scrapers read. */
const system = [
  {
    config: {
      id: "hostile",
      name: payload,
      status: payload,
      about: payload,
      icon: "javascript:window.ran=1",
      labels: { payload, owner: payload, runbook: "javascript:window.ran=1" },
      [payload]: payload,
    },
    changes: [
      {
        change_type: payload,
        severity: "high",
        source: payload,
        created_by: payload,
        summary: payload,
        diff: `--- a\n+++ b\n@@ -1 +1 @@\n-${payload}\n+${payload}`,
        details: { [payload]: payload },
      },
    ],
    analysis: [
      {
        analyzer: payload,
        analysis_type: "security",
        severity: "high",
        source: payload,
        summary: payload,
        messages: [payload, '<a href="javascript:window.ran=1">here</a>'],
        analysis: { [payload]: payload },
      },
    ],
  },
];
const scraper = (target: string) => ({
  apiVersion: "configs.flanksource.com/v1",
  kind: "ScrapeConfig",
  metadata: { name: "hostile", annotations: { payload } },
  spec: {
    schedule: "@every 1h",
    full: true,
    http: [
      {
        url: new URL("/items", target).href,
        items: "$[*]",
        id: "$.config.id",
        name: "$.config.name",
        type: "Hostile::Item",
        status: "$.config.status",
        description: "$.config.about",
        tags: [{ name: "namespace", value: payload }],
        labels: { payload },
      },
    ],
  },
});

/** What a lookup finds. */
const components = [
  {
    name: payload,
    type: payload,
    text: payload,
    status: payload,
    status_reason: payload,
    health: "unhealthy",
    tooltip: payload,
    owner: payload,
    icon: "javascript:window.ran=1",
    labels: { payload },
    properties: [
      { name: payload, text: payload, headline: true },
      { name: "url", type: "url", text: "javascript:window.ran=1" },
      { name: "links", links: [{ url: "javascript:window.ran=1", label: payload, text: payload }] },
    ],
  },
];
const topology = (target: string) => ({
  apiVersion: "canaries.flanksource.com/v1",
  kind: "Topology",
  metadata: { name: "hostile" },
  spec: {
    schedule: "@every 1h",
    text: payload,
    icon: "javascript:window.ran=1",
    components: [
      {
        name: "found",
        lookup: {
          http: [{ url: new URL("/components", target).href, display: { expr: "content" } }],
        },
      },
    ],
  },
});

const logBackend = (target: string) => ({
  apiVersion: "apm-hub.flanksource.com/v1",
  kind: "LoggingBackend",
  metadata: { name: "hostile", labels: { payload: "x" } },
  spec: {
    backends: [{ loki: { url: target }, labels: { app: payload }, routes: [{ type: payload }] }],
  },
});

/** Plants the payload wherever it is taken, and tells what the addresses of pages need. */
async function plant(request: APIRequestContext, target: string): Promise<Parts> {
  const post = async (path: string, data: unknown) =>
    await request.post(path, { data, headers: { prefer: "return=representation" } });
  const [team] = (await (
    await post("/api/db/teams", {
      name: payload,
      icon: "javascript:window.ran=1",
      spec: { payload },
    })
  ).json()) as { id: string }[];
  await post("/api/db/properties", { name: `${payload}.flag`, value: payload });
  await post("/api/auth/tokens", { name: payload.slice(0, 60) });
  for (const name of ["<b>Mallory</b>", "<img src=x onerror=window.ran=1>"])
    await post("/api/auth/invite_user", {
      firstName: name,
      lastName: "{{constructor.constructor('window.ran=1')()}}",
      email: `mallory-${name.length}@example.org`,
      role: "viewer",
    });
  const [canary] = (await (
    await post("/api/db/canaries", {
      name: "script",
      namespace: "shop",
      labels: { payload: "x", onerror: "window.ran" },
      annotations: { payload },
      spec: {
        schedule: "@every 1h",
        icon: "javascript:window.ran=1",
        http: [
          {
            name: payload,
            url: target,
            description: payload,
            icon: "data:image/svg+xml,<svg onload=window.ran=1>",
            responseContent: "what never comes",
          },
        ],
      },
    })
  ).json()) as { id: string }[];
  const $scraperId = await applyDocument(request, JSON.stringify(scraper(target)));
  const $itemId = await rowThatComes(request, "config_names?select=id&type=eq.Hostile::Item");
  const $topologyId = await applyDocument(request, JSON.stringify(topology(target)));
  const $componentId = await rowThatComes(
    request,
    `components?select=id&topology_id=eq.${$topologyId}&parent_id=not.is.null`,
  );
  const $logBackendId = await applyDocument(request, JSON.stringify(logBackend(target)));
  const line = { message: payload, level: "error", labels: { app: payload } };
  expect((await post("/api/logs/ingest", line)).status()).toBe(200);
  const about = { $itemId, $tab: "changes", $scraperId };
  return {
    ...about,
    $topologyId,
    $componentId,
    $logBackendId,
    $integrationType: "scrapers",
    $integrationId: $scraperId,
    $teamId: team!.id,
    $canaryId: canary!.id,
    $kind: "canary",
    $documentId: canary!.id,
  };
}

/** What ran, and what the page took for more than text. */
const findings = (page: Page) =>
  page.evaluate(() => ({
    ran: "ran" in window,
    planted: document.querySelectorAll(
      'img[src="x"], svg[onload], [onerror], [onload], a[href^="javascript:"], b',
    ).length,
  }));

journeys("script in every text", () => {
  journey("runs on no page, and is shown as the text that it is", async ({ openAsAdmin }) => {
    const target = createServer(({ url }, response) => {
      const told = { "/items": system, "/components": components }[url ?? ""];
      const body = told ? JSON.stringify(told) : `<html>${payload}</html>`;
      response.writeHead(200, { "content-type": "text/html", "x-payload": payload }).end(body);
    });
    target.listen(0, "127.0.0.1");
    await once(target, "listening");
    try {
      const page = await openAsAdmin();
      const { port } = target.address() as AddressInfo;
      const parts = await plant(
        page.request,
        `http://127.0.0.1:${port}/?${encodeURIComponent(payload)}`,
      );
      for (const route of readRoutes().filter(({ access }) => access === "session")) {
        await page.goto(addressOf(route, parts));
        await settled(page);
        expect([route.path, await findings(page)]).toEqual([
          route.path,
          { ran: false, planted: 0 },
        ]);
      }
      const item = `/catalog/${parts.$itemId}`;
      for (const at of [
        "/catalog?configType=Hostile::Item",
        `${item}/insights`,
        `${item}/relationships`,
      ]) {
        await page.goto(at);
        await settled(page);
        await page.getByText("window.ran=1").first().waitFor();
        expect([at, await findings(page)]).toEqual([at, { ran: false, planted: 0 }]);
      }
      // One change, and one insight, with all that is said of it.
      for (const at of ["/catalog/changes", "/catalog/insights"]) {
        await page.goto(at);
        await page.getByRole("row").filter({ hasText: "window.ran=1" }).first().click();
        await page.getByRole("dialog").getByText("window.ran=1").first().waitFor();
        expect([at, await findings(page)]).toEqual([at, { ran: false, planted: 0 }]);
      }
      await page.goto("/health?hidePassing=false&groupBy=none");
      await page.getByRole("row").getByText("window.ran=1").first().click();
      await page.getByRole("dialog").getByText("window.ran=1").first().waitFor();
      // An attempt that the policy of the page had to stop would be a problem of the page.
      expect(await findings(page)).toEqual({ ran: false, planted: 0 });
    } finally {
      target.closeAllConnections();
      target.close();
    }
  });
});
