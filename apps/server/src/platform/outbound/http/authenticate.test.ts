import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { areInstalled } from "@mainstay/testkit/servers/index.ts";
import { closeAll, serve } from "../testing/serve.ts";
import { bodyOf, digestServer, ntlmServer } from "../testing/sign-in-servers.ts";
import { tryExchange } from "../testing/try-exchange.ts";
import type { HttpAuth } from "./authorization.ts";
import { signAws } from "./sign-aws.ts";

/** NTLM, Digest and AWS against stand-ins written from the public descriptions; curl judges the stand-ins. */

afterEach(closeAll);

const login = { username: "ann", password: "sesame sécret" };
const digest: HttpAuth = { kind: "digest", ...login };
const ntlm = (more: Partial<typeof login> & { isV2Only?: boolean } = {}): HttpAuth => ({
  kind: "ntlm",
  isV2Only: true,
  username: String.raw`SHOP\ann`,
  password: login.password,
  ...more,
});
const windows = { ...login, domain: "SHOP" };

async function curl(...args: string[]): Promise<string> {
  const child = spawn("curl", ["-s", "--max-time", "10", ...args]);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  return Buffer.concat(chunks).toString();
}

describe("Digest", () => {
  test.each(["MD5", "SHA-256", "MD5-sess", "SHA-256-sess"])("with %s", async (algorithm) => {
    const { url, server } = await serve(digestServer(login, { algorithm }));
    const answer = await tryExchange(`${url}/a%20b?x=1&y=%2F`, {
      auth: digest,
      method: "POST",
      body: "Bob",
    });
    expect([answer.code, answer.body.toString()]).toEqual([200, "hello Bob"]);
    expect(server.accepted()).toBe(1);
  });

  test("a wrong password is refused once, a stale nonce is asked again", async () => {
    let asked = 0;
    const handler = digestServer(login, { isFirstStale: true });
    const { url } = await serve((request, response) => {
      asked += 1;
      handler(request, response);
    });
    expect(await tryExchange(url, { auth: digest })).toMatchObject({ code: 200 });
    expect(asked).toBe(3);
    asked = 0;
    const wrong = await tryExchange(url, { auth: { ...digest, password: "no" } as HttpAuth });
    expect([wrong.code, asked]).toEqual([401, 2]);
  });

  test("a server that offers something else, or asks for nothing", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(401, { "www-authenticate": "Basic" }).end(),
    );
    expect(await tryExchange(url, { auth: digest })).toMatchObject({ code: 401 });
    const open = await serve((request, response) => response.end(request.headers.authorization));
    expect((await tryExchange(open.url, { auth: digest })).body.toString()).toBe("");
  });

  test("a server that closes after each answer", async () => {
    const handler = digestServer(login);
    const { url, server } = await serve((request, response) => {
      response.setHeader("connection", "close");
      handler(request, response);
    });
    expect(await tryExchange(url, { auth: digest })).toMatchObject({ code: 200 });
    expect(server.accepted()).toBe(2);
  });

  test.skipIf(!areInstalled("curl"))("curl is let in by the same stand-in", async () => {
    const { url } = await serve(digestServer(login));
    expect(await curl("--digest", "-u", `ann:${login.password}`, url)).toBe("hello ");
    expect(await curl("--digest", "-u", "ann:no", url)).toBe("");
  });
});

describe("NTLM", () => {
  test.each([true, false])("on one connection (version 2 alone: %s)", async (isV2Only) => {
    const { url, server } = await serve(ntlmServer(windows));
    const answer = await tryExchange(url, {
      auth: ntlm({ isV2Only }),
      method: "POST",
      body: "Bob",
    });
    expect([answer.code, answer.body.toString()]).toEqual([200, "hello Bob"]);
    expect(server.accepted()).toBe(1);
  });

  test.each([
    ["password", { password: "no" }],
    ["domain", { username: "ann" }],
    ["name", { username: String.raw`SHOP\bob` }],
  ])("a wrong %s is refused", async (_name, wrong) => {
    const { url } = await serve(ntlmServer(windows));
    expect(await tryExchange(url, { auth: ntlm(wrong) })).toMatchObject({ code: 401 });
  });

  test("a connection that does not last is named", async () => {
    const { url } = await serve(ntlmServer(windows, { closesBetween: true }));
    await expect(tryExchange(url, { auth: ntlm() })).rejects.toThrow(
      "the connection was closed in the middle of NTLM",
    );
  });

  test("a server that wants none, and one that says garbage", async () => {
    const open = await serve((_request, response) => response.end("open"));
    expect(await tryExchange(open.url, { auth: ntlm() })).toMatchObject({ code: 200 });
    const garbage = await serve((_request, response) =>
      response.writeHead(401, { "www-authenticate": "NTLM Z2FyYmFnZQ==" }).end(),
    );
    await expect(tryExchange(garbage.url, { auth: ntlm() })).rejects.toThrow("cannot be read");
    const silent = await serve((request, response) => {
      if (request.headers.authorization) return;
      response.end();
    });
    await expect(tryExchange(silent.url, { auth: ntlm(), timeoutMs: 300 })).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });

  test.skipIf(!areInstalled("curl"))("curl is let in by the same stand-in", async () => {
    const { url } = await serve(ntlmServer(windows));
    expect(await curl("--ntlm", "-u", `SHOP\\ann:sesame`, url)).not.toBe("hello ");
    const plain = await serve(ntlmServer({ ...windows, password: "sesame" }));
    expect(await curl("--ntlm", "-u", `SHOP\\ann:sesame`, plain.url)).toBe("hello ");
  });
});

describe("signing for AWS", () => {
  const credentials = { accessKey: "AKID", secretKey: "sesame/secret", sessionToken: "lent" };
  const auth: HttpAuth = { kind: "awsSigV4", credentials, region: "eu-west-1", service: "aps" };

  /** Signs what came, as the service would, and compares. */
  const judge = () =>
    serve((request, response) => {
      void bodyOf(request).then((body) => {
        const sent = String(request.headers.authorization);
        const names = /SignedHeaders=([^,]+)/.exec(sent)?.[1]?.split(";") ?? [];
        const time = String(request.headers["x-amz-date"]);
        const now = time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z");
        const signed = signAws({
          method: request.method ?? "",
          url: new URL(`http://${request.headers.host}${request.url}`),
          headers: Object.fromEntries(names.map((name) => [name, String(request.headers[name])])),
          body,
          credentials,
          region: "eu-west-1",
          service: "aps",
          now: new Date(now),
        });
        response.statusCode = sent === signed ? 200 : 403;
        response.end(names.join());
      });
    });

  test("every request carries a signature of what is sent", async () => {
    const { url } = await judge();
    const answer = await tryExchange(`${url}/api/v1/query?query=up+or%20down&b=(1)*`, {
      auth,
      method: "POST",
      headers: { "Content-Type": "text/plain", "X-Shop": "one" },
      body: "query",
    });
    expect([answer.code, answer.body.toString()]).toEqual([
      200,
      "content-type,host,x-amz-content-sha256,x-amz-date,x-amz-security-token",
    ]);
    const wrong = { ...auth, credentials: { ...credentials, secretKey: "no" } };
    expect(await tryExchange(url, { auth: wrong })).toMatchObject({ code: 403 });
  });

  test.skipIf(!areInstalled("curl"))("curl signs what the same judge accepts", async () => {
    const { url } = await judge();
    const said = await curl(
      "--aws-sigv4",
      "aws:amz:eu-west-1:aps",
      "-u",
      "AKID:sesame/secret",
      "-w",
      "%{http_code}",
      `${url}/api?a=1&b=2`,
    );
    expect(said).toBe("host,x-amz-date200");
  });
});

test.each<[string, HttpAuth]>([
  ["Digest", digest],
  ["NTLM", ntlm()],
])("%s is not said to another origin", async (_name, auth) => {
  const heard: (string | undefined)[] = [];
  const other = await serve((request, response) => {
    heard.push(request.headers.authorization);
    response.writeHead(401, { "www-authenticate": ["NTLM", 'Digest nonce="n"'] }).end();
  });
  const { url } = await serve((_request, response) =>
    response.writeHead(302, { location: other.url }).end(),
  );
  expect(await tryExchange(url, { auth })).toMatchObject({ code: 401 });
  expect(heard).toEqual([undefined]);
});
