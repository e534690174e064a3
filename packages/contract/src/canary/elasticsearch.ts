import { z } from "zod";
import { authenticationShape, commonShape, count, flattenAuthentication } from "./fields.ts";
import { httpConnectionShape } from "./http-connection.ts";
import { needsAddress } from "./needs-address.ts";

const searchSpec = (type: string) =>
  z
    .looseObject({
      ...commonShape,
      ...httpConnectionShape,
      ...authenticationShape,
      query: z
        .string()
        .max(262_144)
        .optional()
        .describe("The search as JSON; everything is found when absent."),
      index: z
        .string()
        .max(1000)
        .optional()
        .describe("Index to search, or a pattern; all when absent."),
      results: count
        .optional()
        .describe("Documents that must be found, exactly; 0 when absent. A test takes its place."),
    })
    .superRefine(needsAddress(type))
    .transform(flattenAuthentication);

export const elasticsearchSpec = searchSpec("elasticsearch").describe("A search in Elasticsearch.");
export const opensearchSpec = searchSpec("opensearch").describe("A search in OpenSearch.");

export type SearchSpec = z.output<typeof elasticsearchSpec>;
