import { expect, test } from "vitest";
import { fieldsOf, jsonOf } from "./fields-of.ts";

test("a message is an object or it is none", () => {
  expect(jsonOf(' {"a":1}')).toEqual({ a: 1 });
  for (const message of ["", "a", "[1]", "{a", '"x"']) expect(jsonOf(message)).toBeUndefined();
});

test("what lies deeper has its path; no object goes on for ever", () => {
  expect(fieldsOf({ a: { b: "x", c: [1] }, d: null })).toEqual([
    { path: "a.b", text: "x" },
    { path: "a.c", text: "[1]" },
    { path: "d", text: "null" },
  ]);
  let deep: unknown = 1;
  for (let depth = 0; depth < 50; depth += 1) deep = { a: deep };
  expect(fieldsOf({ deep })).toHaveLength(1);
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, index]));
  expect(fieldsOf(wide)).toHaveLength(200);
});
