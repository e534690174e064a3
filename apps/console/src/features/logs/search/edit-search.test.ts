import { describe, expect, test } from "vitest";
import type { LogTerm } from "@mainstay/contract/logs/log-search.ts";
import { levelNames, levelsOf, stateOfTerm, toggleLevel, toggleTerm } from "./edit-search.ts";

const app = (value: string, isNot = false): LogTerm => ({
  kind: "label",
  label: "app",
  values: [value],
  isNot,
});

describe("a term", () => {
  test.each([
    ["", app("web"), "app=web"],
    ["timeout", app("web", true), "timeout -app=web"],
    ["app=web timeout", app("web"), "timeout"],
    ["app=web timeout", app("web", true), "timeout -app=web"],
    ["-app=web", app("web"), "app=web"],
    ["app=api", app("two words"), 'app=api app="two words"'],
    ["time>now-2h", app("web"), "app=web time>now-2h"],
  ])("in %j, %j makes %j", (query, term, made) => {
    expect(toggleTerm(query, term)).toBe(made);
  });

  test("is there, turned around, or not", () => {
    expect(stateOfTerm("app=web", app("web"))).toBe("has");
    expect(stateOfTerm("app!=web", app("web"))).toBe("excludes");
    expect(stateOfTerm("app=web,api", app("web"))).toBe("neither");
  });
});

describe("levels", () => {
  test.each([
    ["", levelNames],
    ["level>=warn", ["warn", "error", "fatal"]],
    ["-level=debug", ["none", "trace", "info", "warn", "error", "fatal"]],
    ["level>=info level<error x", ["info", "warn"]],
  ])("%j lets through %j", (query, shown) => {
    expect([...levelsOf(query)]).toEqual(shown);
  });

  test.each([
    ["x", "debug", {}, "x -level=debug"],
    ["x -level=debug", "debug", {}, "x"],
    ["-level=debug", "trace", {}, "-level=trace,debug"],
    ["", "none", {}, "level>=trace"],
    ["level>=trace", "none", {}, ""],
    ["level>=error", "warn", {}, "level>=warn"],
    ["x", "error", { only: true }, "x level=error"],
    ["x level=error", "error", { only: true }, "x"],
    // The last one that is shown: all are again.
    ["level=error", "error", {}, ""],
  ] as const)("%j, %s with %j makes %j", (query, level, how, made) => {
    const next = toggleLevel(query, level, how);
    expect(next).toBe(made);
  });
});
