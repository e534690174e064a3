import { describe, expect, test } from "vitest";
import { checksOf } from "./checks-of.ts";
import { nameChecks } from "./check-names.ts";
import { parseCanaryDocuments } from "./parse-canary.ts";

const named = (...specs: Record<string, unknown>[]) =>
  nameChecks(
    specs.map(({ type = "http", namespace = "default", ...spec }, index) => ({
      type: type as string,
      namespace: namespace as string,
      index,
      spec,
    })),
  );
const names = (...specs: Record<string, unknown>[]) => named(...specs).map(({ name }) => name);

describe("what checks are called", () => {
  test.each<[string, Record<string, unknown>[], string[]]>([
    ["as it is written", [{ name: "home", url: "http://a" }], ["home"]],
    ["like what they look at", [{ url: "http://a/b" }], ["http://a/b"]],
    ["without the password in it", [{ url: "http://u:pw@a/b" }], ["http://u:********@a/b"]],
    ["an empty name is none", [{ name: "", endpoint: "a:1" }], ["a:1"]],
    ["by type and place else", [{ type: "exec" }, { type: "exec" }], ["exec-0", "exec-1"]],
    ["types apart", [{ url: "u" }, { type: "tcp", endpoint: "u" }], ["u", "u"]],
    [
      "twins by namespace",
      [{ name: "a" }, { name: "a", namespace: "prod", url: "u" }],
      ["a", "a (prod)"],
    ],
    [
      "twins by endpoint",
      [
        { name: "a", url: "1" },
        { name: "a", url: "2" },
      ],
      ["a", "a (2)"],
    ],
    ["twins by number", [{ name: "a" }, { name: "a" }, { name: "a" }], ["a", "a #2", "a #3"]],
    ["what is written comes first", [{ url: "a" }, { name: "a", url: "b" }], ["a #2", "a"]],
    [
      "what tells apart may be taken",
      [{ name: "a" }, { name: "a #2" }, { name: "a" }],
      ["a", "a #2", "a #3"],
    ],
  ])("%s", (_title, specs, expected) => {
    expect(names(...specs)).toEqual(expected);
  });

  test("names are as long as a column holds", () => {
    const long = "n".repeat(253);
    const found = names({ name: long }, { name: long, url: "u" }, { url: "u".repeat(5000) });
    expect(found.every((name) => name.length <= 253)).toBe(true);
    expect(new Set(found).size).toBe(3);
  });

  test("no name changes when a check that is no twin comes or goes", () => {
    const checks = [{ url: "a" }, { url: "b" }, { name: "c", url: "c" }, { name: "c", url: "d" }];
    const all = names(...checks);
    expect(names({ url: "before" }, ...checks).slice(1)).toEqual(all);
    expect(names(...checks.slice(1))).toEqual(all.slice(1));
    expect(
      names(...checks.toReversed())
        .toReversed()
        .slice(0, 2),
    ).toEqual(all.slice(0, 2));
  });

  test("what a password is changes no name", () => {
    expect(names({ url: "http://u:********@a" })).toEqual(names({ url: "http://u:else@a" }));
  });

  test("a made-up name says what the check was called before", () => {
    expect(
      named({ url: "u" }, { type: "exec" }, { name: "n" }).map((one) => one.formerName),
    ).toEqual(["http-0", undefined, undefined]);
    // The former name is another check's own now.
    expect(named({ url: "u" }, { name: "http-0" })[0]?.formerName).toBeUndefined();
  });
});

const head =
  "apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata:\n  name: shop\nspec:\n";

test("two checks of one name are told apart with a warning that says how", () => {
  const { documents, problems } = parseCanaryDocuments(
    `${head}  tcp:\n  - {name: a, endpoint: "a:1"}\n  - {name: a, endpoint: "b:1"}\n`,
  );
  expect(problems).toMatchObject([
    {
      severity: "warning",
      path: "spec.tcp.1.name",
      line: 8,
      message: expect.stringContaining('"a (b:1)"') as string,
    },
  ]);
  expect(checksOf(documents[0]!).map(({ name }) => name)).toEqual(["a", "a (b:1)"]);
});

test("other spellings of lists mean the types", () => {
  const { documents, problems } = parseCanaryDocuments(`${head}  icmp: [{name: a, endpoint: a}]
  ping: [{name: a, endpoint: b}, {endpoint: c}]
  mongo: [{name: m, url: "mongodb://a"}]
  webhook: {name: hook}
`);
  expect(problems.map(({ path }) => path)).toEqual(["spec.ping.0.name"]);
  expect(checksOf(documents[0]!).map(({ type, name, path }) => [type, name, path])).toEqual([
    ["icmp", "a", ["icmp", 0]],
    ["webhook", "hook", ["webhook"]],
    ["mongodb", "m", ["mongo", 0]],
    ["icmp", "a (b)", ["ping", 0]],
    ["icmp", "c", ["ping", 1]],
  ]);
});

describe("documents of other kinds", () => {
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\n";

  test("are skipped with a warning, and ours beside them taken", () => {
    const text = `${secret}---\n${head}  tcp: []\n---\napiVersion: apps/v1\nkind: Deployment\nspec: 3\n`;
    const { documents, problems } = parseCanaryDocuments(text);
    expect(documents.map(({ index, name }) => [index, name])).toEqual([[1, "shop"]]);
    expect(problems).toMatchObject([
      { severity: "warning", isSkipped: true, document: 0, line: 2, path: "kind" },
      { severity: "warning", isSkipped: true, document: 2 },
    ]);
    expect(problems[0]?.message).toContain("kind Secret is not kept here");
  });

  test.each([
    ["another kind of the family", "Topology", "warning"],
    ["a slip under our version", "Canry", "error"],
  ])("%s", (_title, kind, severity) => {
    const text = `apiVersion: canaries.flanksource.com/v1\nkind: ${kind}\nmetadata: {name: a}\n`;
    expect(parseCanaryDocuments(text).problems).toMatchObject([{ severity, path: "kind" }]);
  });

  test("what has no kind is refused", () => {
    expect(parseCanaryDocuments("a: 1\n").problems).toMatchObject([{ severity: "error" }]);
  });
});
