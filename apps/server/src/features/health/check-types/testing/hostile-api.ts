import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { freePort } from "@mainstay/testkit/servers/index.ts";
import { serve } from "#platform/outbound/testing/serve.ts";
import type { CheckOutcome } from "../check-type.ts";

type Try = (url: string, options?: { timeoutMs?: number }) => Promise<CheckOutcome>;

const answering =
  (body: string | Buffer, code = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(code, { "content-type": "application/json", ...headers }).end(body);

/** Everything that an API may do to who asks it; each must become a sentence, without the secret. */
export function itSurvivesAnyApi(what: string, secret: string, tryAt: Try): void {
  test.each<[string, RequestListener, RegExp]>([
    ["a page", answering("<html>welcome</html>"), /is not JSON/],
    ["garbage", answering(Buffer.from([0, 255, 1, 254])), /is not JSON/],
    ["JSON of something else", answering('{"hello":["world"]}'), /./],
    ["JSON that is a number", answering("1"), /./],
    ["JSON that nests without end", answering("[".repeat(500_000)), /is not JSON, or nests/],
    ["more than is read", answering(Buffer.alloc(11 * 1_048_576, " ")), /is longer than/],
    ["too many requests", answering("", 429, { "retry-after": "75" }), /asks to wait 1m15s/],
    [
      "not available",
      answering("", 503, { "retry-after": "5" }),
      /is not available \(503\) and asks to wait 5s/,
    ],
    ["not for these credentials", answering("{}", 403), /does not allow it/],
    [
      "an error that repeats what was sent",
      (request, response) =>
        void response
          .writeHead(500)
          .end(JSON.stringify({ error: `${request.headers.authorization} ${secret}` })),
      /answered 500: /,
    ],
  ])("%s", async (_name, handler, error) => {
    const { url } = await serve(handler);
    const outcome = await tryAt(url);
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toContain(secret);
  });

  test("nobody there, somebody silent, something that never ends", async () => {
    const port = await freePort();
    expect((await tryAt(`http://127.0.0.1:${port}`)).error).toBe(
      `connection refused by 127.0.0.1:${port}`,
    );
    const silent = await serve(() => undefined);
    expect((await tryAt(silent.url, { timeoutMs: 300 })).error).toBe("timed out after 300 ms");
    const endless = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.once("close", () => clearInterval(drip));
    });
    expect((await tryAt(endless.url, { timeoutMs: 300 })).error).toBe("timed out after 300 ms");
  });

  test(`an address that is not of ${what}`, async () => {
    expect(await tryAt("ftp://127.0.0.1")).toMatchObject({ pass: false, invalid: true });
    expect((await tryAt("http://169.254.169.254")).error).toContain("address policy");
  });
}
