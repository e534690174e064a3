import { createPrivateKey, randomUUID, sign } from "node:crypto";
import type { RequestListener } from "node:http";
import {
  areInstalled,
  digestOf,
  type Listening,
  listenHttp,
  listenTcp,
  makeCertificates,
  type PushedImage,
  pusherTo,
  type RegistryServer,
  startRegistry,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeAll, open, serve } from "#platform/outbound/testing/serve.ts";
import { tryCheck } from "../testing/try-check.ts";
import { containerd, docker } from "./image.ts";

/**
 * Against Docker's own registry (Debian's), open, with names and passwords, and with tokens that a server of the test
 * gives out; what it never does is shown with a server that answers as the distribution API describes.
 */

afterEach(closeAll);
const isInstalled = areInstalled("docker-registry", "openssl");

describe.skipIf(!isInstalled)("an open registry", () => {
  let registry: RegistryServer;
  let amd: PushedImage;
  let arm: PushedImage;
  let list: { digest: string; size: number };
  beforeAll(async () => {
    registry = (await startRegistry())!;
    const push = pusherTo(registry.place);
    amd = await push.image("shop/web", { tag: "1.0", layers: ["one", "two", "three"] });
    arm = await push.image("shop/web", { layers: ["arm"], architecture: "arm64" });
    list = await push.list("shop/web", "latest", [
      { image: amd, os: "linux", architecture: "amd64" },
      { image: arm, os: "linux", architecture: "arm64", variant: "v8" },
    ]);
  });
  afterAll(() => registry.stop());
  const at = (rest: string) => `${registry.place}/shop/web${rest}`;

  test.each([docker, containerd])("$type: passes with what was found", async (type) => {
    const outcome = await tryCheck(type, { image: at(":1.0"), expectedDigest: amd.digest });
    expect(outcome).toMatchObject({
      pass: true,
      details: { digest: amd.digest, size: amd.size, layers: 3 },
    });
    expect(outcome.message).toMatch(/^3 layers, .* all given out in /);
  });

  test("of several platforms the one that is asked for is looked at, and the list is what is named", async () => {
    expect(await tryCheck(docker, { image: at(""), expectedDigest: list.digest })).toMatchObject({
      pass: true,
      details: { digest: list.digest, platform: "linux/amd64", layers: 3 },
    });
    for (const platform of ["linux/arm64", "linux/arm64/v8"])
      expect(
        await tryCheck(containerd, {
          image: at(`@${list.digest}`),
          platform,
          expectedSize: list.size + arm.size,
        }),
      ).toMatchObject({ pass: true, details: { platform, layers: 1 } });
    expect((await tryCheck(docker, { image: at(""), platform: "linux/s390x" })).error).toBe(
      "there is no image for linux/s390x, only for linux/amd64, linux/arm64/v8",
    );
  });

  test.each<[string, string, object, RegExp]>([
    [
      "another digest",
      ":1.0",
      { expectedDigest: "abcdef123" },
      /^the digest is sha256:[0-9a-f]{64}, wanted abcdef123$/,
    ],
    ["another size", ":1.0", { expectedSize: 200 }, /^the image has \d+ bytes, wanted 200$/],
    [
      "no such tag",
      ":random",
      {},
      /^cannot get the image shop\/web:random: .* answered 404 \(there is none\): MANIFEST_UNKNOWN/,
    ],
    ["no such digest", `@${digestOf("nothing")}`, {}, /404 \(there is none\)/],
  ])("fails: %s", async (_name, rest, more, error) => {
    const outcome = await tryCheck(containerd, { image: at(rest), ...more });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
  });

  test("fails where a layer has gone", async () => {
    const push = pusherTo(registry.place);
    const { digest } = await push.image("shop/broken", { tag: "1", layers: ["kept"] });
    // As a registry answers whose storage has lost one.
    const { url } = await serve((request, response) => {
      if (request.method === "HEAD" && request.url?.endsWith(digestOf("kept")))
        return void response.writeHead(404).end();
      fetch(`http://${registry.place}${request.url}`, {
        method: request.method ?? "GET",
        headers: { accept: String(request.headers.accept) },
      })
        .then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(Buffer.from(await answer.arrayBuffer()));
        })
        // Parts that are asked for beside the one that has gone: the registry may end before it answers.
        .catch(() => response.destroy());
    });
    const image = `${new URL(url).host}/shop/broken@${digest}`;
    const outcome = await tryCheck(docker, { image });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(
      /^cannot get the part sha256:.* of shop\/broken: .* answered 404/,
    );
  });
});

describe.skipIf(!isInstalled)("a registry that wants to know who asks", () => {
  const login = { username: "ann", password: "sesame secret" };
  const hash = "$2b$05$abcdefghijklmnopqrstuu2DrNMb8fKhYfoIOkp87AGvfRzelaVl2";
  let registry: RegistryServer;
  beforeAll(async () => {
    registry = (await startRegistry({ login: { ...login, hash } }))!;
    const basic = `Basic ${btoa(`${login.username}:${login.password}`)}`;
    await pusherTo(registry.place, basic).image("shop/web", { tag: "1.0", layers: ["one"] });
  });
  afterAll(() => registry.stop());

  test.each<[string, object | undefined, RegExp | undefined]>([
    ["the right password", login, undefined],
    [
      "another password",
      { ...login, password: "swordfish" },
      /401 \(it did not accept the credentials\)/,
    ],
    ["nobody", undefined, /401 \(it wants credentials/],
  ])("by name and password: %s", async (_name, auth, error) => {
    const outcome = await tryCheck(docker, {
      image: `${registry.place}/shop/web:1.0`,
      ...(auth && { auth }),
    });
    if (auth && !error) {
      const former = { image: `${registry.place}/shop/web:1.0`, ...auth };
      expect(await tryCheck(docker, former)).toMatchObject({ pass: true });
    }
    if (error) expect(outcome.error).toMatch(error);
    else expect(outcome).toMatchObject({ pass: true });
    expect(JSON.stringify(outcome)).not.toMatch(/swordfish|sesame/);
  });
});

describe.skipIf(!isInstalled)("a registry that sends for tokens", () => {
  const login = { username: "ann", password: "sesame secret" };
  let registry: RegistryServer;
  let giver: Listening;
  let asked: { service: string | null; scope: string | null; authorization?: string }[] = [];
  let given = "";
  beforeAll(async () => {
    const certificates = makeCertificates()!;
    const key = createPrivateKey(certificates.key);
    const leaf = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(certificates.cert)![1]!;
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const tokenFor = (access: object[]) => {
      const now = Math.floor(Date.now() / 1000);
      const text = [
        { typ: "JWT", alg: "ES256", x5c: [leaf.replaceAll(/\s/g, "")] },
        {
          iss: "giver",
          aud: "images",
          sub: "ann",
          iat: now,
          nbf: now - 10,
          exp: now + 300,
          jti: randomUUID(),
          access,
        },
      ]
        .map(encode)
        .join(".");
      const made = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
      return `${text}.${made.toString("base64url")}`;
    };
    giver = await listenHttp((request, response) => {
      const { searchParams } = new URL(request.url ?? "", "http://a");
      const { authorization } = request.headers;
      asked.push({
        service: searchParams.get("service"),
        scope: searchParams.get("scope"),
        ...(authorization && { authorization }),
      });
      if (authorization !== `Basic ${btoa(`${login.username}:${login.password}`)}`)
        return void response.writeHead(401).end('{"errors":[{"code":"UNAUTHORIZED"}]}');
      const [type, name, actions = ""] = (searchParams.get("scope") ?? "").split(":");
      given = tokenFor([{ type, name, actions: actions.split(",") }]);
      response.end(JSON.stringify({ token: given }));
    });
    registry = (await startRegistry({
      tokens: {
        realm: `http://127.0.0.1:${giver.port}/token`,
        service: "images",
        issuer: "giver",
        certificate: certificates.ca,
      },
    }))!;
    const pusher = `Bearer ${tokenFor([{ type: "repository", name: "shop/web", actions: ["pull", "push"] }])}`;
    await pusherTo(registry.place, pusher).image("shop/web", {
      tag: "1.0",
      layers: ["one", "two"],
    });
  });
  afterAll(() => Promise.all([registry.stop(), giver.close()]));

  test("one token is fetched for all of an image, with the password, and shows nowhere", async () => {
    asked = [];
    const outcome = await tryCheck(docker, {
      image: `${registry.place}/shop/web:1.0`,
      auth: login,
    });
    expect(outcome).toMatchObject({ pass: true, details: { layers: 2 } });
    expect(asked).toEqual([
      {
        service: "images",
        scope: "repository:shop/web:pull",
        authorization: `Basic ${btoa(`${login.username}:${login.password}`)}`,
      },
    ]);
    expect(given).not.toBe("");
    expect(JSON.stringify(outcome)).not.toContain(given);
  });

  test.each([
    ["another password", { ...login, password: "swordfish" }],
    ["nobody", undefined],
  ])("none for %s", async (_name, auth) => {
    const outcome = await tryCheck(docker, {
      image: `${registry.place}/shop/web:1.0`,
      ...(auth && { auth }),
    });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(/^cannot get a token: 127\.0\.0\.1:\d+ answered 401/);
    expect(JSON.stringify(outcome)).not.toContain("swordfish");
  });
});

describe("a registry that is hostile or in trouble", () => {
  const config = '{"os":"linux"}';
  const part = (content: string) => ({
    mediaType: "application/vnd.oci.image.layer.v1.tar",
    digest: digestOf(content),
    size: content.length,
  });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    config: part(config),
    layers: [part("one")],
  });
  const ask = async (listener: RequestListener, more: object = {}, timeoutMs = 5000) => {
    const { url } = await serve(listener);
    return tryCheck(docker, { image: `${new URL(url).host}/a/b:1`, ...more }, { timeoutMs });
  };
  const whole: RequestListener = (request, response) => {
    if (request.method === "HEAD") {
      const size = request.url?.endsWith(digestOf(config)) ? config.length : 3;
      return void response.writeHead(200, { "content-length": size }).end();
    }
    return void response.end(manifest);
  };

  test("the stand-in without trouble passes", async () => {
    expect(await ask(whole)).toMatchObject({ pass: true, details: { layers: 1 } });
  });

  test("it is asked again when it gets too many requests, and gives up where that takes too long", async () => {
    let refused = 0;
    const busy: RequestListener = (request, response) => {
      if (refused++ < 2) return void response.writeHead(429, { "retry-after": "0" }).end();
      return whole(request, response);
    };
    expect(await ask(busy)).toMatchObject({ pass: true });
    const outcome = await ask((_request, response) =>
      response
        .writeHead(429, { "retry-after": "3600" })
        .end('{"errors":[{"code":"TOOMANYREQUESTS","message":"slow down"}]}'),
    );
    expect(outcome).toMatchObject({ pass: false });
    expect(outcome.error).toMatch(
      /answered 429 \(it gets too many requests and asks to wait 1h.*\): TOOMANYREQUESTS: slow down$/,
    );
  });

  test.each<[string, RequestListener, RegExp]>([
    ["no manifest", (_request, response) => response.end("<html>"), /is no image/],
    [
      "of the first form",
      (_request, response) =>
        response
          .setHeader("content-type", "application/vnd.docker.distribution.manifest.v1+prettyjws")
          .end('{"schemaVersion":1,"fsLayers":[]}'),
      /is no image \(application\/vnd\.docker\.distribution\.manifest\.v1\+prettyjws\)/,
    ],
    [
      "something else than what it names",
      (_request, response) =>
        response.setHeader("docker-content-digest", digestOf("else")).end(manifest),
      /sent something else than sha256:/,
    ],
    [
      "parts of another size",
      (request, response) =>
        request.method === "HEAD"
          ? response.writeHead(200, { "content-length": 9 }).end()
          : response.end(manifest),
      /has 9 bytes, its manifest says/,
    ],
    [
      "parts without names",
      (_request, response) => response.end('{"config":{},"layers":[]}'),
      /names a part without a digest/,
    ],
    [
      "lists without end",
      (_request, response) => {
        const content = JSON.stringify({
          manifests: [{ ...part("x"), platform: { os: "linux", architecture: "amd64" } }],
        });
        response.end(content);
      },
      /sent something else than|nest too deeply/,
    ],
    [
      "too much",
      (_request, response) => response.end(Buffer.alloc(5 * 1024 * 1024, "x")),
      /its manifest is longer than 4194304 bytes/,
    ],
    [
      "a way to a token that is none",
      (_request, response) =>
        response.writeHead(401, { "www-authenticate": 'Bearer realm="file:///etc/passwd"' }).end(),
      /sends for a token to "file:\/\/\/etc\/passwd", which is no address/,
    ],
    [
      "no token",
      (request, response) => {
        if (request.url?.startsWith("/token")) return void response.end("{}");
        const realm = `http://${request.headers.host}/token`;
        return void response
          .writeHead(401, { "www-authenticate": `Bearer realm="${realm}"` })
          .end();
      },
      /gave no token/,
    ],
  ])("%s", async (_name, listener, error) => {
    const outcome = await ask(listener);
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
  });

  test("silence ends with the time of the check", async () => {
    const silent = await listenTcp(() => undefined);
    open.push(silent);
    const outcome = await tryCheck(
      docker,
      { image: `127.0.0.1:${silent.port}/a/b` },
      { timeoutMs: 300 },
    );
    expect(outcome).toMatchObject({ pass: false, error: "timed out after 300 ms" });
  });

  test("what is no image is told before anybody is asked", () => {
    for (const image of ["", "Shop/Web", "a b", "a@sha256:1", "host:port/a", "https://a/b"])
      expect({ image, ok: docker.spec.safeParse({ name: "x", image }).success }).toEqual({
        image,
        ok: false,
      });
    expect(docker.spec.safeParse({ name: "x", image: "a", platform: "linux" }).success).toBe(false);
  });
});
