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
import { closeAll, echo, open, serve } from "../testing/serve.ts";
import { tryExchange } from "../testing/try-exchange.ts";

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
    await expect(tryExchange(url)).rejects.toThrow(
      `the certificate of localhost:${port} comes from an unknown authority`,
    );
    expect(await tryExchange(url, { tls: { insecureSkipVerify: true } })).toMatchObject({
      code: 200,
    });
    const trusted = await tryExchange(url, { tls: { ca: good.ca } });
    expect(trusted.code).toBe(200);
    const daysLeft = (Number(trusted.certificateEnds) - Date.now()) / 86_400_000;
    expect(daysLeft).toBeCloseTo(90, 0);
    expect(await tryExchange(`https://127.0.0.1:${port}`, { tls: { ca: good.ca } })).toMatchObject({
      code: 200,
    });
  });

  test("expired, and for another name", async () => {
    expired = makeCertificates({ days: -3 });
    other = makeCertificates({ names: ["DNS:shop.example"] });
    if (!expired || !other) throw new Error("no certificates were made");
    const late = await secureServer(expired);
    await expect(
      tryExchange(`https://localhost:${late}`, { tls: { ca: expired.ca } }),
    ).rejects.toThrow(`the certificate of localhost:${late} has expired`);
    const wrong = await secureServer(other);
    await expect(
      tryExchange(`https://localhost:${wrong}`, { tls: { ca: other.ca } }),
    ).rejects.toThrow(`the certificate of localhost:${wrong} is for another name`);
  });

  test("a certificate of the client's own, which stays at its origin", async () => {
    if (!good) throw new Error("no certificates were made");
    const server = await listenHttps(
      { cert: good.cert, key: good.key, ca: good.ca, requestCert: true, rejectUnauthorized: true },
      (_request, response) => response.end("ok"),
    );
    open.push(server);
    const url = `https://localhost:${server.port}`;
    const own = { ca: good.ca, cert: good.cert, key: good.key };
    expect(await tryExchange(url, { tls: own })).toMatchObject({ code: 200 });
    await expect(tryExchange(url, { tls: { ca: good.ca } })).rejects.toThrow();
    await expect(
      tryExchange(url, { tls: { ca: good.ca, cert: "no", key: "pem" } }),
    ).rejects.toThrow("the TLS settings cannot be used");
    const elsewhere = await serve((_request, response) =>
      response.writeHead(302, { location: url }).end(),
    );
    await expect(tryExchange(elsewhere.url, { tls: own })).rejects.toThrow();
  });

  test("plain text where TLS was wanted, and the other way round", async () => {
    if (!good) throw new Error("no certificates were made");
    const { url, server } = await serve(echo);
    await expect(tryExchange(url.replace("http:", "https:"))).rejects.toThrow(
      `127.0.0.1:${server.port} does not speak TLS`,
    );
    const port = await secureServer(good);
    await expect(tryExchange(`http://localhost:${port}`)).rejects.toThrow();
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
    const proxied = { proxy: `http://u:word1@127.0.0.1:${port}` };
    expect(await tryExchange(url, proxied)).toMatchObject({ code: 200 });
    expect(seen).toEqual([url.replace("http://", "")]);
    await expect(tryExchange(url, { proxy: `http://u:wrong@127.0.0.1:${port}` })).rejects.toThrow(
      `the proxy 127.0.0.1:${port} answered 407 when asked for ${url.replace("http://", "")}`,
    );
  });

  test("the address policy holds", async () => {
    const { port, seen } = await startProxy();
    await expect(
      tryExchange("http://169.254.169.254/", { proxy: `http://127.0.0.1:${port}` }),
    ).rejects.toThrow("address policy");
    expect(seen).toEqual([]);
  });

  test("a dead one is named", async () => {
    const port = await freePort();
    await expect(
      tryExchange("http://shop.example/", { proxy: `http://127.0.0.1:${port}` }),
    ).rejects.toThrow(`127.0.0.1:${port}`);
  });

  test("the proxies of the environment are not used", async () => {
    const { url } = await serve(echo);
    process.env.HTTP_PROXY = `http://127.0.0.1:${await freePort()}`;
    try {
      expect(await tryExchange(url)).toMatchObject({ code: 200 });
    } finally {
      delete process.env.HTTP_PROXY;
    }
  });
});
