import { Circle } from "lucide-react";
import { expect, test } from "vitest";
import type { Role } from "@mainstay/contract/permissions.ts";
import type { NavItem, Page } from "#lib/page.ts";
import { accessOf, type Property } from "#lib/use-access.ts";
import { hasPage, isBelow, navigationOf } from "./navigation.ts";

const item = (label: string, more: Partial<NavItem> = {}): NavItem => ({
  label,
  to: `/${label.toLowerCase()}`,
  icon: Circle,
  ...more,
});
const all = [
  item("Health", { read: "canaries", feature: "health" }),
  item("Incidents", { read: "incident", feature: "incidents" }),
  item("Users", { read: "identities", section: "settings" }),
  item("Teams", { section: "settings", feature: "settings.teams" }),
  item("Agents", { read: "agents", section: "settings" }),
];

function labels(roles: Role[], properties: Property[] = []) {
  const access = accessOf({ person: null, roles, properties, about: {} });
  const { main, settings } = navigationOf(access, all);
  return [main, settings].map((items) => items.map(({ label }) => label));
}
const off = (feature: string) => ({ name: `${feature}.disable`, value: "true" });

test.each<[string, Role[], Property[], string[][]]>([
  [
    "admin",
    ["admin"],
    [],
    [
      ["Health", "Incidents"],
      ["Agents", "Teams", "Users"],
    ],
  ],
  [
    "commander",
    ["commander"],
    [],
    [
      ["Health", "Incidents"],
      ["Agents", "Teams"],
    ],
  ],
  ["viewer", ["viewer"], [], [["Health", "Incidents"], []]],
  ["no role", [], [], [["Health", "Incidents"], []]],
  [
    "viewer and editor",
    ["viewer", "editor"],
    [],
    [
      ["Health", "Incidents"],
      ["Agents", "Teams", "Users"],
    ],
  ],
  [
    "switched off",
    ["admin"],
    [off("incidents"), off("settings.teams")],
    [["Health"], ["Agents", "Users"]],
  ],
])("%s", (_name, roles, properties, expected) => {
  expect(labels(roles, properties)).toEqual(expected);
});

test.each([
  ["/health", "/health", true],
  ["/health/x", "/health", true],
  ["/healthy", "/health", false],
])("%s is below %s: %s", (address, to, expected) => {
  expect(isBelow(address, to)).toBe(expected);
});

test.each<[string, Role[], Property[], boolean]>([
  ["may read it", ["viewer"], [], true],
  ["has it switched off", ["admin"], [off("x")], false],
  ["may not read it", ["viewer"], [], false],
])("whoever %s", (name, roles, properties, expected) => {
  const access = accessOf({ person: null, roles, properties, about: {} });
  const page: Page = {
    path: "/x",
    title: "X",
    access: "session",
    read: name === "may not read it" ? "connections" : "notifications",
    feature: "x",
    load: () => Promise.reject(new Error("not loaded here")),
  };
  expect(hasPage(access, "/x", [page])).toBe(expected);
  expect(hasPage(access, "/y", [page])).toBe(false);
});
