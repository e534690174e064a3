import type { RequestListener } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { tryCheck } from "../testing/try-check.ts";
import { http } from "./http.ts";
import { asked, closeAll, echo, serve } from "../testing/serve.ts";

afterEach(closeAll);

describe("what is sent", () => {
  test("method, headers, body and path", async () => {
    const { url } = await serve(echo);
    const outcome = await tryCheck(http, {
      url: `${url}/a%20b?x=1`,
      method: "post",
      headers: [
        { name: "X-Shop", value: "one" },
        { name: "Host", value: "shop.example" },
      ],
      body: "hällo",
    });
    expect(outcome).toMatchObject({ pass: true, details: { code: 200 } });
    expect(outcome.message).toMatch(/^200 in [\d.]+ ms$/);
    expect(asked(outcome.details)).toMatchObject({
      method: "POST",
      url: "/a%20b?x=1",
      body: "hällo",
      headers: { "x-shop": "one", host: "shop.example", "user-agent": "mainstay" },
    });
  });

  test.each<[string, (url: string) => object]>([
    ["of the fields", (url) => ({ url, username: "ann", password: "sesame secret" })],
    ["of the address", (url) => ({ url: url.replace("//", "//ann:sesame%20secret@") })],
    [
      "put into the address",
      (url) => ({
        url: url.replace("//", "//$(username):$(password)@"),
        username: { value: "ann" },
        password: { value: "sesame secret" },
      }),
    ],
    [
      "as the form editor writes them",
      (url) => ({
        url,
        basic: true,
        authentication: { username: "ann", password: "sesame secret" },
      }),
    ],
  ])("credentials %s; no trace of them in the result", async (_name, spec) => {
    const { url } = await serve((request, response) => {
      const isGood =
        request.headers.authorization ===
        `Basic ${Buffer.from("ann:sesame secret").toString("base64")}`;
      response.statusCode = isGood ? 200 : 401;
      response.end(`you said ${request.headers.authorization} that is sesame secret`);
    });
    const outcome = await tryCheck(http, spec(url) as never);
    expect(outcome.pass).toBe(true);
    expect(JSON.stringify(outcome)).not.toMatch(/sesame|YW5uOn/);
    expect(http.endpoint(http.spec.parse({ name: "a", ...spec(url) }))).not.toContain("sesame");
  });

  test("telling parameters are not shown in the endpoint", () => {
    const spec = http.spec.parse({
      name: "a",
      url: "https://u:p@shop.example/x?api_key=abc&page=2",
    });
    expect(http.endpoint(spec)).toBe("https://shop.example/x?api_key=hidden&page=2");
  });
});

describe("what is judged", () => {
  const answer =
    (code: number, body = "", headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      response.writeHead(code, headers).end(body);

  test.each<[number, (number | string)[] | undefined, boolean]>([
    [200, undefined, true],
    [204, undefined, true],
    [299, undefined, true],
    [304, undefined, false],
    [500, undefined, false],
    [404, [404], true],
    [404, ["4xx"], true],
    [404, ["400-410"], true],
    [404, ["200-299", 403], false],
    [200, [], true],
  ])("%d with %j", async (code, responseCodes, pass) => {
    const { url } = await serve(answer(code));
    const outcome = await tryCheck(http, { url, responseCodes });
    expect(outcome.pass).toBe(pass);
    if (!pass)
      expect(outcome.error).toBe(
        `answered ${code}, wanted ${(responseCodes ?? ["2xx"]).join(", ")}`,
      );
    expect(outcome.details?.code).toBe(code);
  });

  test("content", async () => {
    const { url } = await serve(answer(200, "all is well"));
    expect(await tryCheck(http, { url, responseContent: "well" })).toMatchObject({ pass: true });
    expect(await tryCheck(http, { url, responseContent: "sick" })).toMatchObject({
      pass: false,
      error: 'the body does not contain "sick"',
    });
  });

  test("JSON content", async () => {
    const { url } = await serve(
      answer(200, '{"status": {"up": true}, "list": [{"n": 1}, {"n": "two"}]}'),
    );
    const probe = (path: string, value: string) =>
      tryCheck(http, { url, responseJSONContent: { path, value } });
    expect(await probe("$.status.up", "true")).toMatchObject({ pass: true });
    expect(await probe("$.list[-1].n", "two")).toMatchObject({ pass: true });
    expect(await probe("$.list[*].n", "two")).toMatchObject({ pass: true });
    expect(await probe("$.list[0].n", "2")).toMatchObject({
      pass: false,
      error: '$.list[0].n is "1", wanted "2"',
    });
    expect(await probe("$.gone", "2")).toMatchObject({
      pass: false,
      error: '$.gone is nothing, wanted "2"',
    });
    expect(await probe("$.a[?(@.b)]", "2")).toMatchObject({
      pass: false,
      error: expect.stringContaining("is not understood") as string,
    });
    const { url: text } = await serve(answer(200, "<html>"));
    expect(
      await tryCheck(http, { url: text, responseJSONContent: { path: "$.a", value: "1" } }),
    ).toMatchObject({ pass: false, error: "the body is not JSON" });
  });

  test("the threshold, without waiting longer", async () => {
    const { url } = await serve(() => undefined);
    const outcome = await tryCheck(http, { url, thresholdMillis: 100 });
    expect(outcome).toMatchObject({ pass: false, error: "no complete answer within 100 ms" });
    expect(outcome.durationMs).toBeLessThan(5000);
  });

  test("cookies of the answer stay hidden", async () => {
    const { url } = await serve(answer(200, "", { "set-cookie": "session=abc123" }));
    expect(JSON.stringify(await tryCheck(http, { url }))).not.toContain("abc123");
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const)("compressed with %s", async (encoding, compress) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress("hello there")),
    );
    expect(await tryCheck(http, { url, responseContent: "hello there" })).toMatchObject({
      pass: true,
    });
  });

  test("a request without a body in the answer", async () => {
    const { url } = await serve(echo);
    expect(await tryCheck(http, { url, method: "HEAD" })).toMatchObject({
      pass: true,
      details: { content: "" },
    });
  });
});

describe("redirects", () => {
  test("are followed to the end, ten at most", async () => {
    const { url } = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end("here");
    });
    expect(await tryCheck(http, { url: `${url}/10`, responseContent: "here" })).toMatchObject({
      pass: true,
    });
    expect(await tryCheck(http, { url: `${url}/11` })).toMatchObject({
      pass: false,
      error: "redirected more than 10 times",
    });
    expect(await tryCheck(http, { url: `${url}/2`, maxRedirects: 1 })).toMatchObject({
      pass: false,
      error: "redirected more than 1 times",
    });
    expect(
      await tryCheck(http, { url: `${url}/2`, maxRedirects: 0, responseCodes: [302] }),
    ).toMatchObject({ pass: true });
  });

  test("in a circle end", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(301, { location: "/" }).end(),
    );
    expect(await tryCheck(http, { url })).toMatchObject({
      pass: false,
      error: "redirected more than 10 times",
    });
  });

  test("take no credentials to another origin", async () => {
    const other = await serve(echo);
    const { url } = await serve((_request, response) =>
      response.writeHead(307, { location: `${other.url}/there` }).end(),
    );
    const outcome = await tryCheck(http, {
      url: url.replace("//", "//ann:sesame@"),
      headers: [
        { name: "X-Api-Key", value: "k1" },
        { name: "Cookie", value: "a=b" },
        { name: "Accept", value: "text/x" },
      ],
    });
    expect(outcome.pass).toBe(true);
    const { headers, url: path } = asked(outcome.details);
    expect(path).toBe("/there");
    expect(headers).toMatchObject({ accept: "text/x" });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(headers["x-api-key"] ?? headers.cookie).toBeUndefined();
  });

  test("keep credentials within an origin, and the method as the code says", async () => {
    const { url } = await serve((request, response) => {
      const code = /^\/(30\d)$/.exec(request.url ?? "")?.[1];
      if (code) response.writeHead(Number(code), { location: "/end" }).end();
      else echo(request, response);
    });
    for (const [code, method] of [
      [301, "GET"],
      [302, "GET"],
      [303, "GET"],
      [307, "POST"],
      [308, "POST"],
    ] as const) {
      const outcome = await tryCheck(http, {
        url: `${url}/${code}`,
        method: "POST",
        body: "x",
        username: "ann",
        password: "sesame",
      });
      expect(asked(outcome.details)).toMatchObject({ method, body: method === "GET" ? "" : "x" });
      expect(asked(outcome.details).headers.authorization).toBeDefined();
    }
  });

  test.each([
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254"],
    ["http://[::ffff:169.254.169.254]/", "a9fe:a9fe"],
    ["http://0.0.0.0/", "0.0.0.0"],
    ["file:///etc/passwd", "redirected to file: addresses"],
  ])("to %s are refused", async (location, why) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(302, { location }).end(),
    );
    const outcome = await tryCheck(http, { url });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toContain(why);
  });
});
