import { expect, test } from "vitest";
import { buildCheck } from "../testing/build-check.ts";
import { changeOf, reachOf } from "./plan-bulk.ts";

const noAgent = "00000000-0000-0000-0000-000000000000";
const check = (name: string, canary: string) =>
  buildCheck({ name, canary_id: canary, canary_name: `${canary} canary`, canary_namespace: "web" });

test("an action says which canaries it reaches, which other checks, and what is refused", () => {
  const all = [
    check("a", "one"),
    check("b", "one"),
    check("c", "file"),
    check("d", "agent"),
    check("e", "gone"),
  ];
  const chosen = all.filter(({ name }) => name !== "b");
  const facts = [
    { id: "one", source: null, agent_id: noAgent },
    { id: "file", source: "git/checks.yaml", agent_id: noAgent },
    { id: "agent", source: "UI", agent_id: "a-1" },
  ];
  const reach = reachOf(chosen, all, new Map(facts.map((fact) => [fact.id, fact])));
  expect(
    reach.map(({ name, chosen: own, others, refused }) => [
      name,
      own.map((one) => one.name),
      others.map((one) => one.name),
      refused,
    ]),
  ).toEqual([
    ["one canary", ["a"], ["b"], undefined],
    ["file canary", ["c"], [], "It is kept in git/checks.yaml: change it there."],
    ["agent canary", ["d"], [], "It belongs to an agent: change it there."],
    ["gone canary", ["e"], [], "It is not there any more."],
  ]);
});

test.each([
  ["pause", { canary: "c", paused: true }],
  ["resume", { canary: "c", paused: false }],
  ["label", { canary: "c", labels: { team: "web" } }],
  ["delete", { canary: "c", deleted: true }],
] as const)("%s asks for %j", (action, change) => {
  const reach = { id: "c", chosen: [check("a", "c")], others: [] };
  expect(changeOf(reach, action, { name: " team ", value: "web" })).toEqual(change);
});

test("some checks of a canary are taken out of it, and the others stay", () => {
  const chosen = [check("a", "c"), check("b", "c")];
  const reach = { id: "c", chosen, others: [check("d", "c")] };
  expect(changeOf(reach, "delete", { name: "", value: null })).toEqual({
    canary: "c",
    removed: chosen.map(({ id }) => id),
  });
});
