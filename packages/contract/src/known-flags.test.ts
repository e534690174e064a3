import { expect, test } from "vitest";
import { isFeatureOff } from "./feature-flags.ts";
import { knownFlags } from "./known-flags.ts";

test("each is named once and described", () => {
  const names = knownFlags.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, description } of knownFlags) {
    expect(name).toMatch(/^[a-z_]+(\.[a-z_]+)?\.disable$/);
    expect(description).toMatch(/^[A-Z].*[^.]$/);
  }
});

test("the descriptions say which follow another", () => {
  for (const { name, description } of knownFlags) {
    const feature = name.slice(0, -".disable".length);
    const followed = knownFlags.filter(
      (other) =>
        other.name !== name && isFeatureOff([{ name: other.name, value: "true" }], feature),
    );
    expect([name, followed.map((other) => other.name)]).toEqual([
      name,
      [/follows (\S+) unless/.exec(description)?.[1]].filter((one) => one !== undefined),
    ]);
  }
});
