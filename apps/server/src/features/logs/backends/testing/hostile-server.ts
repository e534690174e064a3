import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { freePort } from "@mainstay/testkit/servers/index.ts";
import { serve } from "#platform/outbound/testing/serve.ts";
import type { AskOptions } from "./ask-backend.ts";

type Ask = (url: string, options?: AskOptions) => Promise<unknown>;

const answering =
  (body: string | Buffer, code = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(code, { "content-type": "application/json", ...headers }).end(body);

/** What a program behind HTTP may do to who asks it for lines: each becomes a sentence. */
export function itSurvivesAnyServer(ask: Ask): void {
  test.each<[string, RequestListener, RegExp]>([
    ["a page", answering("<html>welcome</html>"), /is not JSON/],
    ["half a JSON", answering('{"data":{"result":[{"str'), /is not JSON/],
    [
      "an answer that breaks off",
      (_request, response) => {
        response.writeHead(200, { "content-length": "900" }).write('{"data":');
        setImmediate(() => response.destroy());
      },
      /./,
    ],
    ["JSON of something else", answering('{"hello":["world"]}'), /what answered is no|does not/i],
    ["100 MB", answering(Buffer.alloc(100 * 1_048_576, " ")), /is longer than/],
    [
      "throttling that does not end",
      answering("", 429, { "retry-after": "75" }),
      /asks to wait 1m15s/,
    ],
    ["wrong credentials", answering('{"message":"no"}', 401), /credentials \(401\)/],
    ["a failure of its own", answering('{"message":"boom"}', 500), /answered 500: boom/],
  ])("%s", { timeout: 30_000 }, async (_name, handler, message) => {
    const { url } = await serve(handler);
    await expect(ask(url)).rejects.toThrow(message);
  });

  test("nobody there, and somebody who never answers", async () => {
    await expect(ask(`http://127.0.0.1:${await freePort()}`)).rejects.toThrow(/refused/);
    const { url } = await serve(() => undefined);
    const stop = new AbortController();
    const asking = ask(url, { signal: stop.signal });
    stop.abort(new Error("the time is over"));
    await expect(asking).rejects.toThrow("the time is over");
  });
}
