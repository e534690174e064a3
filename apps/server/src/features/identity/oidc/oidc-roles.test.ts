import type { Role } from "@mainstay/contract";
import { describe, expect, test } from "vitest";
import { compileRoles, RoleExpressionError } from "./oidc-roles.ts";

const digits = "[0,1,2,3,4,5,6,7,8,9]";
/** A list in a list in a list. */
const deep = Array.from({ length: 9 }, (_, depth) => `${digits}.map(a${depth}, `).join("");

test.each([
  ["lists in lists", `${deep}'admin'${")".repeat(9)}`],
  [
    "lists of claims",
    "claims.groups.map(a, claims.groups.map(b, claims.groups.map(c, a + b + c)))",
  ],
])(
  "an expression that would never end, %s, brings nothing and keeps nobody waiting",
  async (_, text) => {
    const expression = await compileRoles(text);
    const groups = Array.from({ length: 2_000 }, (_unused, index) => `group-${index}`);
    const began = performance.now();
    await expect(expression({ groups })).rejects.toThrow(RoleExpressionError);
    expect(performance.now() - began).toBeLessThan(5_000);
  },
);

test.each<[string, object, string[]]>([
  ["claims.groups", { groups: ["editor", "wizard", "__proto__", "constructor"] }, ["editor"]],
  ["claims.groups", { groups: "admin" }, ["admin"]],
  ["{'roles': claims.groups}", { groups: ["admin", ["viewer"]] }, ["admin", "viewer"]],
  [
    "claims.name.matches('^(a+)+$') ? 'admin' : 'viewer'",
    { name: `${"a".repeat(5_000)}!` },
    ["viewer"],
  ],
])("%s over %j", async (text, claims, found) => {
  const { roles } = await (await compileRoles(text))(claims as Record<string, unknown>);
  expect(roles).toEqual(found);
});

describe("roles from claims", () => {
  const claims = {
    groups: ["ops", "root"],
    email: "ada@example.org",
    level: 7,
    org: { admin: true },
  };
  test.each<[expression: string, expected: Role[]]>([
    ["'editor'", ["editor"]],
    ["['viewer', 'editor']", ["editor", "viewer"]],
    ["{'role': 'commander'}", ["commander"]],
    ["{'roles': ['responder']}", ["responder"]],
    ["'ops' in claims.groups ? 'editor' : 'viewer'", ["editor"]],
    ["claims.groups.filter(g, g == 'root').map(g, 'admin')", ["admin"]],
    ["claims.email.endsWith('@example.org') ? 'editor' : ''", ["editor"]],
    ["claims.org.admin ? 'admin' : 'viewer'", ["admin"]],
    ["claims.level > 5.0 ? 'editor' : 'viewer'", ["editor"]],
    ["has(claims.missing) ? 'admin' : 'viewer'", ["viewer"]],
    ["'root'", []],
    ["true", []],
    ["null", []],
    ["[]", []],
  ])("%s: %j", async (expression, expected) => {
    expect(await (await compileRoles(expression))(claims)).toEqual({ roles: expected, teams: [] });
  });

  test("may bring teams beside", async () => {
    const brought = await compileRoles("{'role': 'viewer', 'teams': claims.groups}");
    expect(await brought(claims)).toEqual({ roles: ["viewer"], teams: ["ops", "root"] });
  });

  test.each(["claims.missing.deeper", "claims.groups + 1", "claims.email.matches('(')"])(
    "%s fails as what it is",
    async (expression) => {
      const rolesOf = await compileRoles(expression);
      await expect(rolesOf(claims)).rejects.toThrow(RoleExpressionError);
    },
  );
});
