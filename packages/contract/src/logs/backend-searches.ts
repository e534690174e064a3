import { z } from "zod";
import { envVar } from "../canary/fields.ts";
import { httpConnectionShape } from "../canary/http-connection.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { backendShape, fieldName } from "./backend-routes.ts";

const needsAddress =
  (type: string, others: readonly string[] = []) =>
  (spec: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    if (["url", "connection", ...others].some((key) => spec[key])) return;
    context.addIssue({
      code: "custom",
      path: [],
      message: `A log backend of ${type} needs ${others[0] ?? "url"}, or a connection.`,
    });
  };

export const lokiBackend = z
  .looseObject({
    ...backendShape,
    ...httpConnectionShape,
    tenant: z
      .string()
      .max(256)
      .optional()
      .describe("Tenant (X-Scope-OrgID), where Loki has several."),
    query: z
      .string()
      .max(65_536)
      .regex(/^\s*\{/, 'A selector of LogQL begins with "{".')
      .optional()
      .describe(
        'Selector of LogQL that all lines are of, perhaps with a pipeline: {app="shop"} | json; all lines when absent.',
      ),
    level: fieldName
      .optional()
      .describe("Label with the level; level, detected_level or severity when absent."),
  })
  .superRefine(needsAddress("loki"))
  .describe("Our addition: Loki.");
export type LokiBackend = z.output<typeof lokiBackend>;

const address = secretIn("address", z.string().max(8192));

const searchShape = {
  ...backendShape,
  ...httpConnectionShape,
  address: address.optional().describe("Address of the server. A password in it is secret."),
  index: z.string().max(1000).optional().describe("Index, or a pattern of them; all when absent."),
  namespace: z
    .string()
    .max(253)
    .optional()
    .describe("Namespace of the Secrets that values are taken from; the document's when absent."),
  query: z
    .string()
    .max(262_144)
    .optional()
    .describe(
      "A search as JSON (a Go template before), of which the query counts; everything when absent.",
    ),
  fields: z
    .looseObject({
      timestamp: fieldName.optional().describe("Field with the time; @timestamp when absent."),
      message: fieldName.optional().describe("Field with the message; message when absent."),
      level: fieldName
        .optional()
        .describe("Our addition: field with the level; log.level when absent."),
      exclusions: z
        .array(fieldName)
        .max(1000)
        .optional()
        .describe("Fields that do not become labels."),
    })
    .optional()
    .describe("Names of fields."),
} as const;

export const elasticsearchBackend = z
  .looseObject({
    ...searchShape,
    cloud_id: envVar.optional().describe("Id of a deployment in Elastic Cloud."),
    cloudID: envVar.optional().describe("Another spelling of cloud_id."),
    api_key: secret(envVar).optional().describe("Key of the API, as Elasticsearch encodes it."),
    apiKey: secret(envVar).optional().describe("Another spelling of api_key."),
  })
  .superRefine(needsAddress("elasticsearch", ["address", "cloud_id", "cloudID"]))
  .transform(({ address: written, cloudID, apiKey, ...spec }) => ({
    ...spec,
    url: spec.url ?? written,
    cloud_id: spec.cloud_id ?? cloudID,
    api_key: spec.api_key ?? apiKey,
  }))
  .describe("Elasticsearch.");
export type ElasticsearchBackend = z.output<typeof elasticsearchBackend>;

export const opensearchBackend = z
  .looseObject(searchShape)
  .superRefine(needsAddress("opensearch", ["address"]))
  .transform(({ address: written, ...spec }) => ({ ...spec, url: spec.url ?? written }))
  .describe("OpenSearch.");
export type OpensearchBackend = z.output<typeof opensearchBackend>;
