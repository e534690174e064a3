import { expect, test } from "vitest";
import { codeInScrapeConfig, codeInScraper } from "./code-in-spec.ts";

test.each<[string, Record<string, unknown>, string | undefined]>([
  ["file", {}, "file"],
  ["file", { paths: ["*.json"] }, "file"],
  ["file", { url: "/etc" }, "file"],
  ["file", { url: "./etc" }, "file"],
  ["file", { url: "etc" }, "file"],
  ["file", { url: "github.com" }, "file"],
  ["file", { url: "github.com/team/repo//conf" }, undefined],
  ["file", { url: "bucket.s3.eu-west-1.amazonaws.com/conf" }, undefined],
  ["file", { url: "file:///etc" }, "file"],
  ["file", { url: "git::file:///srv/repository" }, "file"],
  ["file", { url: "git::/srv/repository" }, "file"],
  ["file", { url: "https:///etc" }, "file"],
  ["file", { url: "https://{{.host}}/a" }, "file"],
  ["file", { url: "{{.url}}" }, "file"],
  ["file", { url: "/etc", connection: "connection://git" }, "file"],
  ["file", { connection: "/etc" }, "file"],
  ["file", { connection: "connection://git" }, undefined],
  ["file", { url: "https://example.org/a.json" }, undefined],
  ["file", { url: "git::https://user:$(password)@example.org/a.git//b?ref=c" }, undefined],
  ["file", { url: "git::ssh://git@example.org/a.git" }, undefined],
  ["file", { url: "git@example.org:a/b.git" }, undefined],
  ["file", { url: "s3::https://s3.example.org/bucket/a" }, undefined],
  ["file", { url: "s3://bucket/a" }, undefined],
  ["http", { url: "https://example.org" }, undefined],
  ["http", { url: "unix:///run/docker.sock" }, "socket"],
  ["sql", { connection: "postgres://a@db/name" }, undefined],
  ["sql", { connection: "connection://db" }, undefined],
  ["sql", { connection: "postgres://a@/name?host=/run/postgresql" }, "socket"],
  ["exec", { script: "true" }, "program"],
  ["kubernetes", { clusterName: "a" }, undefined],
  ["kubernetes", { kubeconfig: "/root/.kube/config" }, "file"],
  ["kubernetesFile", { kubeconfig: { value: "~/.kube/config" } }, "file"],
  ["githubActions", { owner: "a" }, undefined],
  ["githubActions", { url: "unix:///run/a" }, "socket"],
  ["azureDevops", { url: "https://example.org" }, undefined],
  ["aws", { endpoint: "https://example.org" }, undefined],
  ["azure", {}, undefined],
  ["trivy", {}, "program"],
  ["host", {}, "program"],
  ["host", { host: "" }, "program"],
  ["host", { host: "web-1" }, undefined],
  ["host", { connection: "connection://web-1" }, undefined],
  ["playwright", {}, "program"],
  ["terraform", { state: { local: "/a" } }, "file"],
  ["terraform", { state: { s3: {} } }, undefined],
  ["shell", {}, "unknown"],
  ["constructor", {}, "unknown"],
])("%s %j: %s", (type, scraper, kind) => {
  expect(codeInScraper(type, scraper)).toBe(kind);
});

test("every part of a spec is named, and nothing else", () => {
  expect(
    codeInScrapeConfig({
      schedule: "@daily",
      retention: { changes: [{ name: "diff", age: "1d" }] },
      file: [{ url: "s3://a" }, { url: "/etc" }],
      exec: { script: "true" },
      host: [{ host: "a" }],
      spell: [{ name: "magic" }],
      notes: ["a"],
    }),
  ).toEqual([
    { path: ["file", 1], kind: "file", name: "file-1" },
    { path: ["exec"], kind: "program", name: "exec-0" },
    { path: ["spell", 0], kind: "unknown", name: "spell-0" },
  ]);
});
