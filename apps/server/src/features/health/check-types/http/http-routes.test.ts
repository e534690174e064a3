import { createServer as createHttpServer, type RequestListener } from "node:http";
import { connect as connectSocket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  type Certificates,
  freePort,
  listenHttps,
  makeCertificates,
} from "@mainstay/testkit/servers/index.ts";
import { tryCheck } from "../testing/try-check.ts";
import { http } from "./http.ts";
import { closeAll, echo, open, serve } from "../testing/serve.ts";

afterEach(closeAll);

describe.skipIf(!areInstalled("openssl"))("TLS", () => {
  let good: Certificates | undefined;
  let expired: Certificates | undefined;
  let other: Certificates | undefined;
  beforeAll(() => {
    good = makeCertificates();
  });
  afterAll(() => {
    for (const certificates of [good, expired, other]) certificates?.remove();
  });
  const secureServer = async (
    certificates: Certificates,
    handler: RequestListener = (_request, response) => response.end("ok"),
  ) => {
    const server = await listenHttps({ cert: certificates.cert, key: certificates.key }, handler);
    open.push(server);
    return server.port;
  };

  test("certificates are judged", async () => {
    if (!good) throw new Error("no certificates were made");
    const port = await secureServer(good);
    const url = `https://localhost:${port}`;
    expect(await tryCheck(http, { url })).toMatchObject({
      pass: false,
      error: `the certificate of localhost:${port} comes from an unknown authority`,
    });
    expect(await tryCheck(http, { url, tlsConfig: { insecureSkipVerify: true } })).toMatchObject({
      pass: true,
    });
    const trusted = await tryCheck(http, { url, tlsConfig: { ca: good.ca } });
    expect(trusted).toMatchObject({ pass: true });
    expect(Number(trusted.details?.sslAge) / 86_400_000).toBeCloseTo(90, 0);
    expect(
      await tryCheck(http, { url: `https://127.0.0.1:${port}`, tlsConfig: { ca: good.ca } }),
    ).toMatchObject({ pass: true });
    expect(
      await tryCheck(http, { url, tlsConfig: { ca: good.ca }, maxSSLExpiry: 30 }),
    ).toMatchObject({ pass: true });
    expect(
      await tryCheck(http, { url, tlsConfig: { ca: good.ca }, maxSSLExpiry: 100 }),
    ).toMatchObject({
      pass: false,
      error: "the certificate expires in 89 days, at least 100 wanted",
    });
  });

  test("expired, and for another name", async () => {
    expired = makeCertificates({ days: -3 });
    other = makeCertificates({ names: ["DNS:shop.example"] });
    if (!expired || !other) throw new Error("no certificates were made");
    const late = await secureServer(expired);
    expect(
      await tryCheck(http, { url: `https://localhost:${late}`, tlsConfig: { ca: expired.ca } }),
    ).toMatchObject({ pass: false, error: `the certificate of localhost:${late} has expired` });
    expect(
      await tryCheck(http, {
        url: `https://localhost:${late}`,
        tlsConfig: { insecureSkipVerify: true },
        maxSSLExpiry: 1,
      }),
    ).toMatchObject({
      pass: false,
      error: "the certificate expired 3 days ago, at least 1 wanted",
    });
    const wrong = await secureServer(other);
    expect(
      await tryCheck(http, { url: `https://localhost:${wrong}`, tlsConfig: { ca: other.ca } }),
    ).toMatchObject({
      pass: false,
      error: `the certificate of localhost:${wrong} is for another name`,
    });
  });

  test("a certificate of the client's own", async () => {
    if (!good) throw new Error("no certificates were made");
    const server = await listenHttps(
      { cert: good.cert, key: good.key, ca: good.ca, requestCert: true, rejectUnauthorized: true },
      (_request, response) => response.end("ok"),
    );
    open.push(server);
    const url = `https://localhost:${server.port}`;
    expect(
      await tryCheck(http, {
        url,
        tlsConfig: { ca: good.ca, cert: good.cert, key: { value: good.key } },
      }),
    ).toMatchObject({ pass: true });
    expect(await tryCheck(http, { url, tlsConfig: { ca: good.ca } })).toMatchObject({
      pass: false,
    });
    expect(
      await tryCheck(http, { url, tlsConfig: { ca: good.ca, cert: "no", key: "pem" } }),
    ).toMatchObject({
      pass: false,
      error: expect.stringContaining("the TLS settings cannot be used") as string,
    });
  });

  test("a certificate is wanted where there is none", async () => {
    const { url } = await serve(echo);
    expect(await tryCheck(http, { url, maxSSLExpiry: 10 })).toMatchObject({
      pass: false,
      error: "there is no certificate to judge: the address is not https",
    });
  });

  test("plain text where TLS was wanted, and the other way round", async () => {
    if (!good) throw new Error("no certificates were made");
    const { url, server } = await serve(echo);
    expect(await tryCheck(http, { url: url.replace("http:", "https:") })).toMatchObject({
      pass: false,
      error: `127.0.0.1:${server.port} does not speak TLS`,
    });
    const port = await secureServer(good);
    expect(await tryCheck(http, { url: `http://localhost:${port}` })).toMatchObject({
      pass: false,
    });
  });
});

describe("through a proxy", () => {
  async function startProxy(password?: string) {
    const seen: string[] = [];
    const proxy = createHttpServer();
    proxy.on("connect", (request, client, head) => {
      seen.push(`${request.url}`);
      const isGood =
        !password ||
        request.headers["proxy-authorization"] ===
          `Basic ${Buffer.from(`u:${password}`).toString("base64")}`;
      if (!isGood) return client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      const [host, port] = (request.url ?? "").split(":");
      const upstream = connectSocket({ host, port: Number(port) }, () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy());
      return undefined;
    });
    const port = await freePort();
    await new Promise<void>((fulfil) => proxy.listen(port, "127.0.0.1", fulfil));
    open.push({
      port,
      accepted: () => seen.length,
      close: () => new Promise((fulfil) => proxy.close(() => fulfil())),
    });
    return { port, seen };
  }

  test("the target is reached", async () => {
    const { url } = await serve(echo);
    const { port, seen } = await startProxy("word1");
    expect(await tryCheck(http, { url, proxy: `http://u:word1@127.0.0.1:${port}` })).toMatchObject({
      pass: true,
    });
    expect(seen).toEqual([url.replace("http://", "")]);
    const refused = await tryCheck(http, { url, proxy: `http://u:wrong@127.0.0.1:${port}` });
    expect(refused.error).toBe(
      `the proxy 127.0.0.1:${port} answered 407 when asked for ${url.replace("http://", "")}`,
    );
  });

  test("the address policy holds", async () => {
    const { port, seen } = await startProxy();
    const outcome = await tryCheck(http, {
      url: "http://169.254.169.254/",
      proxy: `http://127.0.0.1:${port}`,
    });
    expect(outcome.error).toContain("address policy");
    expect(seen).toEqual([]);
  });

  test("a dead one is named", async () => {
    const port = await freePort();
    expect(
      await tryCheck(http, { url: "http://shop.example/", proxy: `http://127.0.0.1:${port}` }),
    ).toMatchObject({ pass: false });
  });

  test("the proxies of the environment are not used", async () => {
    const { url } = await serve(echo);
    process.env.HTTP_PROXY = `http://127.0.0.1:${await freePort()}`;
    try {
      expect(await tryCheck(http, { url })).toMatchObject({ pass: true });
    } finally {
      delete process.env.HTTP_PROXY;
    }
  });
});
