import { expect, test, vi } from "vitest";
import { createLog } from "#platform/log.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { scrapeDocument } from "./scrape-document.ts";

/** What is left untold when scrapers fail: of the document's other scrapers' items nothing. */
const seenWhenFailing = async (...types: string[]) => {
  const take = vi.fn(async () => undefined);
  const seen = await scrapeDocument({
    document: { name: "all", namespace: "default" },
    scrapers: types.map((type) => ({
      type,
      index: 0,
      name: type,
      path: [type, 0],
      spec: {},
      supported: true,
    })),
    isFull: false,
    prepare: async () => ({ ok: false, error: "its connection is gone" }),
    connector: createConnector(),
    evaluator: undefined as never,
    signal: AbortSignal.timeout(10_000),
    now: new Date(),
    log: createLog("error"),
    take,
  });
  expect(take).toHaveBeenCalledTimes(types.length);
  return seen;
};

test("a scraper that fails holds back what it tells itself", async () => {
  expect(await seenWhenFailing("trivy")).toEqual({
    isComplete: false,
    unseen: [],
    unjudged: ["Trivy"],
  });
  expect(await seenWhenFailing("trivy", "githubActions")).toEqual({
    isComplete: false,
    unseen: [{ type: "GitHubAction::Workflow" }],
    unjudged: ["Trivy"],
  });
});

test("one that may find anything holds back everything", async () => {
  expect(await seenWhenFailing("trivy", "http")).toEqual({ isComplete: false });
});
