import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inOrder } from "#platform/http/authenticator.ts";
import { features } from "./features.ts";

/** What the features declare, taken together. */

const views = globSync("features/*/views.sql", { cwd: import.meta.dirname })
  .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
  .join("\n");
/** The tables whose changes are announced, by the names under which they are. */
const announced = new Set([
  ...[...views.matchAll(/announce_changes\('(\w+)', '\w+'(?:, '(\w+)')?/g)].map(
    ([, table, wire]) => wire ?? table,
  ),
  ...[...views.matchAll(/announce_change\('\w+', '(\w+)'/g)].map(([, wire]) => wire),
]);

test("every feature has a name of its own", () => {
  const names = features.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(new Set(names).size).toBe(names.length);
});

test("who asks is looked for in one order", () => {
  const ways = inOrder(features.flatMap(({ authentications = [] }) => authentications));
  expect(ways.map(({ name }) => name)).toEqual([
    "access token",
    "external session",
    "password",
    "hosted provider",
    "session",
  ]);
});

test("one feature gives the command line its session", () => {
  expect(features.filter(({ localSession }) => localSession).map(({ name }) => name)).toEqual([
    "identity",
  ]);
});

test("tables that a feature listens to, or says something of, are announced", () => {
  const named = features.flatMap(({ changes = [], personal = [] }) => [
    ...changes.flatMap(({ tables }) => tables),
    ...personal.map(({ table }) => table),
  ]);
  expect(named).toContain("people_roles");
  expect(named.filter((table) => !announced.has(table))).toEqual([]);
});

test("of a table of which people see their own rows alone, they are told of their own alone", () => {
  const ruled = features.flatMap(({ tables = [] }) =>
    tables.flatMap(({ name, rowRule }) => (rowRule && announced.has(name) ? [name] : [])),
  );
  const owned = features.flatMap(({ personal = [] }) =>
    personal.flatMap(({ table, others }) => (others ? [table] : [])),
  );
  expect(ruled).toContain("people_roles");
  expect(ruled.filter((name) => !owned.includes(name))).toEqual([]);
});

test("what may be read without signing in on a server for checks alone", () => {
  expect(features.flatMap(({ open = [] }) => open).toSorted()).toEqual([
    "agents",
    "canaries",
    "feature_flags",
  ]);
});
