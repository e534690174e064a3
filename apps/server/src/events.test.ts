import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { features } from "./features.ts";

const source = import.meta.dirname;

/** What a feature's SQL and code raise: `raise_event('name', ...)`, `raise_events('name', ...)` and `emit(definition, ...)`. */
function raisedBy(feature: string) {
  const read = (pattern: string) =>
    globSync(pattern, { cwd: join(source, "features", feature) })
      .filter((file) => !/\.test\.ts$|^testing\//.test(file))
      .map((file) => readFileSync(join(source, "features", feature, file), "utf8"))
      .join("\n");
  const bySql = [...read("**/*.sql").matchAll(/raise_events?\(\s*'([^']+)'\s*,/g)].map(
    ([, name]) => name!,
  );
  const byCode = [...read("**/*.ts").matchAll(/\bemit\(\s*(?:\w+,\s*)?(\w+)/g)].map(
    ([, definition]) => definition!,
  );
  return { bySql, byCode };
}

/** By the event's name, what code calls its definition; wherever in the contract or in the feature that stands. */
function definitions(): Map<string, string> {
  const repository = join(source, "../../..");
  const texts = globSync(["packages/contract/src/**/*.ts", "apps/server/src/features/**/*.ts"], {
    cwd: repository,
  }).map((file) => readFileSync(join(repository, file), "utf8"));
  const definition = /const (\w+) = defineEvent\(\{\s*name: "([^"]+)"/g;
  return new Map(
    texts.flatMap((text) =>
      Array.from(text.matchAll(definition), ([, called, name]) => [name!, called!] as const),
    ),
  );
}

test("every event that SQL raises is declared by its feature, and every declared one is raised", () => {
  const called = definitions();
  const seen: string[] = [];
  for (const { name: feature, events = [] } of features) {
    const declared = events.map((event) => event.name);
    const { bySql, byCode } = raisedBy(feature);
    expect(declared, `events of ${feature} that its SQL raises`).toEqual(
      expect.arrayContaining(bySql),
    );
    for (const name of declared) {
      const isRaised = bySql.includes(name) || byCode.includes(called.get(name) ?? "");
      expect(isRaised, `${feature} declares ${name} and nothing raises it`).toBe(true);
    }
    seen.push(...declared);
  }
  expect(seen).toEqual(expect.arrayContaining(["check.failed", "check.passed"]));
  expect(seen.filter((name) => !called.has(name))).toEqual([]);
});

test("nothing writes the queue but the one function", () => {
  const writers = globSync("**/*.{ts,sql}", { cwd: source }).filter((file) =>
    /insert into event_queue\b/.test(readFileSync(join(source, file), "utf8")),
  );
  expect(writers.filter((file) => !file.endsWith(".test.ts"))).toEqual(["features/jobs/views.sql"]);
});
