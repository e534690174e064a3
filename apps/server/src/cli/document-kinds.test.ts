import { documentFormats } from "@mainstay/contract/document-formats.ts";
import { expect, test } from "vitest";
import { collectKinds } from "#platform/documents/collect-kinds.ts";
import { features } from "../features.ts";

test("the command line knows the kinds that the features have", () => {
  // It reads no features, for a second of computing: a kind is listed for it in contract/src/document-formats.ts.
  expect(documentFormats.map(({ kind }) => kind).toSorted()).toEqual(
    collectKinds(features)
      .map(({ format }) => format.kind)
      .toSorted(),
  );
});
