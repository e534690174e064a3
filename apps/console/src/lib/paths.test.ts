import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages } from "../app/navigation.ts";
import { paths, patterns, safeReturnTo } from "./paths.ts";

const source = join(import.meta.dirname, "..");
/** They are asked for by name before there is a page: whoever adds one takes it out here. */
const later: readonly string[] = [patterns.notifications];

const isAt = (address: string, pattern: string): boolean => {
  const [parts, wanted] = [address, pattern].map((text) => text.split("/"));
  return (
    parts!.length === wanted!.length &&
    wanted!.every((part, at) => part.startsWith("$") || part === parts![at])
  );
};

test("every page is at an address of its own, and every address has a page", () => {
  const known: readonly string[] = Object.values(patterns);
  expect(new Set(known).size).toBe(known.length);
  expect([...pages.map(({ path }) => path), ...later, patterns.home].toSorted()).toEqual(
    known.toSorted(),
  );
});

/** What opens in the page of a list. */
const within: Readonly<Record<string, string>> = { check: "health", connection: "connections" };

test.each(Object.entries(paths))("%s leads to one page, its own", (name, build) => {
  const built = (build as (...parts: string[]) => string)("a/b$", "c");
  const { pathname } = new URL(built, "http://console.invalid");
  const reached = Object.entries(patterns).filter(([, pattern]) => isAt(pathname, pattern));
  // As the router has it, a word comes before a name that may be any: /catalog/changes is no item.
  const named = (pattern: string) =>
    pattern.split("/").filter((part) => part.startsWith("$")).length;
  const least = Math.min(...reached.map(([, pattern]) => named(pattern)));
  expect(reached.filter(([, pattern]) => named(pattern) === least).map(([own]) => own)).toEqual([
    within[name] ?? name,
  ]);
});

test("addresses stand in paths.ts alone", () => {
  const firsts = new Set(Object.values(patterns).map((pattern) => pattern.split("/")[1]));
  firsts.delete("");
  const literal = new RegExp(`["'\`]/(?:${[...firsts].join("|")})(?![\\w-])[^"'\`]*["'\`]`, "g");
  // Where old addresses lead is a table of addresses, too; the gallery is drawn, not gone through.
  const others = /\.test\.|^(testing|gallery)\/|^lib\/paths\.ts$|^app\/moved\.ts$/;
  const files = globSync("**/*.{ts,tsx}", { cwd: source }).filter((file) => !others.test(file));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    Array.from(
      readFileSync(join(source, file), "utf8").matchAll(literal),
      ([text]) => `${file}: ${text}`,
    ),
  );
  expect(found).toEqual([]);
  expect('navigate("/settings/teams")').toMatch(literal);
});

test("the addresses of the console", () => {
  expect({
    home: paths.home(),
    health: paths.health(),
    healthFiltered: paths.health({
      groupBy: "type",
      query: "a b",
      tabBy: undefined,
      hidePassing: false,
    }),
    check: paths.check("c-1", { timeRange: "2d" }),
    canary: paths.canary("a/b"),
    catalogOfType: paths.catalog({ configType: "Host::Package" }),
    catalogItem: paths.catalogItem("i-1"),
    tokens: paths.tokens(),
    topology: paths.topology(),
    login: paths.login(),
    loginBack: paths.login({ return_to: "/health?query=x&y=1", aal: "aal2" }),
    authStateChecker: paths.authStateChecker("/health"),
    help: paths.help(),
    flowError: paths.flowError("e1"),
  }).toMatchInlineSnapshot(`
    {
      "authStateChecker": "/auth-state-checker?return_to=%2Fhealth",
      "canary": "/settings/canaries/a%2Fb",
      "catalogItem": "/catalog/i-1",
      "catalogOfType": "/catalog?configType=Host%3A%3APackage",
      "check": "/health?timeRange=2d&checkId=c-1",
      "flowError": "/error?id=e1",
      "health": "/health",
      "healthFiltered": "/health?groupBy=type&query=a+b&hidePassing=false",
      "help": "/docs",
      "home": "/",
      "login": "/login",
      "loginBack": "/login?return_to=%2Fhealth%3Fquery%3Dx%26y%3D1&aal=aal2",
      "tokens": "/settings/tokens",
      "topology": "/topology",
    }
  `);
});

test.each([
  ["/health?checkId=1#x", "/health?checkId=1#x"],
  ["/", "/"],
  [undefined, "/"],
  ["", "/"],
  ["health", "/"],
  ["//evil.example/x", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example/health", "/"],
  ["javascript:alert(1)", "/"],
  ["/a/..//evil.example", "/"],
  ["/login?return_to=/login", "/"],
  ["/auth-state-checker", "/"],
])("going back to %j goes to %s", (text, path) => {
  expect(safeReturnTo(text)).toBe(path);
});
