import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { asked, closeAll, echo, serve } from "../testing/serve.ts";
import { tryExchange } from "../testing/try-exchange.ts";
import type { HttpAuth } from "./authorization.ts";

afterEach(closeAll);

describe("what is sent", () => {
  test("method, headers, body and path", async () => {
    const { url } = await serve(echo);
    const answer = await tryExchange(`${url}/a%20b?x=1`, {
      method: "post",
      headers: { "X-Shop": "one", Host: "shop.example", Connection: "keep-alive" },
      body: "hällo",
    });
    expect(answer).toMatchObject({ code: 200, isCut: false, address: `${url}/a%20b?x=1` });
    expect(answer.elapsedMs).toBeGreaterThan(0);
    expect(asked(answer)).toMatchObject({
      method: "POST",
      url: "/a%20b?x=1",
      body: "hällo",
      headers: { "x-shop": "one", host: "shop.example", "user-agent": "mainstay" },
    });
    const bytes = await tryExchange(url, { method: "PUT", body: Buffer.from("bytes") });
    expect(asked(bytes)).toMatchObject({ method: "PUT", body: "bytes" });
  });

  const basic = { kind: "basic", username: "ann", password: "sesame secret" } as const;
  const encoded = `Basic ${Buffer.from("ann:sesame secret").toString("base64")}`;
  test.each<[string, HttpAuth | undefined, (url: string) => string, string, string?]>([
    ["a name and a password", basic, (url) => url, encoded],
    ["the address", undefined, (url) => url.replace("//", "//ann:sesame%20secret@"), encoded],
    [
      "the address before others",
      { kind: "bearer", token: "t" },
      (url) => url.replace("//", "//ann:sesame%20secret@"),
      encoded,
    ],
    ["a token", { kind: "bearer", token: "t1" }, (url) => url, "Bearer t1"],
    ["a header before others", basic, (url) => url, "Negotiate x", "Negotiate x"],
  ])("who asks, by %s", async (_name, auth, address, sent, header) => {
    const { url } = await serve(echo);
    const answer = await tryExchange(address(url), {
      auth,
      headers: header === undefined ? {} : { Authorization: header },
    });
    expect(asked(answer).headers.authorization).toBe(sent);
    expect(answer.address).not.toContain("sesame");
  });

  test("nothing, to an address of something else", async () => {
    await expect(tryExchange("ftp://127.0.0.1/")).rejects.toThrow("ftp: is not an address of HTTP");
  });
});

describe("what is answered", () => {
  test("cookies stay hidden", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "set-cookie": "session=abc123" }).end(),
    );
    expect((await tryExchange(url)).headers).toMatchObject({ "set-cookie": "[hidden]" });
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["zstd", zstdCompressSync],
  ] as const)("compressed with %s", async (encoding, compress) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress("hello there")),
    );
    expect((await tryExchange(url)).body.toString()).toBe("hello there");
  });

  test("no body to HEAD", async () => {
    const { url } = await serve(echo);
    const answer = await tryExchange(url, { method: "HEAD" });
    expect([answer.code, answer.body.length]).toEqual([200, 0]);
  });
});

describe("redirects", () => {
  test("are followed to the end, ten at most", async () => {
    const { url } = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end("here");
    });
    const last = await tryExchange(`${url}/10`);
    expect(last).toMatchObject({ code: 200, address: `${url}/0` });
    expect(last.body.toString()).toBe("here");
    await expect(tryExchange(`${url}/11`)).rejects.toThrow("redirected more than 10 times");
    await expect(tryExchange(`${url}/2`, { maxRedirects: 1 })).rejects.toThrow(
      "redirected more than 1 times",
    );
    expect(await tryExchange(`${url}/2`, { maxRedirects: 0 })).toMatchObject({ code: 302 });
  });

  test("in a circle end", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(301, { location: "/" }).end(),
    );
    await expect(tryExchange(url)).rejects.toThrow("redirected more than 10 times");
  });

  test("take no credentials to another origin", async () => {
    const other = await serve(echo);
    const { url } = await serve((_request, response) =>
      response.writeHead(307, { location: `${other.url}/there` }).end(),
    );
    const headers = { "X-Api-Key": "k1", Cookie: "a=b", Accept: "text/x" };
    for (const [address, auth] of [
      [url.replace("//", "//ann:sesame@"), undefined],
      [url, { kind: "bearer", token: "sesame" }],
    ] as const) {
      const there = asked(await tryExchange(address, { headers, auth }));
      expect(there.url).toBe("/there");
      expect(there.headers).toMatchObject({ accept: "text/x" });
      expect(Object.keys(there.headers)).not.toContain("authorization");
      expect(there.headers["x-api-key"] ?? there.headers.cookie).toBeUndefined();
    }
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
      const end = asked(
        await tryExchange(`${url}/${code}`, {
          method: "POST",
          body: "x",
          auth: { kind: "basic", username: "ann", password: "sesame" },
        }),
      );
      expect(end).toMatchObject({ method, body: method === "GET" ? "" : "x" });
      expect(end.headers.authorization).toBeDefined();
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
    await expect(tryExchange(url)).rejects.toThrow(why);
  });
});
