import { expect, test } from "vitest";
import { readSource } from "./file-source.ts";

test.each([
  ["", { kind: "local", root: "" }],
  ["/etc/things", { kind: "local", root: "/etc/things" }],
  ["file:///etc/some%20things", { kind: "local", root: "/etc/some things" }],
  [
    "git::https://host/repo//conf?ref=main",
    { kind: "git", url: "https://host/repo", below: "conf", ref: "main" },
  ],
  ["git::file:///srv/repo", { kind: "git", url: "file:///srv/repo", below: "" }],
  ["https://host/team/repo.git", { kind: "git", url: "https://host/team/repo.git", below: "" }],
  [
    "https://host/team/repo.git//a/b",
    { kind: "git", url: "https://host/team/repo.git", below: "a/b" },
  ],
  ["git@host:team/repo.git", { kind: "git", url: "git@host:team/repo.git", below: "" }],
  ["ssh://git@host/repo", { kind: "git", url: "ssh://git@host/repo", below: "" }],
  ["https://host/file.json", { kind: "http", url: "https://host/file.json" }],
])("where %s is", (url, expected) => {
  expect(readSource({ url })).toEqual(expected);
});

test("a connection that names a branch is a repository", () => {
  expect(readSource({ url: "https://host/repo", branch: "dev" })).toEqual({
    kind: "git",
    url: "https://host/repo",
    below: "",
    ref: "dev",
  });
});

test("what files are not read from is told", () => {
  expect(() => readSource({ url: "s3://bucket/x" })).toThrow("url: files are read from");
});
