import type { ElasticsearchBackend, OpensearchBackend } from "@mainstay/contract";
import type { LogBackend } from "../log-backend.ts";
import { countSearch, readSearch } from "./search.ts";

/** Elasticsearch, also in Elastic Cloud. */
export const elasticsearch: LogBackend<ElasticsearchBackend> = {
  type: "elasticsearch",
  read: (ctx, spec, question) => readSearch(ctx, spec, question, "Elasticsearch"),
  count: (ctx, spec, question) => countSearch(ctx, spec, question, "Elasticsearch"),
};

/** OpenSearch, which is asked in the same words. */
export const opensearch: LogBackend<OpensearchBackend> = {
  type: "opensearch",
  read: (ctx, spec, question) => readSearch(ctx, spec, question, "OpenSearch"),
  count: (ctx, spec, question) => countSearch(ctx, spec, question, "OpenSearch"),
};
