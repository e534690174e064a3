import { expect, test } from "vitest";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { hideInFound } from "./hide-found.ts";
import type { ScrapedItem } from "./scraped.ts";

const secret = "hunter2-of-the-cluster";
const hider = createHider([secret])!;

test("wherever an item repeats a secret it is hidden, and its ids stay what they are", () => {
  const said = `as ${secret}`;
  const item: ScrapedItem = {
    externalId: "pod-1",
    aliases: ["Kubernetes/prod/Pod/shop/web"],
    type: "Kubernetes::Pod",
    configClass: "Pod",
    name: said,
    config: { metadata: { annotations: { token: secret } } },
    description: said,
    status: said,
    source: said,
    labels: { owner: secret },
    tags: { team: said },
    properties: [{ name: "image", text: `registry/${secret}:1` }],
    parents: [],
    relations: [],
  };
  const found = hideInFound({ kind: "item", item }, hider);
  expect(JSON.stringify(found)).not.toContain(secret);
  expect(found).toMatchObject({
    item: { externalId: "pod-1", aliases: item.aliases, labels: { owner: "[hidden]" } },
  });
});
