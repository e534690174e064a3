import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connectionTypes } from "@mainstay/contract";
import { expect, test } from "vitest";
import { checkTypes } from "./index.ts";

/** What docs/check-types.md says each type is tested against; a type without a row is one that nobody has looked at. */

const document = new URL("../../../../../../docs/check-types.md", import.meta.url);
const text = readFileSync(document, "utf8");

interface Row {
  type: string;
  cells: string[];
}

/** The rows of a section's table; the type is the first word in its first cell that is set as code. */
function rowsOf(title: string): Row[] {
  const section = text.split("\n## ").find((one) => one.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/check-types.md has no section "${title}".`);
  const [, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.map((line) => {
    const cells = line
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim());
    return { type: /`(\w+)`/.exec(cells[0] ?? "")?.[1] ?? "", cells };
  });
}

const linked = (cell: string): string[] =>
  [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => fileURLToPath(new URL(path!, document)));

const checks = rowsOf("Check types");
const connections = rowsOf("Connections");
const notifications = rowsOf("Connections of notifications");
const named = (rows: readonly Row[]) => [...new Set(rows.map(({ type }) => type))].toSorted();
const offered = (kind: string) =>
  connectionTypes
    .filter((one) => one.kind === kind && !one.hidden)
    .map(({ type }) => type)
    .toSorted();

test("every check type of the registry has a row, and no other; a new type needs one", () => {
  expect(named(checks)).toEqual(Object.keys(checkTypes).toSorted());
});

test("every type of connection that is offered has a row, and no other", () => {
  expect(named(connections)).toEqual(offered("connection"));
  expect(named(notifications)).toEqual(offered("notification"));
});

test.each(checks)("$type: each column holds a mark or a reason", ({ cells }) => {
  const [, peer, ...columns] = cells;
  expect(peer).toMatch(/\w{3}/);
  expect(columns).toHaveLength(5);
  for (const column of columns) expect(column).toMatch(/^✓|\w{3}/);
});

test.each([...connections, ...notifications])("$type: the same of connections", ({ cells }) => {
  const [, peer, , ...columns] = cells;
  expect(peer).toMatch(/\w{3}/);
  expect(columns).toHaveLength(3);
  const isTried = !columns[0]!.includes("501");
  for (const column of columns) expect(column).toMatch(isTried ? /^✓|\w{3}/ : /^not tested|^–$/);
});

test.each([...checks, ...connections, ...notifications])(
  "$type: the tests that its row leads to are there, and know the type",
  ({ type, cells }) => {
    const files = cells.flatMap(linked);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const about = files.filter((file) => readFileSync(file, "utf8").includes(type));
    expect(about.length).toBeGreaterThan(0);
  },
);
