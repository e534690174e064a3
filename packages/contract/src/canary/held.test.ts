import { expect, test } from "vitest";
import { isSupportedCheckType, unsupportedCheckTypes } from "./canary-spec.ts";
import { heldReason } from "./held.ts";

test.each<[string, Record<string, unknown>, string | undefined]>([
  ["http", { url: "http://a" }, undefined],
  ["http", { url: "http://a", test: { expr: "code == 200" } }, undefined],
  ["http", { url: "connection://web/shop", password: "secret://a/b" }, undefined],
  ["http", { url: "http://a", ntlm: true, crawl: { depth: 1 } }, undefined],
  ["http", { url: "http://a", ntlm: false, digest: false }, undefined],
  ["http", { url: "http://a", password: { value: "x", valueFrom: {} } }, undefined],
  ["http", { url: "http://a.b", kubernetes: {} }, undefined],
  ["http", { url: "http://a.b", kubernetes: { gke: { cluster: "a" } } }, '"gke" is not supported'],
  ["exec", { script: "echo $(date)" }, undefined],
  ["exec", { script: "echo {{.x}}" }, undefined],
  ["exec", { script: "x", checkout: { url: "https://a/b" } }, undefined],
  ["exec", { script: "x", artifacts: [{ path: "a" }] }, undefined],
  [
    "exec",
    { script: "x", connections: { kubernetes: { eks: { cluster: "a" } } } },
    '"eks" is not supported yet',
  ],
  ["folder", { path: "/tmp" }, undefined],
  ["folder", { path: "s3://bucket/x" }, undefined],
  ["folder", { path: "s3://bucket/x", awsConnection: { assumeRole: "arn" } }, undefined],
  ["folder", { path: "\\\\server\\share" }, undefined],
  ["folder", { path: "smb://server/share" }, undefined],
  ["folder", { path: "azblob://container" }, "azblob folders are not supported yet"],
  ["folder", { path: "/x", sftpConnection: { host: "h" } }, undefined],
  ["webhook", { token: "0123456789abcdef" }, undefined],
  ["webhook", {}, undefined],
  [
    "webhook",
    { token: { valueFrom: { secretKeyRef: { name: "a", key: "b" } } } },
    'a "token" from elsewhere is not supported yet',
  ],
  ["docker", { image: "a/b" }, undefined],
  ["docker", { image: "a/b", expectedSize: 0 }, undefined],
  ["docker", { image: "a/b", expectedSize: 200 }, "which no registry tells"],
  ["containerd", { image: "a/b", expectedSize: 200 }, undefined],
  ["catalog", { query: "select * from config_items where type = 'a'" }, undefined],
  ["catalog", { query: "select * from people" }, "selector"],
  ["dockerPush", { image: "a/b" }, "this server keeps none"],
  ["containerdPush", { image: "a/b" }, "this server keeps none"],
  ["s3Bucket", { bucket: "a", maxAge: 7 }, undefined],
  ["pubsub", {}, "Checks of type pubsub are not supported"],
])("%s %j", (type, spec, reason) => {
  const held = heldReason(type, spec);
  if (reason === undefined) expect(held).toBeUndefined();
  else expect(held).toContain(reason);
});

test("no type is both run and only kept", () => {
  expect(unsupportedCheckTypes.filter(isSupportedCheckType)).toEqual([]);
});
