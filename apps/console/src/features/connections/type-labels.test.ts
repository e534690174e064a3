import { expect, test } from "vitest";
import { connectionTypes } from "@mainstay/contract/connections/connection-types.ts";
import { typeLabels } from "./type-labels.ts";

test("every type is called as it is declared, in the order of the declaration", () => {
  expect(Object.entries(typeLabels)).toEqual(
    connectionTypes.map(({ type, label }) => [type, label]),
  );
});
