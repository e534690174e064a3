import { afterEach, describe, expect, test } from "vitest";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { itSurvivesAnyApi } from "../testing/hostile-api.ts";
import { tryCheck } from "../testing/try-check.ts";
import { evaluateQuery } from "./evaluate-query.ts";
import { github } from "./github.ts";
import { parseQuery } from "./parse-query.ts";

/** Against a stand-in of GitHub's REST API (2022-11-28), written from its public documentation. */

afterEach(closeAll);

const token = "ghp_sesamesecret";

const issueOf = (number: number) => ({
  number,
  title: `Issue ${number}`,
  state: number % 3 === 0 ? "closed" : "open",
  user: { login: number % 2 === 0 ? "ann" : "bob" },
  comments: number,
  locked: number === 7,
  created_at: `2026-01-${String((number % 28) + 1).padStart(2, "0")}T00:00:00Z`,
  closed_at: number % 3 === 0 ? "2026-02-01T00:00:00Z" : null,
  ...(number % 10 === 0 && { pull_request: {} }),
});

async function start(count: number) {
  const asked: string[] = [];
  const { url } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    asked.push(`${pathname}?${searchParams.toString()}`);
    const end = (code: number, json: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(code, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(json));
    if (request.headers.authorization !== `Bearer ${token}`)
      return end(401, { message: "Bad credentials", documentation_url: "https://docs" });
    if (pathname === "/repos/shop/busy/issues") {
      const reset = String(Math.ceil(Date.now() / 1000) + 90);
      return end(
        403,
        { message: "API rate limit exceeded" },
        { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
      );
    }
    const page = Number(searchParams.get("page"));
    const size = Number(searchParams.get("per_page"));
    const numbers = Array.from({ length: count }, (_, index) => index + 1).slice(
      (page - 1) * size,
      page * size,
    );
    const pages: Record<string, (number: number) => object> = {
      "/repos/shop/web/issues": issueOf,
      "/repos/shop/web/pulls": (number) => ({
        ...issueOf(number),
        merged_at: number === 1 ? "2026-01-01T00:00:00Z" : null,
        base: { ref: "main" },
        head: { ref: `feature-${number}` },
      }),
      "/repos/shop/web/commits": (number) => ({
        sha: `${number}`.padStart(40, "0"),
        commit: { message: `commit ${number}`, author: { name: "ann", date: "2026-01-01" } },
        parents: [{}],
      }),
      "/repos/shop/web/branches": (number) => ({
        name: `b${number}`,
        commit: { sha: "a" },
        protected: true,
      }),
      "/repos/shop/web/stargazers": (number) => ({
        starred_at: "2026-01-01",
        user: { login: `u${number}` },
      }),
      "/orgs/shop/repos": (number) => ({
        name: `r${number}`,
        stargazers_count: number,
        archived: false,
      }),
      "/users/ann/repos": (number) => ({ name: `r${number}`, language: "Go" }),
    };
    const rowAt = pages[pathname];
    return rowAt ? end(200, numbers.map(rowAt)) : end(404, { message: "Not Found" });
  });
  const run = (query: string, more: object = {}) =>
    tryCheck(github, { url, query, githubToken: token, ...more });
  return { asked, run };
}

describe("queries that people have", () => {
  const issues = "github_repo_issues('shop', 'web')";
  test.each<[string, unknown]>([
    [
      `SELECT number, title FROM ${issues} WHERE state = 'OPEN' AND author_login = 'ann' ORDER BY number DESC LIMIT 2`,
      [
        { number: 16, title: "Issue 16" },
        { number: 14, title: "Issue 14" },
      ],
    ],
    [`select count(*) from ${issues}`, [{ "count(*)": 18 }]],
    [`select count(*) as n from ${issues} where closed_at is not null;`, [{ n: 6 }]],
    [`select number from ${issues} where locked = 1`, [{ number: 7 }]],
    [
      `select number as "No" from ${issues} where locked is true or number in (1, 99)`,
      [{ No: 1 }, { No: 7 }],
    ],
    [
      `select number from ${issues} where title like 'issue _' and not (number > 2)`,
      [{ number: 1 }, { number: 2 }],
    ],
    [`select number from ${issues} where title not like '%issue%'`, []],
    [
      `select i.number from github_repo_issues('shop/web') where number <> 1 order by created_at, number limit 1`,
      [{ number: 2 }],
    ],
    [
      "select state, merged, head_ref_name from github_repo_prs('shop', 'web') limit 1",
      [{ state: "MERGED", merged: true, head_ref_name: "feature-1" }],
    ],
    [
      "SELECT message, parents FROM commits('https://github.com/shop/web.git') LIMIT 1",
      [{ message: "commit 1", parents: 1 }],
    ],
    [
      "SELECT name, is_protected FROM github_repo_branches('shop', 'web') LIMIT 1",
      [{ name: "b1", is_protected: true }],
    ],
    ["SELECT login FROM github_stargazers('shop', 'web') LIMIT 1", [{ login: "u1" }]],
    ["SELECT name FROM github_org_repos('shop') WHERE stargazer_count >= 20", [{ name: "r20" }]],
    ["SELECT primary_language FROM github_user_repos('ann') LIMIT 1", [{ primary_language: "Go" }]],
  ])("%s", async (query, results) => {
    const { run } = await start(20);
    const outcome = await run(query);
    expect(outcome.error).toBeUndefined();
    expect(outcome.data?.()).toEqual({ results });
  });

  test("everything, over pages; no more than is needed, and no more than is read", async () => {
    const some = await start(150);
    const all = await some.run("SELECT * FROM commits('shop/web')");
    expect(all.message).toMatch(/^150 rows in /);
    expect(some.asked).toHaveLength(2);
    const limited = await start(5000);
    await limited.run("SELECT hash FROM commits('shop/web') LIMIT 5");
    expect(limited.asked).toEqual(["/repos/shop/web/commits?per_page=100&page=1"]);
    const cut = await limited.run("SELECT count(*) FROM commits('shop/web')");
    expect(cut.message).toMatch(/^1 row, among the first 1000 in /);
    expect(limited.asked).toHaveLength(11);
  });
});

test.each([
  ["", "at its end"],
  ["drop table x", 'at "drop"'],
  ["select * from commits('a/b'); attach 'x' as y", 'at "attach"'],
  ["select * from commits('a/b') join x", 'at "join"'],
  ["select a, count(*) from commits('a/b')", "count(*) stands beside"],
  ["select * from commits('a/b') where (((hash = 1))", "at its end"],
  [`select * from commits('a/b') where ${"(".repeat(5000)}`, "nests too deeply"],
  ["select * from commits('a/b') where hash ~ 1", 'at "~ 1"'],
  ["select nothing from commits('a/b')", 'commits has no column "nothing"; there are hash, '],
  ["select * from secrets('a/b')", 'there is no table "secrets"; there are commits, '],
  ["select * from constructor('a/b')", 'there is no table "constructor"'],
  ["select * from commits('../../user')", "wants a repository"],
  ["select * from github_org_repos('a/b')", "wants a name"],
])("%s cannot be meant", async (query, error) => {
  const outcome = await tryCheck(github, { url: "http://127.0.0.1:1", query: query || " " });
  expect(outcome).toMatchObject({ pass: false, invalid: true });
  expect(outcome.error).toContain(error);
});

test("patterns that backtrack, values of several kinds", () => {
  const query = parseQuery(`select a from t where a like '${"%a".repeat(50)}b'`);
  expect(evaluateQuery(query, [{ a: "a".repeat(5000) }])).toEqual([]);
  const mixed = [{ a: null }, { a: 2 }, { a: "x" }, { a: true }];
  expect(evaluateQuery(parseQuery("select a from t order by a"), mixed)).toEqual([
    { a: null },
    { a: true },
    { a: 2 },
    { a: "x" },
  ]);
  expect(evaluateQuery(parseQuery("select a from t where a > 1"), mixed)).toEqual([
    { a: 2 },
    { a: "x" },
  ]);
});

describe("refusals", () => {
  test("wrong tokens, too many requests, what is not there", async () => {
    const { run } = await start(1);
    const wrong = await run("select * from commits('shop/web')", { githubToken: "ghp_another" });
    expect(wrong.error).toMatch(/^GitHub did not accept the credentials \(401\): Bad credentials/);
    expect(JSON.stringify(wrong)).not.toContain("ghp_another");
    const none = await run("select * from commits('shop/web')", { githubToken: undefined });
    expect(none.error).toMatch(/^GitHub wants credentials \(401\)/);
    const busy = await run("select * from github_repo_issues('shop/busy')");
    expect(busy.error).toMatch(
      /^GitHub gets too many requests \(403\) and asks to wait 1m\d+s: API rate limit exceeded/,
    );
    expect((await run("select * from commits('shop/none')")).error).toMatch(/\(404\): Not Found/);
  });

  itSurvivesAnyApi("GitHub", token, (url, options) =>
    tryCheck(github, { url, query: "select * from commits('a/b')", githubToken: token }, options),
  );
});
