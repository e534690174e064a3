import fc from "fast-check";
import { expect, test } from "vitest";
import { describeDifference } from "./describe-difference.ts";
import { applyPatch, isSame, type Json, mergePatchBetween, patchBetween } from "./json-patch.ts";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

test("a patch leads from one value to another, whatever they are", () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      expect(isSame(applyPatch(before, patchBetween(before, after)), after)).toBe(true);
    }),
  );
});

test("many steps next to each other in a list are followed as one by one", () => {
  const list = (length: number) => Array.from({ length }, (_, index) => index);
  const short = [-1, ...list(3), -2];
  const long = [-1, ...list(25_000), -2];
  expect(applyPatch(short, patchBetween(short, long))).toEqual(long);
  expect(applyPatch(long, patchBetween(long, short))).toEqual(short);
  // Others that stand between them are followed in their turn.
  const steps = [
    { op: "add", path: "/a/0", value: 1 },
    { op: "add", path: "/a/1", value: 2 },
    { op: "add", path: "/b/2", value: 3 },
    { op: "add", path: "/a/2", value: 4 },
    { op: "remove", path: "/a/1" },
    { op: "remove", path: "/a/0" },
    { op: "add", path: "/a/-", value: 5 },
    { op: "replace", path: "/b/0", value: 6 },
  ] as const;
  expect(applyPatch({ a: [9], b: [7, 8] }, steps)).toEqual({ a: [4, 9, 5], b: [6, 8, 3] });
});

test("moving what comes after is done once for many", () => {
  const tail = Array.from({ length: 400_000 }, () => 7);
  const more = Array.from({ length: 40_000 }, (_, index) => index);
  const start = performance.now();
  const made = applyPatch([0, ...tail], patchBetween([0, ...tail], [0, ...more, ...tail]));
  expect((made as unknown[]).length).toBe(440_001);
  // One by one it takes half a minute.
  expect(performance.now() - start).toBeLessThan(5_000);
});

test("with more steps than anybody follows a value is replaced as a whole", () => {
  const many = (value: number) => ({ a: 1, list: Array.from({ length: 60_000 }, () => value) });
  expect(patchBetween(many(1), many(2))).toEqual([{ op: "replace", path: "", value: many(2) }]);
  expect(patchBetween({ a: 1 }, many(1))).toHaveLength(1);
  expect(applyPatch(many(1), patchBetween(many(1), many(2)))).toEqual(many(2));
});

test("what stays is not in a patch", () => {
  expect(
    patchBetween({ a: 1, "x/y": { z: [1, 2, 3, 4] } }, { a: 1, "x/y": { z: [1, 9, 3, 4] } }),
  ).toEqual([{ op: "replace", path: "/x~1y/z/1", value: 9 }]);
  expect(patchBetween([1, 2, 3], [1, 3])).toEqual([{ op: "remove", path: "/1" }]);
  expect(patchBetween([1, 3], [1, 2, 3])).toEqual([{ op: "add", path: "/1", value: 2 }]);
  expect(patchBetween({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
});

test("names that objects have of themselves are names like others", () => {
  const hostile = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as Json;
  const made = applyPatch({}, patchBetween({}, hostile));
  expect(JSON.stringify(made)).toBe(JSON.stringify(hostile));
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});

test.each([
  [{ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 4 } }, { b: { c: 4, d: null } }],
  [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
  [{ a: "text" }, { a: { b: 1 } }, { a: { b: 1 } }],
])("a merge patch from %j to %j", (before, after, patch) => {
  expect(mergePatchBetween(before, after)).toEqual(patch);
});

test("a difference is told in lines and in places", () => {
  const found = describeDifference(
    { spec: { replicas: 2, image: "a" }, kind: "Deployment" },
    { kind: "Deployment", spec: { image: "b", replicas: 2 } },
  )!;
  expect(found.summary).toBe("spec.image");
  expect(found.patches).toEqual({ spec: { image: "b" } });
  expect(found.diff).toBe(
    [
      "--- before",
      "+++ after",
      "@@ -1,7 +1,7 @@",
      " {",
      '   "kind": "Deployment",',
      '   "spec": {',
      '-    "image": "a",',
      '+    "image": "b",',
      '     "replicas": 2',
      "   }",
      " }",
      "\\ No newline at end of file",
      "",
    ].join("\n"),
  );
  expect(describeDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeUndefined();
  expect(describeDifference("one\ntwo", "one\nthree")).toMatchObject({
    patches: null,
    summary: "everything",
  });
});

test("what differs in everything is told by its patches alone", () => {
  const many = (from: number) => Array.from({ length: 6000 }, (_, index) => `${from + index}`);
  const found = describeDifference({ list: many(0) }, { list: many(1_000_000) })!;
  expect(found.diff).toBeNull();
  expect(found.summary).toBe(
    "list.0, list.1, list.2, list.3, list.4, list.5, list.6, list.7, list.8, list.9 and 5990 more",
  );
});
