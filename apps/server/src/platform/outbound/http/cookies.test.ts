import { expect, test } from "vitest";
import { createCookieJar } from "./cookies.ts";

test.each<[string, set: [string, string], ask: string, string | undefined]>([
  ["the same host", ["https://a.com/login", "s=1; HttpOnly"], "https://a.com/", "s=1"],
  ["another host", ["https://a.com/", "s=1"], "https://b.com/", undefined],
  ["a host below", ["https://a.com/", "s=1"], "https://x.a.com/", undefined],
  ["a host below, as it says", ["https://a.com/", "s=1; Domain=.a.com"], "https://x.a.com/", "s=1"],
  [
    "the host above, as it says",
    ["https://x.a.com/", "s=1; Domain=a.com"],
    "https://a.com/",
    "s=1",
  ],
  ["all of a country", ["https://a.com/", "s=1; Domain=com"], "https://b.com/", undefined],
  [
    "all of a kind of company",
    ["https://a.co.uk/", "s=1; Domain=co.uk"],
    "https://b.co.uk/",
    undefined,
  ],
  ["a host without a dot", ["http://orders/", "s=1"], "http://orders/", "s=1"],
  [
    "a host without a dot, as it says",
    ["http://orders/", "s=1; Domain=orders"],
    "http://orders/",
    "s=1",
  ],
  [
    "a service of a cluster",
    ["http://a.shop.svc.cluster.local/", "s=1; Domain=shop.svc.cluster.local"],
    "http://b.shop.svc.cluster.local/",
    "s=1",
  ],
  ["an address", ["http://10.0.0.1:8080/", "s=1"], "http://10.0.0.1/", "s=1"],
  ["this machine", ["http://localhost:3000/", "s=1; Domain=localhost"], "http://localhost/", "s=1"],
  ["a stranger's", ["https://a.com/", "s=1; Domain=b.com"], "https://b.com/", undefined],
  ["one that ends alike", ["https://xa.com/", "s=1; Domain=a.com"], "https://a.com/", undefined],
  ["a secure one in the open", ["https://a.com/", "s=1; Secure"], "http://a.com/", undefined],
  ["its own path", ["https://a.com/", "s=1; Path=/api"], "https://a.com/api/x", "s=1"],
  ["another path", ["https://a.com/", "s=1; Path=/api"], "https://a.com/apis", undefined],
  ["the folder of the page", ["https://a.com/shop/in", "s=1"], "https://a.com/", undefined],
  ["one that is taken back", ["https://a.com/", "s=1; Max-Age=0"], "https://a.com/", undefined],
  [
    "one that is old",
    ["https://a.com/", "s=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
    "https://a.com/",
    undefined,
  ],
  ["a value with a sign", ["https://a.com/", "s=a=b; Path=/"], "https://a.com/", "s=a=b"],
  ["no name", ["https://a.com/", "=1"], "https://a.com/", undefined],
  ["rubbish", ["https://a.com/", ";;;"], "https://a.com/", undefined],
  ["endless", ["https://a.com/", `s=${"x".repeat(10_000)}`], "https://a.com/", undefined],
])("%s", (_, [at, line], url, sent) => {
  const jar = createCookieJar();
  jar.take(new URL(at), line);
  expect(jar.header(new URL(url))).toBe(sent);
});

test("the later one of a name counts, and the longer path comes first", () => {
  const jar = createCookieJar();
  jar.take(new URL("https://a.com/"), ["s=1; Path=/", "t=2; Path=/api/v1", "s=3; Path=/"]);
  expect(jar.header(new URL("https://a.com/api/v1/x"))).toBe("t=2; s=3");
  expect(jar.value("s")).toBe("3");
  expect(jar.values()).toEqual(["1", "2", "3"]);
  jar.take(new URL("https://a.com/"), "s=; Max-Age=-1; Path=/");
  expect(jar.header(new URL("https://a.com/"))).toBeUndefined();
  expect(jar.value("s")).toBeUndefined();
});

test("there are never too many", () => {
  const jar = createCookieJar();
  const sent = () => jar.header(new URL("https://a.com/"))?.split("; ");
  const lines = Array.from({ length: 1_000 }, (_, index) => `c${index}=1`);
  jar.take(new URL("https://a.com/"), lines);
  for (const line of lines) jar.take(new URL("https://a.com/"), line);
  expect(sent()).toHaveLength(100);
  // One that is there already is none more.
  jar.take(new URL("https://a.com/"), "c7=2");
  expect(jar.value("c7")).toBe("2");
  // What could not be hidden any more is not kept either.
  for (const line of lines) jar.take(new URL("https://a.com/"), line.replace("=", "=x"));
  for (let index = 0; index < 2_000; index += 1)
    jar.take(new URL("https://a.com/"), `c1=v${index}`);
  expect(jar.values()).toHaveLength(1_000);
  expect(jar.values()).toContain(jar.value("c1"));
  expect(sent()).toHaveLength(100);
});
