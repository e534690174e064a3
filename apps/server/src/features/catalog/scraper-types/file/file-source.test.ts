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
  [
    "github.com/team/repo//conf?ref=v1",
    { kind: "git", url: "https://github.com/team/repo.git", below: "conf", ref: "v1" },
  ],
  ["gitlab.com/team/repo.git", { kind: "git", url: "https://gitlab.com/team/repo.git", below: "" }],
  ["s3://bucket/a/b/", { kind: "s3", bucket: "bucket", prefix: "a/b" }],
  [
    "s3://bucket?region=eu-west-1",
    { kind: "s3", bucket: "bucket", prefix: "", region: "eu-west-1" },
  ],
  ["s3::https://s3.amazonaws.com/bucket/a", { kind: "s3", bucket: "bucket", prefix: "a" }],
  [
    "s3::https://s3-eu-west-1.amazonaws.com/bucket/a%20b",
    { kind: "s3", bucket: "bucket", prefix: "a b", region: "eu-west-1" },
  ],
  [
    "my.bucket.s3.eu-west-1.amazonaws.com/a",
    { kind: "s3", bucket: "my.bucket", prefix: "a", region: "eu-west-1" },
  ],
  [
    "s3::http://minio.example.org:9000/bucket/a",
    { kind: "s3", bucket: "bucket", prefix: "a", endpoint: "http://minio.example.org:9000" },
  ],
  ["gs://bucket/a", { kind: "gcs", bucket: "bucket", prefix: "a" }],
  [
    "gcs::https://www.googleapis.com/storage/v1/bucket/a/b",
    { kind: "gcs", bucket: "bucket", prefix: "a/b" },
  ],
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

test.each([
  ["azblob://container/x", "url: files are read from"],
  ["s3:///x", "which bucket"],
  ["s3://bucket/x?aws_access_key_id=a&aws_access_key_secret=b", "name a connection"],
  ["s3::https://minio.example.org/bucket/100%", "a % itself is written %25"],
  ["file:///etc/%zz", "a % itself is written %25"],
  ["file://%zz/etc", "is no address"],
  ["https://[host/a.json", "is no address"],
  ["gcs::https://evil.example.org/storage/v1/bucket/a", "buckets of Google are written"],
])("%s is refused", (url, why) => {
  expect(() => readSource({ url })).toThrow(why);
});
