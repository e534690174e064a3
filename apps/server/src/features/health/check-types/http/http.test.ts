import type { RequestListener } from "node:http";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import {
  areInstalled,
  freePort,
  listenHttps,
  makeCertificates,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { closeAll, echo, open, serve } from "#platform/outbound/testing/serve.ts";
import { tryCheck } from "../testing/try-check.ts";
import { http } from "./http.ts";

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
    expect(outcome.details?.json).toMatchObject({
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

  test("scripts name headers as documents do, or as they came", async () => {
    const { url } = await serve(answer(301, "", { location: "/new", "x-shop-id": "7" }));
    const outcome = await tryCheck(http, { url, maxRedirects: 0, responseCodes: [301] });
    expect(outcome.data?.().headers).toMatchObject({
      Location: "/new",
      location: "/new",
      "X-Shop-Id": "7",
    });
    expect(outcome.details?.headers).not.toHaveProperty("Location");
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

  test("what was read of a body that is too long; the details stay small", async () => {
    const { url } = await serve(answer(200, "x".repeat(11_000_000)));
    expect(await tryCheck(http, { url, responseContent: "y" })).toMatchObject({
      pass: false,
      error: 'the first 10485760 bytes of the body do not contain "y"',
    });
    const passing = await tryCheck(http, { url, responseContent: "x" });
    expect(passing.message).toContain("only the first 10485760 bytes were read");
    expect(JSON.stringify(passing.details).length).toBeLessThan(131_072);
  });

  test("a request without a body in the answer", async () => {
    const { url } = await serve(echo);
    expect(await tryCheck(http, { url, method: "HEAD" })).toMatchObject({
      pass: true,
      details: { content: "" },
    });
  });

  test("the end of redirects, which is named; as many as the document allows", async () => {
    const { url } = await serve((request, response) => {
      if (request.url === "/end?token=abc") response.end("here");
      else response.writeHead(302, { location: "/end?token=abc" }).end();
    });
    expect(await tryCheck(http, { url, responseContent: "here" })).toMatchObject({
      pass: true,
      details: { address: `${url}/end?token=hidden` },
    });
    expect(await tryCheck(http, { url, maxRedirects: 0, responseCodes: [302] })).toMatchObject({
      pass: true,
    });
  });

  test("a certificate is wanted where there is none", async () => {
    const { url } = await serve(echo);
    expect(await tryCheck(http, { url, maxSSLExpiry: 10 })).toMatchObject({
      pass: false,
      error: "there is no certificate to judge: the address is not https",
    });
  });

  describe.skipIf(!areInstalled("openssl"))("certificates", () => {
    const secured = async (days?: number) => {
      const made = makeCertificates(days === undefined ? {} : { days });
      if (!made) throw new Error("no certificates were made");
      open.push({ port: 0, accepted: () => 0, close: () => Promise.resolve(made.remove()) });
      const { cert, key, ca } = made;
      const server = await listenHttps(
        { cert, key, ca, requestCert: true, rejectUnauthorized: false },
        (request, response) =>
          response.end((request.socket as TLSSocket).authorized ? "known" : "stranger"),
      );
      open.push(server);
      return { url: `https://localhost:${server.port}`, cert, key, ca };
    };

    test("what the document says of TLS holds, and how long the certificate lasts", async () => {
      const { url, ca, cert, key } = await secured();
      const tlsConfig = { ca, cert, key: { value: key } };
      expect(
        await tryCheck(http, { url, tlsConfig, responseContent: "known", maxSSLExpiry: 30 }),
      ).toMatchObject({
        pass: true,
        details: { sslAge: expect.any(Number) as number },
        expires: { what: "certificate", at: expect.any(Date) as Date },
      });
      expect(await tryCheck(http, { url, tlsConfig: { ca }, maxSSLExpiry: 100 })).toMatchObject({
        pass: false,
        error: "the certificate expires in 89 days, at least 100 wanted",
      });
      // What is refused has an end as well.
      expect(await tryCheck(http, { url })).toMatchObject({
        error: expect.stringContaining("comes from an unknown authority") as string,
        expires: { what: "certificate", at: expect.any(Date) as Date },
      });
    });

    test("one that has expired", async () => {
      const { url } = await secured(-3);
      expect(
        await tryCheck(http, { url, tlsConfig: { insecureSkipVerify: true }, maxSSLExpiry: 1 }),
      ).toMatchObject({
        pass: false,
        error: "the certificate expired 3 days ago",
        expires: { what: "certificate", at: expect.any(Date) as Date },
      });
    });
  });

  test("a proxy that is not there, and an address that is not allowed", async () => {
    const { url, server } = await serve(echo);
    const place = `127.0.0.1:${await freePort()}`;
    expect(await tryCheck(http, { url, proxy: `http://${place}` })).toMatchObject({
      pass: false,
      error: expect.stringContaining(place) as string,
    });
    const connector = createConnector({ deny: ["127.0.0.0/8"] });
    const outcome = await tryCheck(http, { url }, { connector });
    expect(outcome.error).toContain("not allowed");
    expect(server.accepted()).toBe(0);
  });

  test("what a run keeps: the status line, headers without credentials, where the time went", async () => {
    const { url } = await serve((request, response) => {
      if (request.url !== "/end") return response.writeHead(302, { location: "/end" }).end();
      const headers = { "set-cookie": "a=1", "x-auth-token": "abc", "x-shop": "7" };
      return response.writeHead(503, "Come back later", headers).end("no room");
    });
    const { details } = await tryCheck(http, { url });
    expect(details).toMatchObject({
      code: 503,
      reason: "Come back later",
      headers: { "set-cookie": "[hidden]", "x-auth-token": "[hidden]", "x-shop": "7" },
      content: "no room",
    });
    const timings = details?.timings as Record<string, number>;
    expect(Object.keys(timings)).toEqual(["dns", "connect", "firstByte", "transfer"]);
    const sum = Object.values(timings).reduce((all, ms) => all + ms, 0);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThanOrEqual((details?.elapsed as number) + 0.1);
  });

  test("a run without an answer tells how far it came", async () => {
    const { url } = await serve(() => undefined);
    const silent = await tryCheck(http, { url }, { timeoutMs: 300 });
    expect(silent).toMatchObject({
      pass: false,
      error: "timed out after 300 ms",
      details: { endedIn: "firstByte", timings: { firstByte: expect.any(Number) as number } },
    });
    const away = await tryCheck(http, { url: `http://127.0.0.1:${await freePort()}/` });
    expect(away.details).toMatchObject({ endedIn: "connect" });
    const { url: plain } = await serve(echo);
    const unsafe = await tryCheck(http, { url: plain.replace("http:", "https:") });
    expect(unsafe.details).toMatchObject({ endedIn: "tls" });
  });
});
