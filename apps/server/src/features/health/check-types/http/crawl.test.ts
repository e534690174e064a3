import { afterEach, describe, expect, test } from "vitest";
import { areInstalled, startNginx } from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { tryCheck } from "../testing/try-check.ts";
import { http } from "./http.ts";
import { pageLinks } from "./page-links.ts";

afterEach(closeAll);

const quick = { delay: "0", randomDelay: "0" };
const inTurn = { ...quick, parallelism: 1 };
const page = (...links: string[]) => links.map((link) => `<a href="${link}">x</a>`).join("\n");

/** A site of pages by their paths; everything else is not found. */
async function site(pages: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const heard: (string | undefined)[] = [];
  const { url } = await serve((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    heard.push(request.headers.authorization);
    const text = pages[path];
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/html" });
    response.end(text);
  });
  return { url, asked, heard };
}

describe.skipIf(!areInstalled("nginx", "openssl"))("a real server", () => {
  test("a site whose links all lead somewhere, and one where one does not", async () => {
    const nginx = await startNginx({
      files: {
        "index.html": page("a.html", "/b/", "mailto:ann@shop.example", "#top", "/moved"),
        "a.html": page("index.html", "b/index.html#part"),
        "b/index.html": page("../a.html", "../picture.png"),
        "broken.html": page("a.html", "gone.html"),
        "picture.png": "not a page",
      },
    });
    try {
      const url = `http://127.0.0.1:${nginx?.port}`;
      const good = await tryCheck(http, { url: `${url}/`, crawl: inTurn });
      expect(good).toMatchObject({ pass: true, details: { missing: [], visited: 7 } });
      const bad = await tryCheck(http, { url: `${url}/broken.html`, crawl: inTurn });
      expect(bad).toMatchObject({
        pass: false,
        isDefaultVerdict: true,
        error: `1 of 8 pages is missing: ${url}/gone.html (404, from ${url}/broken.html)`,
        details: { missing: [{ url: `${url}/gone.html`, code: 404, from: `${url}/broken.html` }] },
      });
    } finally {
      await nginx?.stop();
    }
  });
});

describe("what is followed", () => {
  const pages = {
    "/": page("/a", "/b?x=1", "/skip/me"),
    "/a": page("/a/1"),
    "/a/1": page("/a/2"),
    "/a/2": page("/a/3"),
    "/a/3": "",
    "/b?x=1": "",
    "/skip/me": page("/never"),
  };
  test.each<[string, object, string[]]>([
    ["everything", {}, ["/", "/a", "/a/1", "/a/2", "/a/3", "/b?x=1", "/never", "/skip/me"]],
    ["nothing", { depth: 0 }, ["/"]],
    ["one link far", { depth: 1 }, ["/", "/a", "/b?x=1", "/skip/me"]],
    ["what filters take", { filters: ["/a"] }, ["/", "/a", "/a/1", "/a/2", "/a/3"]],
    ["what is allowed", { allowedURLFilters: ["/b\\?"] }, ["/", "/b?x=1"]],
    ["not what is disallowed", { disallowedURLFilters: ["/skip", "/a/."] }, ["/", "/a", "/b?x=1"]],
    ["no domain", { disallowedDomains: ["127.0.0.1"] }, ["/"]],
    ["another domain", { allowedDomains: ["shop.example"] }, ["/"]],
  ])("%s", async (_name, crawl, expected) => {
    const { url, asked } = await site(pages);
    await tryCheck(http, { url: `${url}/`, crawl: { ...quick, ...crawl } });
    expect(asked.toSorted()).toEqual(expected);
  });

  test("other origins only when they are named, and without credentials", async () => {
    const other = await site({ "/there": "" });
    const { url, heard } = await site({ "/": page(`${other.url}/there`, "/a"), "/a": "" });
    const spec = { url: `${url}/`, username: "ann", password: "sesame secret" };
    await tryCheck(http, { ...spec, crawl: quick });
    expect(other.asked).toEqual([]);
    expect(heard.filter(Boolean)).toHaveLength(2);
    await tryCheck(http, { ...spec, crawl: { ...quick, allowedDomains: ["127.0.0.1"] } });
    expect([other.asked, other.heard]).toEqual([["/there"], [undefined]]);
  });

  test("never where the policy forbids, also by way of a link", async () => {
    const { url } = await site({ "/": page("http://169.254.169.254/latest") });
    const outcome = await tryCheck(
      http,
      { url: `${url}/`, crawl: { ...quick, allowedDomains: ["169.254.169.254"] } },
      { connector: createConnector() },
    );
    expect(outcome.error).toContain("is not allowed by this server's address policy");
  });
});

describe("sites without end", () => {
  test("five hundred pages are visited", async () => {
    let asked = 0;
    const { url } = await serve((request, response) => {
      asked += 1;
      const at = Number(request.url?.slice(1) || 0);
      const links = Array.from({ length: 20 }, (_, index) => `/${at * 20 + index + 1}`);
      response.writeHead(200, { "content-type": "text/html" }).end(page(...links));
    });
    const outcome = await tryCheck(
      http,
      { url, crawl: { ...quick, parallelism: 16 } },
      { timeoutMs: 60_000 },
    );
    expect(outcome).toMatchObject({ pass: true, details: { visited: 500 } });
    expect(outcome.message).toContain("500 pages; more are left, at 500 pages");
    expect(asked).toBe(500);
  });

  test("pages of many megabytes are read in part, pages that are silent end with the check", async () => {
    const big = await site({ "/": page("/big"), "/big": page("/a").padEnd(20_000_000, "x") });
    expect(await tryCheck(http, { url: `${big.url}/`, crawl: quick })).toMatchObject({
      details: { visited: 3, missing: [{ code: 404 }] },
    });
    const silent = await serve((request, response) => {
      if (request.url === "/")
        response.writeHead(200, { "content-type": "text/html" }).end(page("/silent"));
    });
    const outcome = await tryCheck(
      http,
      { url: `${silent.url}/`, crawl: quick },
      { timeoutMs: 400 },
    );
    expect(outcome.error).toBe("timed out after 400 ms");
  });
});

test("links of pages that are no good HTML", () => {
  const at = new URL("http://a/b/c");
  const links = (html: string) => pageLinks(html, at).map(({ href }) => href);
  expect(
    links(`<base href="/x/"><A HREF=one>1<a href='two?a=1&amp;b=2'><!-- <a href="no"> -->`),
  ).toEqual(["http://a/x/one", "http://a/x/two?a=1&b=2"]);
  expect(
    links(`<script>"<a href='no'>"</script><a href="javascript:x()"><a href="http://[">`),
  ).toEqual([]);
  expect(links(`<a href="${"a".repeat(5000)}"><a href=""><a>`)).toEqual(["http://a/b/c"]);
  expect(links("<a href=x>".repeat(100_000))).toEqual(["http://a/b/x"]);
  expect(links("<".repeat(1_000_000))).toEqual([]);
});

test.each([
  [{ filters: ["("] }, "is not a regular expression"],
  [{ depth: -1 }, "Too small"],
  [{ parallelism: 0 }, "Too small"],
])("%j is refused", (crawl, message) => {
  const { error } = http.spec.safeParse({ name: "a", url: "http://a", crawl });
  expect(error?.message).toContain(message);
});
