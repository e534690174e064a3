import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { supportedCheckTypes } from "@mainstay/contract";
import { documentFormats } from "@mainstay/contract/document-formats.ts";
import { schemaFile } from "./schemas.ts";

type Schema = { properties?: Record<string, Schema>; type?: string };
const fieldsOf = (file: string) => Object.keys((schemaFile(file) as Schema).properties ?? {});

/** What consoles ask for (console calls, section 15), and what becomes of it. */
const asked = {
  "canary.spec.schema.json": "http",
  "canary-spec.schema.json": "http",
  "canary.schema.json": "apiVersion",
  "connection.schema.json": "apiVersion",
  "connection.spec.schema.json": "password",
  "health_http.schema.json": "url",
  "health_http.spec.schema.json": "url",
  "health_awsconfigrule.schema.json": "rules",
  "health_databasebackupcheck.schema.json": "gcp",
  "health_configdb.schema.json": "selector",
  "resource_selector.schema.json": "labelSelector",
  "scrape_config.schema.json": "apiVersion",
  "scrape_config.spec.schema.json": "kubernetes",
  "config_scraper.spec.schema.json": "kubernetes",
  "config_kubernetes.schema.json": "clusterName",
  "config_kubernetesfile.schema.json": "selector",
  "config_githubactions.schema.json": "repository",
  "topology.schema.json": "apiVersion",
  "topology.spec.schema.json": "components",
  "component.spec.schema.json": "lookup",
  "logging_config.schema.json": "apiVersion",
  "logging_config.spec.schema.json": "backends",
};
const refused = {
  "playbook-spec.schema.json": "this server knows no documents for playbooks",
  "config_slack.schema.json": "scrapers of type slack are kept, and not run",
  "config_constructor.schema.json": "this version has no such scraper type",
  "notificationsilence.schema.json": "this server knows no documents for notifications",
  "incident-rules.schema.json": "this server knows no documents for incident rules",
  "health_dockerPush.schema.json": "checks of type dockerPush are kept, and not run",
  "health_pubsub.schema.json": "checks of type pubsub are kept, and not run",
  "health_gcp_incidents.schema.json": "this version has no such check type",
  "nothing.json": 'There is no schema called "nothing.json".',
  "health___proto__.schema.json": "this version has no such check type",
  "constructor.schema.json": "There is no schema called",
};

test.each(Object.entries(asked))("%s has %s", (file, field) =>
  expect(fieldsOf(file)).toContain(field),
);
test.each(Object.entries(refused))("%s: %s", (file, message) =>
  expect(() => schemaFile(file)).toThrow(message),
);

test("selectors are a list of what one is", () => {
  const { type, items } = schemaFile("resource_selectors.schema.json") as Schema & {
    items?: Schema;
  };
  expect([type, Object.keys(items?.properties ?? {})]).toEqual([
    "array",
    fieldsOf("resource_selector.schema.json"),
  ]);
});

test("every kind of document and every check type has one", () => {
  for (const { name } of documentFormats) {
    expect(fieldsOf(`${name}.schema.json`)).toContain("spec");
    expect(fieldsOf(`${name}.spec.schema.json`)).not.toContain("apiVersion");
  }
  for (const type of supportedCheckTypes)
    expect(fieldsOf(`health_${type}.schema.json`)).toContain("name");
});

const folder = new URL("../../../../../../shared/reference/schemas/", import.meta.url);
test.skipIf(!existsSync(folder))(
  "of the files that are published each is there, or is said why not",
  () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
    const without = files.filter((file) => {
      try {
        return fieldsOf(file).length === 0 && schemaFile(file)["type"] !== "array";
      } catch (error) {
        expect(String(error)).toMatch(
          /this server knows no documents for|are kept, and not run|no such (check|scraper) type/,
        );
        return false;
      }
    });
    expect(files.length).toBeGreaterThan(70);
    expect(without).toEqual([]);
  },
);
