import { checkSpecs, type SearchSpec } from "@mainstay/contract";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { checkType } from "../check-type.ts";
import { search } from "../elasticsearch/elasticsearch.ts";

export const opensearch = checkType<SearchSpec>({
  type: "opensearch",
  spec: checkSpecs.opensearch,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? spec.connection ?? ""),
  run: (input) => search("OpenSearch", input),
});
