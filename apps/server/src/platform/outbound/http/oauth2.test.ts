import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "../connector.ts";
import { closeAll, serve } from "../testing/serve.ts";
import { tokenServer } from "../testing/sign-in-servers.ts";
import { tryExchange } from "../testing/try-exchange.ts";
import type { OAuth2Auth } from "./authorization.ts";

/** OAuth 2 client credentials against a stand-in written from RFC 6749. */

afterEach(closeAll);

const client = { clientId: "shop+1", clientSecret: "sesame: secret/%" };

async function start(options: Partial<Parameters<typeof tokenServer>[0]> = {}) {
  const tokens = tokenServer({ ...client, ...options });
  const { url } = await serve(tokens.handler);
  const auth: OAuth2Auth = {
    kind: "oauth2",
    tokenUrl: new URL("/token", url),
    ...client,
    scopes: ["read", "write"],
    params: { audience: "the shop" },
  };
  return { ...tokens, url, auth, connector: createConnector() };
}

test("a token is fetched with what was said, and kept", async () => {
  const { url, auth, connector, seen } = await start();
  const one = await tryExchange(`${url}/x`, { auth, connector });
  const two = await tryExchange(`${url}/y`, { auth, connector });
  expect([one.code, two.code]).toEqual([200, 200]);
  expect(seen).toEqual([
    {
      client: client.clientId,
      form: { grant_type: "client_credentials", scope: "read write", audience: "the shop" },
    },
  ]);
  expect(one.issued).toEqual(two.issued);
  expect(one.body.toString()).toContain(one.issued[0]);
});

test("many that ask at once fetch one token", async () => {
  const { url, auth, connector, seen } = await start();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => tryExchange(url, { auth, connector })),
  );
  expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(seen).toHaveLength(1);
});

test("a token of others, of other scopes or of another way out is another", async () => {
  const { url, auth, connector, seen } = await start();
  await tryExchange(url, { auth, connector });
  await tryExchange(url, { auth: { ...auth, scopes: [] }, connector });
  await tryExchange(url, { auth, connector: createConnector() });
  expect(seen).toHaveLength(3);
  await expect(
    tryExchange(url, { auth: { ...auth, clientSecret: "no" }, connector }),
  ).rejects.toThrow("invalid_client");
});

test("one that has expired or was taken back is fetched anew, once", async () => {
  const short = await start({ expiresIn: 0 });
  const expired = { auth: short.auth, connector: short.connector };
  await tryExchange(short.url, expired);
  await tryExchange(short.url, expired);
  expect(short.seen).toHaveLength(2);
  const { url, auth, connector, seen, good } = await start();
  await tryExchange(url, { auth, connector });
  good.clear();
  expect(await tryExchange(url, { auth, connector })).toMatchObject({ code: 200 });
  expect(seen).toHaveLength(2);
});

test("endpoints that read the client in the body are served, too", async () => {
  const { url, auth, connector, seen } = await start({ reads: "body" });
  expect(await tryExchange(url, { auth, connector })).toMatchObject({ code: 200 });
  expect(seen).toHaveLength(2);
});

describe("what goes wrong is said without the secret", () => {
  test.each<[string, number, Record<string, string>, string, string]>([
    [
      "a refusal",
      400,
      {},
      JSON.stringify({ error: "invalid_scope", error_description: "no scope write" }),
      "gave no token: it answered 400 (invalid_scope: no scope write)",
    ],
    [
      "too many requests",
      429,
      { "retry-after": "90" },
      "",
      "is busy: it answered 429 and asks to wait 1m30s",
    ],
    ["a page", 200, {}, "<html>welcome</html>", "answered 200 without an access token"],
    ["JSON without end", 200, {}, "[".repeat(200_000), "answered 200 without an access token"],
    [
      "a token that would break a header",
      200,
      {},
      JSON.stringify({ access_token: "a\r\nb: c" }),
      "without an access token",
    ],
    [
      "another kind of token",
      200,
      {},
      JSON.stringify({ access_token: "a", token_type: "mac" }),
      "gave a token of type mac",
    ],
    ["a redirect", 302, { location: "http://127.0.0.1:1/" }, "", "gave no token: it answered 302"],
  ])("%s", async (_name, code, headers, body, message) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(code, headers).end(body),
    );
    const auth: OAuth2Auth = {
      kind: "oauth2",
      tokenUrl: new URL(url),
      ...client,
      scopes: [],
      params: {},
    };
    const said = await tryExchange(url, { auth }).catch((error: unknown) => String(error));
    expect(said).toContain(message);
    expect(said).not.toContain("sesame");
  });

  test("nobody there, somebody silent, an address that is not allowed", async () => {
    const { url, auth } = await start();
    const at = (tokenUrl: string) => ({ auth: { ...auth, tokenUrl: new URL(tokenUrl) } });
    const port = await freePort();
    await expect(tryExchange(url, at(`http://127.0.0.1:${port}`))).rejects.toThrow(
      `connection refused by 127.0.0.1:${port}`,
    );
    await expect(tryExchange(url, at("http://169.254.169.254/"))).rejects.toThrow("address policy");
    const silent = await serve(() => undefined);
    await expect(tryExchange(url, { ...at(silent.url), timeoutMs: 300 })).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });
});
