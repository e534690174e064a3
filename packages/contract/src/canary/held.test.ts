import { expect, test } from "vitest";
import { heldReason } from "./held.ts";

test.each<[string, Record<string, unknown>, string | undefined]>([
  ["http", { url: "http://a" }, undefined],
  [
    "http",
    { url: "http://a", test: { expr: "code == 200" } },
    '"test" is kept but not evaluated by this version, so the check is not run.',
  ],
  ["http", { url: "http://a", test: {} }, undefined],
  ["http", { url: "http://a", display: { template: "x" } }, '"display" is kept'],
  ["http", { url: "http://a", transform: { javascript: "x" } }, '"transform" is kept'],
  ["http", { url: "http://a", ntlm: true, crawl: { depth: 1 } }, '"crawl" is not supported yet.'],
  ["http", { url: "http://a", ntlm: false, digest: false }, undefined],
  ["http", { connection: "connection://web/shop" }, '"connection" names a stored connection'],
  ["http", { url: "connection://web/shop" }, '"url" names a stored connection'],
  [
    "http",
    { url: "http://a", templateBody: true, body: "{{.x}}" },
    '"templateBody" is not supported yet',
  ],
  [
    "http",
    { url: "http://a", password: { valueFrom: { configMapKeyRef: { key: "k" } } } },
    '"password" comes from a Kubernetes ConfigMap',
  ],
  ["http", { url: "http://a", password: { value: "x", valueFrom: {} } }, undefined],
  ["http", { url: "http://a", password: "secret://a/b" }, '"password" refers to secret'],
  [
    "http",
    { url: "http://a", tlsConfig: { key: { valueFrom: { secretKeyRef: { key: "k" } } } } },
    '"tlsConfig.key" comes from a Kubernetes Secret',
  ],
  ["exec", { script: "echo $(date)" }, undefined],
  ["exec", { script: "echo {{.x}}" }, '"script" is a template'],
  ["exec", { script: "x", checkout: { url: "https://a/b" } }, undefined],
  ["exec", { script: "x", artifacts: [{ path: "a" }] }, '"artifacts" is not supported yet'],
  [
    "exec",
    { script: "x", connections: { kubernetes: { eks: { cluster: "a" } } } },
    '"eks" is not supported yet',
  ],
  [
    "exec",
    { script: "x", env: [{ name: "A", valueFrom: { serviceAccount: "s" } }] },
    '"env.0" comes from a Kubernetes service account',
  ],
  ["postgres", { url: "postgres://a/b", query: "select {{.x}}" }, '"query" is a template'],
  ["folder", { path: "/tmp" }, undefined],
  ["folder", { path: "s3://bucket/x" }, "s3 folders are not supported yet"],
  ["folder", { path: "\\\\server\\share" }, "smb folders are not supported yet"],
  [
    "folder",
    { path: "/x", sftpConnection: { host: "h" } },
    '"sftpConnection" is not supported yet',
  ],
  ["pubsub", {}, "Checks of type pubsub are not supported"],
])("%s %j", (type, spec, reason) => {
  const held = heldReason(type, spec);
  if (reason === undefined) expect(held).toBeUndefined();
  else expect(held).toContain(reason);
});

test("a document that turns templates off is run as it is written", () => {
  expect(heldReason("exec", { script: "echo {{.x}}" }, false)).toBeUndefined();
});
