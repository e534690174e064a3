import { describe, expect, test } from "vitest";
import { isAllowed, resources, type Role, roles } from "./permissions.ts";
import { grantableRoles, narrowRoles } from "./tokens.ts";

type Case = [owner: Role[], limit: Role[] | null, expected: Role[]];
const cases: Case[] = [
  [["admin"], null, ["admin"]],
  [["admin"], ["editor"], ["editor"]],
  [["admin"], ["viewer"], ["viewer"]],
  [["editor"], ["admin"], ["editor"]],
  [["viewer"], ["admin"], ["viewer"]],
  [["commander"], ["editor"], ["commander"]],
  [["responder"], ["commander"], ["viewer"]],
  [["commander", "responder"], ["commander"], ["commander"]],
  [["admin"], ["editor", "responder"], ["editor", "responder"]],
];

test.each(cases)("%j limited to %j is %j", (owner, limit, expected) => {
  expect(narrowRoles(owner, limit)).toEqual(expected);
});

test("what may be handed on is what one has and what is below", () => {
  expect(grantableRoles(["admin"])).toEqual(roles);
  expect(grantableRoles(["editor"])).toEqual(["editor", "commander", "responder", "viewer"]);
  expect(grantableRoles(["responder"])).toEqual(["responder", "viewer"]);
  expect(grantableRoles(["viewer"])).toEqual(["viewer"]);
});

const unions = Array.from({ length: 2 ** roles.length - 1 }, (_, index) =>
  roles.filter((_role, bit) => ((index + 1) & (1 << bit)) !== 0),
);

describe.each(unions.map((owner) => [owner.join("+"), owner] as const))("%s", (_, owner) => {
  test("with any limit may do nothing that owner or limit may not", () => {
    for (const limit of unions) {
      const narrowed = narrowRoles(owner, limit);
      for (const resource of resources) {
        for (const action of ["read", "write"] as const) {
          if (!isAllowed(narrowed, resource, action)) continue;
          expect(
            isAllowed(owner, resource, action),
            `${limit.join("+")} ${action} ${resource}`,
          ).toBe(true);
          expect(
            isAllowed(limit, resource, action),
            `${limit.join("+")} ${action} ${resource}`,
          ).toBe(true);
        }
      }
    }
  });
});
