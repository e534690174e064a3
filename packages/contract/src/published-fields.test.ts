import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unsupportedCheckTypes } from "./canary/canary-spec.ts";
import { canarySpecJsonSchema } from "./canary/json-schema.ts";
import { blocks } from "./connections/blocks.ts";
import { scrapeConfigSpecJsonSchema } from "./scrape-config/json-schema.ts";
import { unsupportedScraperTypes } from "./scrape-config/scraper-types.ts";

/** The published schemas as data: which of their fields ours do not name (`docs/canary-compatibility.md` says why). */

const folder = new URL("../../../../shared/reference/schemas/", import.meta.url);
const isThere = existsSync(folder);

interface Schema {
  type?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
}
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Schema;
const follow = (schema: Schema | undefined, root: Schema): Schema => {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? (schema ?? {}) : follow(root.$defs?.[name], root);
};
const ofItems = (schema: Schema, root: Schema) =>
  schema.type === "array" ? follow(schema.items, root) : schema;

/** The fields that ours name at a place, in whichever way it may be written; nothing where anything may stand. */
function named(schema: Schema): Record<string, Schema> | undefined {
  const one = schema.items ?? schema;
  if (one.anyOf) {
    const all = one.anyOf.map(named).filter((fields) => fields !== undefined);
    return all.length === 0 ? undefined : Object.assign({}, ...all);
  }
  return one.properties && Object.keys(one.properties).length > 0 ? one.properties : undefined;
}

function unnamed(theirs: Schema, root: Schema, ours: Schema, path: string[] = []): string[] {
  const fields = named(ours);
  if (!fields || path.length > 6) return [];
  const published = ofItems(follow(theirs, root), root);
  return Object.entries(published.properties ?? {}).flatMap(([key, field]) =>
    Object.hasOwn(fields, key)
      ? unnamed(field, root, fields[key]!, [...path, key])
      : [[...path, key].join(".")],
  );
}

test.skipIf(!isThere).each(["canary.spec.schema.json", "2024-10/canary.spec.schema.json"])(
  "%s: every field of what is run is named, but these",
  (file) => {
    const root = read(file);
    const { properties = {} } = root.$defs?.["CanarySpec"] ?? {};
    const run = Object.entries(properties).filter(
      ([key]) => !unsupportedCheckTypes.some((type) => type === key),
    );
    expect(run.length).toBeGreaterThan(30);
    const main: Schema = { properties: Object.fromEntries(run) };
    const objects = ["staticResources.Object", "resources.Object"];
    const later =
      "fromConfigItem eksPodIdentity serviceAccount kubernetes.eks kubernetes.gke kubernetes.cnrm";
    expect(unnamed(main, root, canarySpecJsonSchema())).toEqual([
      ...objects.map((field) => `kubernetesResource.${field}`),
      ...(file.includes("/") ? [] : later.split(" ").map((field) => `exec.connections.${field}`)),
    ]);
  },
);

test
  .skipIf(!isThere)
  .each(["scrape_config.spec.schema.json", "2024-10/scrape_config.spec.schema.json"])(
  "%s: every field of what is run is named, but these",
  (file) => {
    const root = read(file);
    // The root of the published file points nowhere.
    const { properties = {} } = root.$defs?.["ScraperSpec"] ?? {};
    const own = scrapeConfigSpecJsonSchema();
    expect(Object.keys(properties).filter((key) => !Object.hasOwn(own.properties!, key))).toEqual(
      [],
    );
    const run = Object.entries(properties).filter(
      ([key]) => !unsupportedScraperTypes.some((type) => type === key),
    );
    expect(run.length).toBeGreaterThan(10);
    const main: Schema = { properties: Object.fromEntries(run) };
    // Credentials of a machine or of a cluster's pod, which scripts are not lent.
    const later =
      "fromConfigItem eksPodIdentity serviceAccount kubernetes.eks kubernetes.gke kubernetes.cnrm";
    expect(unnamed(main, root, own)).toEqual(
      file.includes("/") ? [] : later.split(" ").map((field) => `exec.connections.${field}`),
    );
  },
);

test.skipIf(!isThere)("connection.schema.json: every field of a block is named, but these", () => {
  const root = read("connection.schema.json");
  const { properties = {} } = root.$defs?.["ConnectionSpec"] ?? {};
  const missing = Object.entries(properties).flatMap(([key, theirs]) => {
    const inner = follow(theirs, root);
    if (!theirs.$ref?.includes("/Connection") && key !== "opensearch") return [];
    const block = (blocks as Readonly<Record<string, { fields: object }>>)[key];
    if (!block) return [key];
    const ours = Object.keys(block.fields).map((field) => field.split(".")[0]);
    return Object.keys(inner.properties ?? {})
      .filter((field) => !ours.includes(field))
      .map((field) => `${key}.${field}`);
  });
  expect(missing).toEqual([
    "facet.timestampUrl",
    ...["ntlm", "ntlmv2", "digest", "urls", "index", "insecureSkipVerify"].map(
      (field) => `opensearch.${field}`,
    ),
    "prometheus.tls",
  ]);
});
