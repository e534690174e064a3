import { expect, test } from "vitest";
import { parseImage } from "./image-reference.ts";

const digest = `sha256:${"ab".repeat(32)}`;

test.each([
  ["busybox", { registry: "docker.io", repository: "library/busybox", tag: "latest" }],
  ["docker.io/busybox", { registry: "docker.io", repository: "library/busybox", tag: "latest" }],
  ["index.docker.io/a/b:1", { registry: "docker.io", repository: "a/b", tag: "1" }],
  ["ann/shop", { registry: "docker.io", repository: "ann/shop", tag: "latest" }],
  ["localhost/shop:2", { registry: "localhost", repository: "shop", tag: "2" }],
  ["localhost:5000/a/b/c", { registry: "localhost:5000", repository: "a/b/c", tag: "latest" }],
  ["[::1]:5000/a", { registry: "[::1]:5000", repository: "a", tag: "latest" }],
  [
    `public.ecr.aws/docker/library/busybox:1.33.1@${digest}`,
    { registry: "public.ecr.aws", repository: "docker/library/busybox", tag: "1.33.1", digest },
  ],
  [`ghcr.io/a/b@${digest}`, { registry: "ghcr.io", repository: "a/b", digest }],
])("%s", (text, image) => {
  expect(parseImage(text)).toEqual(image);
});

test.each([
  ["", "lower-case names"],
  ["Busybox", "lower-case names"],
  ["a//b", "lower-case names"],
  ["a/../b", "lower-case names"],
  ["host.example:port/a", "its registry is no host"],
  ["a:", "its tag cannot be one"],
  ["a:b c", "its tag cannot be one"],
  ["a@sha256:abc", "a digest is"],
  [`a@${digest}@${digest}`, "two @"],
  ["a".repeat(1025), "longer than"],
])("%s is refused", (text, why) => {
  expect(() => parseImage(text)).toThrow(why);
});
