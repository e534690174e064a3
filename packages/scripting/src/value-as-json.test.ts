import { expect, test } from "vitest";
import { Duration, type Value } from "./values.ts";
import { valueAsJson } from "./value-as-json.ts";

test.each<[Value, string]>([
  [null, "null"],
  [1.5, "1.5"],
  [NaN, '"NaN"'],
  [2n ** 63n, "9223372036854775808"],
  ["é\n", '"é\\n"'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [new Uint8Array([1, 2]), '"AQI="'],
  [{ a: [true, {}], b: null }, '{"a":[true,{}],"b":null}'],
  // As Go prints them.
  [new Duration(0n), '"0s"'],
  [new Duration(1n), '"1ns"'],
  [new Duration(1_500n), '"1.5µs"'],
  [new Duration(2_000_000n), '"2ms"'],
  [new Duration(1_500_000_000n), '"1.5s"'],
  [new Duration(60_000_000_000n), '"1m0s"'],
  [new Duration(5_400_000_000_000n), '"1h30m0s"'],
  [new Duration(-3_600_000_000_001n), '"-1h0m0.000000001s"'],
  [new Duration(2_562_047n * 3_600_000_000_000n), '"2562047h0m0s"'],
])("%o", (value, json) => {
  expect(valueAsJson(value)).toBe(json);
});
