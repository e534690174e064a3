import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkAliases } from "./check-lists.ts";
import { supportedCheckTypes, unsupportedCheckTypes } from "./canary-spec.ts";
import { judgeSpec } from "../documents/document-format.ts";
import { canaryFormat } from "./canary-format.ts";
import { canaryJsonSchema, canarySpecJsonSchema, checkJsonSchema } from "./json-schema.ts";

/** The schemas that the family publishes lie beside the repository where it is built, not in it. */
const folder = new URL("../../../../../shared/reference/schemas/", import.meta.url);
const isThere = existsSync(folder);

interface Schema {
  type?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  required?: string[];
}

const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Schema;

/** What a field of a published schema is given where any value of its type would not do. */
const sensible: Record<string, unknown> = {
  method: "GET",
  querytype: "A",
  endpoint: "example.com:80",
  url: "http://example.com/",
  responseCodes: [200],
  regex: ".*",
  since: "now-1d",
  minSize: "1kb",
  maxSize: "1kb",
  availableSize: "1kb",
  totalSize: "1kb",
  token: "a-token-of-my-own",
  state: "ALARM",
  // There is one check alone.
  dependsOn: [],
  properties: ["a=b"],
  systemProperties: ["a=b"],
  responseDuration: "1s",
  transformDeleteStrategy: "Ignore",
  metrics: [{ name: "x", type: "gauge", value: "1" }],
  maxAge: "1d",
};

function instance(schema: Schema, root: Schema, everything: boolean, depth = 0): unknown {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) as string;
    if (name === "Duration") return "1m";
    return instance(root.$defs?.[name] ?? {}, root, everything, depth + 1);
  }
  if (depth > 8) return undefined;
  switch (schema.type) {
    case "object": {
      const names = Object.keys(schema.properties ?? {}).filter(
        (name) => everything || schema.required?.includes(name),
      );
      const made = names.map((name) => [
        name,
        sensible[name] ?? instance(schema.properties?.[name] ?? {}, root, everything, depth + 1),
      ]);
      return Object.fromEntries(made.filter(([, value]) => value !== undefined));
    }
    case "array":
      return [instance(schema.items ?? {}, root, everything, depth + 1) ?? "x"];
    case "string":
      return "x";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case undefined:
    default:
      return undefined;
  }
}

/** What our schema needs beyond the published one, which requires names and little else. */
const needed: Record<string, Record<string, unknown>> = {
  http: { url: "http://example.com/" },
  tcp: { endpoint: "example.com:80" },
  dns: { query: "example.com" },
  icmp: { endpoint: "example.com" },
  exec: {},
  postgres: { url: "postgres://localhost/x" },
  mysql: { url: "mysql://localhost/x" },
  redis: { url: "redis://localhost" },
  folder: {},
  helm: { chartmuseum: "http://localhost:8080" },
  mssql: { url: "sqlserver://localhost" },
  mongodb: { url: "mongodb://localhost" },
  catalog: { selector: [{ name: "a" }] },
  jmeter: { jmx: "<jmeterTestPlan/>" },
  prometheus: { url: "http://localhost/" },
  alertmanager: { url: "http://localhost/" },
  elasticsearch: { url: "http://localhost/" },
  opensearch: { url: "http://localhost/" },
  dynatrace: { host: "localhost" },
  ldap: { url: "ldap://localhost", bindDN: "dc=example" },
};

if (!isThere) {
  process.stderr.write("SKIPPED the published schemas are not beside the repository\n");
}

describe.skipIf(!isThere)("documents that satisfy the published schemas", () => {
  // Types beyond the family have none.
  const published = supportedCheckTypes.filter((type) =>
    existsSync(new URL(`health_${type}.schema.json`, folder)),
  );

  test("of most types", () => {
    expect(published.length).toBeGreaterThan(8);
  });

  test.each(published)("%s: each field on its own is known and accepted", (type) => {
    const root = read(`health_${type}.schema.json`);
    const main = root.$defs?.[(root.$ref as string).split("/").at(-1) as string] as Schema;
    const fields = Object.keys(main.properties ?? {});
    expect(fields.length).toBeGreaterThan(5);
    const least = { ...(instance(main, root, false) as object), ...needed[type] };
    for (const field of fields) {
      const value = sensible[field] ?? instance(main.properties?.[field] as Schema, root, true);
      const check: Record<string, unknown> = { ...least, [field]: value };
      if (field === "endpoint" && type === "http") {
        delete check.url;
        check.endpoint = "http://example.com/";
      }
      const { findings } = judgeSpec(canaryFormat, { [type]: [check] });
      // Inside loosely kept objects nothing is named; what the schema names must be known here.
      const unknown = findings.filter(
        ({ severity, path }) => severity === "error" || path.length === 3,
      );
      expect({ field, unknown }).toEqual({ field, unknown: [] });
    }
  });

  test.each(["canary.spec.schema.json", "2024-10/canary.spec.schema.json"])(
    "%s: every key of the spec is known",
    (name) => {
      const root = read(name);
      const main = root.$defs?.CanarySpec as Schema;
      const own = canarySpecJsonSchema().properties as object;
      const missing = Object.keys(main.properties ?? {}).filter((key) => !Object.hasOwn(own, key));
      expect(missing).toEqual([]);
      for (const type of unsupportedCheckTypes) {
        const schema = main.properties?.[type];
        if (!schema) continue;
        const { findings } = judgeSpec(canaryFormat, { [type]: instance(schema, root, true) });
        expect({ type, findings }).toEqual({ type, findings: [] });
      }
    },
  );
});

describe("our JSON Schema", () => {
  test("describes every field, for completion and hover", () => {
    const bare: string[] = [];
    const visit = (schema: Record<string, unknown>, path: string) => {
      for (const [name, field] of Object.entries(
        (schema.properties ?? {}) as Record<string, Record<string, unknown>>,
      )) {
        if (typeof field.description !== "string") bare.push(`${path}.${name}`);
        visit(field, `${path}.${name}`);
      }
      if (schema.items) visit(schema.items as Record<string, unknown>, `${path}[]`);
      for (const option of (schema.anyOf ?? []) as Record<string, unknown>[]) visit(option, path);
    };
    visit(canaryJsonSchema(), "");
    // Entries of kept lists have a name and nothing else that is ours.
    const kept = [...unsupportedCheckTypes, ...Object.keys(checkAliases)];
    expect(bare.filter((path) => !kept.some((type) => path.includes(`.${type}`)))).toEqual([]);
  });

  test.each(supportedCheckTypes)("%s: has a name, and does without", (type) => {
    const { properties, required = [] } = checkJsonSchema(type) as Schema;
    expect(Object.keys(properties ?? {})).toContain("name");
    expect(required).not.toContain("name");
  });
});
