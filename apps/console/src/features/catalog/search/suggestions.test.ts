import { expect, test } from "vitest";
import { completingAt } from "./completing.ts";
import type { SearchedKind } from "./searched-kind.ts";
import { type KnownValue, suggestionsFor } from "./suggestions.ts";

const offered = (text: string, known: readonly KnownValue[] = [], of: SearchedKind = "items") =>
  suggestionsFor(completingAt(text, text.length), of, known).map(({ label, detail, insert }) => [
    label,
    detail,
    insert,
  ]);

test("fields by what is typed of them, and the signs of one that stands there", () => {
  expect(offered("ty").map(([label]) => label)).toEqual(["type", "severity", "property"]);
  expect(offered("type=pod upd")).toEqual([["updated", expect.any(String), "updated>"]]);
  expect(offered("ta")).toEqual([
    ["tag", "A tag", "tag:"],
    ["status", expect.any(String), "status="],
  ]);
  expect(offered("cost").map(([label]) => label)).toEqual(["cost>", "cost>=", "cost<", "cost="]);
  expect(offered("").length).toBe(12);
  expect(offered("nothing so")).toEqual(offered("so"));
});

test("values with how many have them, quoted where they must be; keys with a sign", () => {
  expect(offered("health=un", [{ value: "unhealthy", count: 1200 }])).toEqual([
    ["unhealthy", "1,200", "unhealthy"],
    ["unknown", undefined, "unknown"],
  ]);
  expect(offered("status=", [{ value: "Not Ready", count: 2 }])).toEqual([
    ["Not Ready", "2", '"Not Ready"'],
  ]);
  expect(offered("type=pod", [{ value: "Kubernetes::Pod" }])).toEqual([
    ["Kubernetes::Pod", undefined, "Kubernetes::Pod"],
  ]);
  expect(offered("tag:c", [{ value: "cluster", count: 3 }, { value: "odd c" }])).toEqual([
    ["cluster", "3", "cluster="],
    ["odd c", undefined, '"odd c"='],
  ]);
  expect(offered("has:")).toEqual(
    ["changes", "insights", "owner", "cost"].map((value) => [value, undefined, value]),
  );
});

test("of changes and insights their own fields, and behind config: those of items", () => {
  const labels = (text: string, of: SearchedKind) => offered(text, [], of).map(([label]) => label);
  expect(offered("sever", [], "changes")).toEqual([
    ["severity", "How much it matters", "severity>="],
  ]);
  expect(labels("severity", "changes")).toEqual([
    "severity>=",
    "severity=",
    "severity!=",
    "severity<",
  ]);
  expect(labels("severity>=", "insights")).toContain("blocker");
  expect(labels("severity>=", "changes")).not.toContain("blocker");
  expect(labels("status=", "insights")).toEqual(["open", "resolved", "silenced"]);
  expect(offered("config:hea", [], "changes")).toEqual([["health", "How it is", "health="]]);
  expect(labels("config:", "insights")).not.toContain("tag");
  expect(labels("config:health=un", "changes")).toEqual(["unhealthy", "unknown"]);
  expect(labels("config.health=un", "changes")).toEqual(["unhealthy", "unknown"]);
  expect(labels("config.spe", "items")).toEqual([]);
  expect(labels("agent=", "changes")).toEqual(["self"]);
});
