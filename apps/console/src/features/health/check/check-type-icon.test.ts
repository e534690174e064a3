import { expect, test } from "vitest";
import { supportedCheckTypes } from "@mainstay/contract/canary/index.ts";
import { findMark, indexMarks } from "@mainstay/ui/icon-marks.ts";
import { checkTypeMarks } from "./check-type-icon.ts";

test("databases have the marks of their products, one each", async () => {
  const { IconMap } = await import("@flanksource/icons/mi");
  const marks = indexMarks({
    coloured: Object.keys(IconMap),
    inked: [],
    addressOf: (name) => name,
  });
  const ofLibrary = supportedCheckTypes.filter((type) => !Object.hasOwn(checkTypeMarks, type));
  expect(ofLibrary).toEqual(["postgres", "mysql", "redis", "mssql"]);
  const addresses = ofLibrary.map((type) => findMark(marks, type)?.address);
  expect(addresses).not.toContain(undefined);
  expect(new Set(addresses).size).toBe(4);
});
