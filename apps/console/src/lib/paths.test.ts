import { expect, test } from "vitest";
import { paths, safeReturnTo } from "./paths.ts";

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
