import { type AwsConfigSpec, checkSpecs } from "@mainstay/contract";
import type { AwsClient } from "#platform/outbound/aws/aws-client.ts";
import { askAws, awsEndpoint, keptOf } from "../aws/aws-check.ts";
import { checkType, inMs, passed } from "../check-type.ts";

/** Results that are fetched; a page has a hundred. */
const mostResults = 1000;
const kept = { items: 100, bytes: 49_152 };

async function select(client: AwsClient, spec: AwsConfigSpec): Promise<string[]> {
  const found: string[] = [];
  const action = spec.aggregatorName ? "SelectAggregateResourceConfig" : "SelectResourceConfig";
  for (let next: unknown; ;) {
    const answer = await client.json({ name: "config" }, `StarlingDoveService.${action}`, {
      Expression: spec.query,
      Limit: 100,
      ...(spec.aggregatorName && { ConfigurationAggregatorName: spec.aggregatorName }),
      ...(typeof next === "string" && { NextToken: next }),
    });
    const { Results: results, NextToken: token } = answer;
    if (!Array.isArray(results)) throw new Error("the answer of AWS Config holds no results");
    found.push(...results.map(String));
    if (typeof token !== "string" || token === "" || found.length >= mostResults) return found;
    next = token;
  }
}

export const awsConfig = checkType<AwsConfigSpec>({
  type: "awsConfig",
  spec: checkSpecs.awsConfig,
  network: true,
  endpoint: awsEndpoint,
  run: (input) =>
    askAws(input, async (client) => {
      const started = performance.now();
      const found = await select(client, input.spec);
      const durationMs = performance.now() - started;
      const results = keptOf(found, kept);
      const note =
        found.length >= mostResults
          ? `at least ${found.length} were found; the first ${results.length} are kept`
          : results.length < found.length
            ? `the first ${results.length} are kept`
            : undefined;
      return passed(
        `${found.length} ${found.length === 1 ? "resource" : "resources"} in ${inMs(durationMs)}`,
        {
          durationMs,
          details: { count: found.length, results, ...(note && { note }) },
          data: () => ({ results: found }),
        },
      );
    }),
});
