import { expect, test } from "vitest";
import { placeOf } from "./sources.ts";

test.each([
  [null, "the console"],
  ["", "the console"],
  ["UI", "the console"],
  ["ConfigFile", "a file"],
  ["KubernetesCRD", "Kubernetes"],
  ["git/shop.yaml", "git/shop.yaml"],
  ["constructor", "constructor"],
])("what says %j is kept in %s", (source, place) => expect(placeOf(source)).toBe(place));
