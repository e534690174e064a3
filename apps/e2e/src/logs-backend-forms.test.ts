import type { Page } from "playwright-core";
import { expect } from "vitest";
import { parse } from "yaml";
import { mapLoggingBackendSecrets } from "@mainstay/contract/logs/backend-secrets.ts";
import { type LogBackendType, logBackendTypes } from "@mainstay/contract/logs/backend-types.ts";
import { secretPlaceholder } from "@mainstay/contract/secrets/index.ts";
import { isWhole, sample } from "@mainstay/testkit/sample.ts";
import { labelOf } from "@mainstay/ui/schema-form/schema-fields.ts";
import { accessibilityFindings } from "./axe.ts";
import { copied, paste } from "./browser.ts";
import { FormFiller } from "./fill-form.ts";
import { journey, journeys } from "./journey.ts";

type Written = Readonly<Record<string, unknown>>;

/** What is written of a type, under the name that the form has for it, and what of it is changed afterwards. */
interface Example {
  label: string;
  backend: Written;
  change: readonly [key: string, value: string];
}

const secretKeyRef = { valueFrom: { secretKeyRef: { name: "logs", key: "password" } } };

/** Nothing of this is asked: it is saved and read. A type without an example does not compile. */
const examples: Record<LogBackendType, Example> = {
  file: {
    label: "Files",
    backend: {
      path: ["/var/log/shop/*.log", "/var/log/shop/old/**"],
      host: "shop-1.example.com",
      port: 2222,
      username: { value: "reader" },
      password: { value: "hunter2" },
      format: "logfmt",
      fields: { timestamp: "at", message: "said" },
    },
    change: ["timezone", "Europe/Oslo"],
  },
  journald: {
    label: "Journal",
    backend: {
      host: "shop-1.example.com",
      username: { value: "reader" },
      password: secretKeyRef,
      units: ["nginx.service", "shop.service"],
      matches: { _TRANSPORT: "kernel" },
    },
    change: ["directory", "/var/log/journal"],
  },
  loki: {
    label: "Loki",
    backend: {
      url: "https://loki.example.com",
      username: { value: "reader" },
      password: { value: "hunter2" },
      tenant: "shop",
      query: '{app="shop"} | json',
    },
    change: ["level", "severity"],
  },
  elasticsearch: {
    label: "Elasticsearch",
    backend: {
      cloud_id: { value: "shop:ZXhhbXBsZQ==" },
      api_key: { value: "a2V5OnNlY3JldA==" },
      index: "shop-*",
      query: '{"query": {"match_all": {}}}',
      fields: { message: "log", exclusions: ["agent", "ecs"] },
    },
    change: ["namespace", "shop"],
  },
  opensearch: {
    label: "OpenSearch",
    backend: {
      url: "https://search.example.com",
      username: { value: "reader" },
      password: secretKeyRef,
      fields: { timestamp: "time" },
    },
    change: ["index", "shop-2026"],
  },
  kubernetes: {
    label: "Kubernetes",
    backend: { namespace: "shop", labelSelector: "app=web,tier!=db" },
    change: ["container", "web"],
  },
  postgres: {
    label: "PostgreSQL",
    backend: {
      url: "postgres://db.example.com/shop",
      username: { value: "reader" },
      password: { value: "hunter2" },
      columns: { timestamp: "at", message: "said", labels: ["app", "more"] },
      table: "logs.lines",
    },
    change: ["table", "logs.newest"],
  },
  cloudwatch: {
    label: "CloudWatch",
    backend: {
      region: "eu-central-1",
      accessKey: { value: "AKIAEXAMPLE" },
      secretKey: { value: "hunter2" },
      log_group: "/shop/web",
    },
    change: ["streamPrefix", "web-"],
  },
  gcpCloudLogging: {
    label: "Google Cloud Logging",
    backend: { project: "shop-1", resourceNames: ["projects/shop-1"], filter: "severity>=ERROR" },
    change: ["filter", "severity>=WARNING"],
  },
  azureLogAnalytics: {
    label: "Azure Log Analytics",
    backend: {
      workspaceID: "11111111-2222-3333-4444-555555555555",
      query: "ContainerLogV2",
      tenantID: "example.com",
      clientID: { value: "shop" },
      clientSecret: { value: "hunter2" },
      columns: { message: "LogMessage" },
    },
    change: ["query", "AppTraces"],
  },
};
/** What every type has. */
const routing: Written = {
  routes: [{ type: "Pod", id_prefix: "shop/", labels: { app: "web" } }],
  labels: { team: "shop" },
};

const namespace = "log-backend-forms";

/** A document as somebody has written notes into it. */
const annotated = (text: string): string =>
  text
    .split("\n")
    .flatMap((line, index) => [
      ...(/^ {8}\w/.test(line) ? [`        # note ${index}`] : []),
      /^ {2}namespace: ./.test(line) ? `${line} # ours` : line,
    ])
    .join("\n");
const notesOf = (text: string) => text.split("\n").filter((line) => line.includes("#"));

/** The part of a page in which a backend is written, with all that can be said of it. */
async function wholeForm(page: Page) {
  const region = page.getByRole("region", { name: "Log backend", exact: true });
  const routes = region.locator("summary").filter({ hasText: "Routes and labels" });
  const isOpen = await routes.evaluate((one) => (one.parentElement as HTMLDetailsElement).open);
  if (!isOpen) await routes.click();
  return region.elementHandle();
}

journeys("every type of log backend by form", () => {
  for (const [index, type] of (isWhole ? logBackendTypes : sample(logBackendTypes, 1)).entries())
    journey(`${type} is made, saved, changed and read back`, async ({ openAsAdmin }) => {
      const { label, backend, change } = examples[type];
      const name = `walk-${type.toLowerCase()}`;
      const page = await openAsAdmin({ theme: index % 2 === 0 ? "light" : "dark" });
      const form = new FormFiller(page);

      await page.goto("/settings/logging-backends?addLogBackend=true");
      const adding = page.getByRole("dialog", { name: "Add log backend" });
      await adding.getByRole("searchbox").fill(label);
      await adding.getByRole("button", { name: label }).click();
      const around = await adding
        .getByRole("region", { name: "Document", exact: true })
        .elementHandle();
      await form.fill(around, "Name", name);
      await form.fill(around, "Namespace", namespace);
      const fields = await wholeForm(page);
      const meant: Record<string, unknown> = {};
      for (const [key, value] of Object.entries({ ...backend, ...routing }))
        meant[key] = await form.fill(fields, labelOf(key), value);
      expect(await accessibilityFindings(page)).toEqual([]);

      await adding.getByRole("tab", { name: "YAML" }).click();
      const made = await copied(page, "LoggingBackend document");
      const head = { apiVersion: "apm-hub.flanksource.com/v1", kind: "LoggingBackend" };
      const metadata = { name, namespace };
      const spec = { backends: [{ [type]: meant }] };
      expect(parse(made)).toEqual({ ...head, metadata, spec });
      const noted = annotated(made);
      expect(notesOf(noted).length).toBeGreaterThan(Object.keys(meant).length);
      await paste(page, "LoggingBackend document", noted);
      await adding.getByRole("button", { name: "Review changes" }).click();
      await adding.getByRole("button", { name: "Save", exact: true }).click();
      await adding.waitFor({ state: "detached" });
      await page.getByText(`${name} saved`).waitFor();
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.waitForURL(/\/settings\/logging-backends\/[^?]/);
      const id = new URL(page.url()).pathname.split("/").at(-1)!;

      // No secret is handed out; every other letter is as it was written.
      const stored = mapLoggingBackendSecrets(spec, () => secretPlaceholder);
      const before = await copied(page, "Document");
      const known = { ...head, metadata: { ...metadata, uid: id } };
      expect(parse(before)).toEqual({ ...known, spec: stored });
      expect(notesOf(before)).toEqual(notesOf(noted));

      await page.getByRole("tab", { name: "Form" }).click();
      const again = await wholeForm(page);
      const [key, value] = change;
      const [kept] = (stored as { backends: Record<string, Written>[] }).backends;
      const changed = { ...kept![type], [key]: await form.fill(again, labelOf(key), value) };
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole("tab", { name: "YAML" }).click();
      const after = await copied(page, "Document");
      expect(parse(after)).toEqual({ ...known, spec: { backends: [{ [type]: changed }] } });
      expect(notesOf(after)).toEqual(notesOf(noted));
      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByRole("button", { name: "Update", exact: true }).click();
      await page.getByText(`${name} updated successfully`).waitFor();

      const reply = await page.request.get(`/api/documents/logging-backend/${id}`);
      expect(((await reply.json()) as { text: string }).text).toBe(after);
      // What was read is what is stored.
      const dry = await page.request.post("/api/documents?dryRun=true&source=UI", {
        data: after,
        headers: { "content-type": "application/yaml" },
      });
      const { documents } = (await dry.json()) as { documents: { outcome: string }[] };
      expect(documents.map(({ outcome }) => outcome)).toEqual(["unchanged"]);
      const deleted = await page.request.delete(`/api/db/logging_backends?id=eq.${id}`);
      expect(deleted.ok(), await deleted.text()).toBe(true);
    });
});
