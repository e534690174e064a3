import { expect, test } from "vitest";
import { whatChanged } from "./what-changed.ts";

test.each([
  [{ spec: { replicas: 3 } }, "spec.replicas"],
  [{ a: 1, b: { c: null, d: {} }, e: [1], f: 2, g: 3 }, "a, b.c, b.d and 3 more"],
  [[{ op: "replace", path: "/spec/images~1app/0", value: 1 }], "spec.images/app.0"],
  [[{ op: "replace", path: "", value: 1 }], ""],
  [{ a: { b: { c: { d: { e: { f: { g: { h: { i: 1 } } } } } } } } }, "a.b.c.d.e.f.g.h"],
  [null, ""],
])("%j changes %s", (patch, text) => {
  expect(whatChanged(patch)).toBe(text);
});
