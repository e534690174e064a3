import { setImmediate as giveWay } from "node:timers/promises";
import { expect, test } from "vitest";
import { readImage } from "./read-image.ts";
import type { RegistryClient } from "./registry-client.ts";

const digestOf = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;

test("asks for no more parts once one is missing", async () => {
  const part = (n: number) => ({ mediaType: "x", digest: digestOf(n), size: 1 });
  let asked = 0;
  const registry: RegistryClient = {
    issued: [],
    manifest: () =>
      Promise.resolve({
        digest: digestOf(1_000),
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        size: 1,
        content: { config: part(0), layers: Array.from({ length: 100 }, (_, n) => part(n + 1)) },
      }),
    async blob(digest) {
      asked += 1;
      await giveWay();
      if (digest === digestOf(0)) throw new Error("gone");
      return { size: 1 };
    },
  };
  const image = { registry: "r.example", repository: "shop", tag: "1" };
  await expect(readImage(image, { registry, platform: "linux/amd64" })).rejects.toThrow("gone");
  const atOnce = asked;
  for (let turn = 0; turn < 20; turn += 1) await giveWay();
  expect(asked).toBe(atOnce);
  expect(asked).toBeLessThanOrEqual(8);
});
