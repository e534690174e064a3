import { expect, test } from "vitest";
import { findTwins } from "./find-twins.ts";

type Named = Parameters<typeof findTwins>[0][number];

const format = { kind: "Canary" } as Named["format"];
const named = (namespace: string, name: string, uid?: string): Named => ({
  format,
  namespace,
  name,
  uid,
});

test("documents of one name, or of one id, are twins", () => {
  const [first, second] = [named("a", "b", "1"), named("a", "b", "1")];
  expect(findTwins([first, named("a", "c"), second])).toEqual([
    { document: second, twin: first, path: "metadata.name", claim: "a/b" },
    { document: second, twin: first, path: "metadata.uid", claim: "1" },
  ]);
  const other = { ...first, format: { ...format, kind: "Topology" } };
  expect(findTwins([first, other])).toEqual([]);
});

test("names are not twins because a slash ends one namespace or begins the next name", () => {
  expect(findTwins([named("a/b", "c"), named("a", "b/c")])).toEqual([]);
});
