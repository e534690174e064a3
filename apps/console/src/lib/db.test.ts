import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  addressOf,
  columns,
  contains,
  embedding,
  eq,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  oneOf,
} from "./db.ts";

test.each<[string, string]>([
  [addressOf("teams"), "/api/db/teams"],
  [
    addressOf("agents", {
      select: columns("agents", "id", "name"),
      where: { id: oneOf(["a", 'b,"c']), deleted_at: isNull, name: isNotNull },
      order: ["name.asc", "created_at.desc.nullslast"],
      limit: 10,
      offset: 20,
    }),
    '/api/db/agents?select=id,name&id=in.(a,"b,\\"c")&deleted_at=is.null&name=not.is.null&order=name.asc,created_at.desc.nullslast&limit=10&offset=20',
  ],
  [
    addressOf("check_statuses", {
      where: {
        time: [gt("2026-01-01T00:00:00Z"), lt("2026-01-02T00:00:00+02:00")],
        status: eq(true),
      },
    }),
    "/api/db/check_statuses?time=gt.2026-01-01T00:00:00Z&time=lt.2026-01-02T00:00:00+02:00&status=eq.true",
  ],
  [
    addressOf("check_statuses", { where: { duration: [gte(5), lte(9)], message: undefined } }),
    "/api/db/check_statuses?duration=gte.5&duration=lte.9",
  ],
  [
    addressOf("audit_entries", {
      anyOf: [{ actor_name: contains('a,b"c') }, { row_id: isNull }],
    }),
    '/api/db/audit_entries?or=(actor_name.ilike."*a,b\\"c*",row_id.is.null)',
  ],
  [
    addressOf("teams", { select: embedding("*,created_by(id)"), where: { id: eq("a&b=c#d e") } }),
    "/api/db/teams?select=*,created_by(id)&id=eq.a&b=c#d e",
  ],
])("%s", (address, expected) => {
  expect(
    decodeURIComponent(address.replaceAll("%2B", "\0").replaceAll("+", " ")).replaceAll("\0", "+"),
  ).toBe(expected);
});

test("what a value holds does not become part of the address", () => {
  const address = addressOf("teams", { where: { id: eq("1&limit=0#x") } });
  expect(new URL(address, "http://x").searchParams.getAll("id")).toEqual(["eq.1&limit=0#x"]);
  expect([...new URL(address, "http://x").searchParams.keys()]).toEqual(["id"]);
});

/** All that the console is made of, but its tests. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

test("addresses of the data API are written here and nowhere else", () => {
  const files = sources(join(import.meta.dirname, ".."));
  expect(files.length).toBeGreaterThan(100);
  const written = files.filter(
    (file) =>
      !file.endsWith("lib/db.ts") &&
      !file.includes("/testing/") &&
      /\/api\/db\b|[?&][\w.]+=(?:eq|neq|gte?|lte?|like|ilike|in|is|not)\./.test(
        readFileSync(file, "utf8"),
      ),
  );
  // Write `db.list("checks", { where: { id: eq(id) } })`.
  expect(written).toEqual([]);
});
