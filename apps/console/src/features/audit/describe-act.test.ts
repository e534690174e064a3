import { expect, test } from "vitest";
import { describeAct } from "./describe-act.ts";
import type { AuditChange } from "./queries.ts";

const change = (
  table_name: string,
  verb: string,
  row_name: string,
  more: Partial<AuditChange> = {},
): AuditChange => ({
  id: `${table_name} ${verb} ${row_name}`,
  created_at: "2026-01-01T00:00:00Z",
  actor_id: "p1",
  actor_name: "Ada",
  address: null,
  request_id: "r1",
  verb,
  table_name,
  row_id: "x",
  row_name,
  resource_name: null,
  resource_type: null,
  resource_id: null,
  token_name: null,
  before: null,
  after: null,
  ...more,
});
const role = (verb: "insert" | "delete", name: string, of = "Vera") =>
  change("casbin_rule", verb, of, { [verb === "insert" ? "after" : "before"]: { v1: name } });
const inTeam = { resource_name: "Database" };

test.each<[string, AuditChange[]]>([
  [
    "invited Vera as viewer",
    [
      role("insert", "viewer"),
      change("identity_codes", "insert", "Vera"),
      change("people", "insert", "Vera"),
    ],
  ],
  ["invited Vera", [change("people", "insert", "Vera", { after: { name: "Vera", type: null } })]],
  [
    "created the service CI as editor",
    [
      change("people", "insert", "CI", { after: { type: "service" } }),
      role("insert", "editor", "CI"),
    ],
  ],
  [
    "changed the role of Vera from viewer to editor",
    [role("delete", "viewer"), role("insert", "editor")],
  ],
  ["made Vera admin", [role("insert", "admin")]],
  ["took the role admin from Vera", [role("delete", "admin")]],
  ["made a sign-in link for Vera", [change("identity_codes", "insert", "Vera")]],
  [
    "changed how Vera signs in",
    [change("identity_credentials", "insert", "Vera"), change("identity_keys", "delete", "Vera")],
  ],
  [
    "deleted user Vera",
    [
      change("people", "update", "Vera", { after: { deleted_at: "2026-01-01" } }),
      role("delete", "viewer"),
      change("team_members", "delete", "Vera in Database", inTeam),
    ],
  ],
  [
    "added Ann and Vera to Database",
    [
      change("team_members", "insert", "Ann in Database", inTeam),
      change("team_members", "insert", "Vera in Database", inTeam),
    ],
  ],
  ["removed Vera from Database", [change("team_members", "delete", "Vera in Database", inTeam)]],
  [
    "changed feature flag logs.disable (value)",
    [
      change("properties", "update", "logs.disable", {
        before: { value: "a" },
        after: { value: "b" },
      }),
    ],
  ],
  [
    "created health check web/shop",
    [change("canaries", "insert", "web/shop"), change("checks", "insert", "front")],
  ],
  [
    "deleted team Database",
    [change("teams", "update", "Database", { after: { deleted_at: "2026-01-01" } })],
  ],
  ["ran check web/front", [change("checks", "run", "web/front")]],
  ["tried out document web/shop", [change("documents", "dry_run", "web/shop")]],
  [
    "created connections a, b, c and 2 more",
    ["a", "b", "c", "d", "e"].map((name) => change("connections", "insert", name)),
  ],
  ["changed some new table x (a)", [change("some_new_table", "update", "x", { after: { a: 1 } })]],
])("%s", (words, changes) => {
  expect(describeAct(changes)).toBe(words);
  expect(describeAct(changes.toReversed()).length).toBe(words.length);
});
