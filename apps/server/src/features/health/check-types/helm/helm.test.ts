import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  areInstalled,
  type Certificates,
  freePort,
  type Listening,
  listenHttp,
  listenHttps,
  makeCertificates,
  removeFolder,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createConnector } from "#platform/outbound/connector.ts";
import { tryCheck } from "../testing/try-check.ts";
import { helm } from "./helm.ts";

/** A stand-in for ChartMuseum, written from its public description: charts by project, an index, credentials. */

const login = `Basic ${Buffer.from("ann:sesame secret").toString("base64")}`;
const charts = new Map<string, Buffer>();
const asked: string[] = [];
let behave: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  asked.push(`${request.method} ${request.url}`);
  if (behave?.(request, response)) return;
  const send = (code: number, body: object | string | Buffer) => {
    response.writeHead(code);
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  };
  if (request.headers.authorization !== login) return send(401, { error: "unauthorized" });
  const [, project = "", rest = ""] = /^(?:\/api)?\/(\w+)\/(.*)$/.exec(request.url ?? "") ?? [];
  const isApi = request.url?.startsWith("/api/");
  if (isApi && request.method === "POST" && rest === "charts") {
    const body = Buffer.concat(chunks);
    const version = /^version: (.+)$/m.exec(gunzipSync(body).toString("latin1"))?.[1];
    charts.set(`${project}/${version}`, body);
    return send(201, { saved: true });
  }
  const [, version = ""] = /^charts\/mainstay-check[-/](.+?)(?:\.tgz)?$/.exec(rest) ?? [];
  if (isApi && request.method === "DELETE")
    return charts.delete(`${project}/${version}`)
      ? send(200, { deleted: true })
      : send(404, { error: "not found" });
  if (rest === "index.yaml") {
    const lines = [...charts.keys()]
      .filter((key) => key.startsWith(`${project}/`))
      .flatMap((key) => {
        const of = key.slice(project.length + 1);
        return [
          `  - name: mainstay-check`,
          `    version: ${of}`,
          `    urls: [charts/mainstay-check-${of}.tgz]`,
        ];
      });
    return send(200, ["apiVersion: v1", "entries:", "  mainstay-check:", ...lines, ""].join("\n"));
  }
  const chart = charts.get(`${project}/${version}`);
  return chart ? send(200, chart) : send(404, { error: "not found" });
}

let server: Listening;
beforeAll(async () => {
  server = await listenHttp((request, response) => void handle(request, response));
});
afterEach(() => {
  // Nothing that the check put there stays.
  expect([...charts.keys()]).toEqual([]);
  behave = undefined;
  asked.length = 0;
});
afterAll(() => server?.close());

const auth = { username: "ann", password: { value: "sesame secret" } };
const attempt = (spec: object = {}, options: Parameters<typeof tryCheck>[2] = {}) =>
  tryCheck(
    helm,
    { chartmuseum: `http://127.0.0.1:${server.port}`, project: "library", auth, ...spec },
    options,
  );

test("a chart goes there, comes back and is deleted", async () => {
  expect(await attempt()).toMatchObject({
    pass: true,
    message: expect.stringMatching(
      /^a chart was put there, came back and was deleted in/,
    ) as string,
  });
  expect(asked).toMatchObject([
    "POST /api/library/charts",
    "GET /library/index.yaml",
    expect.stringMatching(
      /^GET \/library\/charts\/mainstay-check-0\.0\.0-[0-9a-f]+\.tgz$/,
    ) as string,
    expect.stringMatching(/^DELETE \/api\/library\/charts\/mainstay-check\/0\.0\.0-/) as string,
  ]);
  const url = { chartmuseum: undefined, url: `http://127.0.0.1:${server.port}` };
  expect(await attempt({ ...url, auth: undefined, ...auth })).toMatchObject({ pass: true });
});

const answer =
  (code: number, body: string, only = /./) =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!only.test(`${request.method} ${request.url}`)) return false;
    response.writeHead(code);
    response.end(body);
    return true;
  };

test.each<[string, typeof behave, RegExp]>([
  [
    "no place for it",
    answer(507, '{"error":"disk full"}', /^POST/),
    /cannot put the chart there: it answered 507: disk full/,
  ],
  ["no index", answer(500, "<html>", /index/), /cannot get the index: it answered 500$/],
  ["an index without it", answer(200, "entries: {}", /index/), /does not name the chart/],
  ["an index of another form", answer(200, "a: [", /index/), /the index is no YAML/],
  ["an index of aliases", answer(200, "a: &a [x]\nentries: *a", /index/), /the index is no YAML/],
  ["another chart", answer(200, "something else", /^GET.*tgz/), /is not the one/],
  ["no deleting", answer(405, "", /^DELETE/), /cannot delete the chart: it answered 405/],
])("fails: %s", async (_name, how, error) => {
  behave = how;
  const outcome = await attempt();
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
  if (/no deleting/.test(_name)) charts.clear();
});

test("wrong credentials, silence, nobody, nobody allowed, no address", async () => {
  const wrong = await attempt({ auth: { username: "ann", password: "wrong sesame" } });
  expect(wrong.error).toMatch(/it answered 401 \(are the credentials right\?\): unauthorized/);
  expect(JSON.stringify(wrong)).not.toContain("sesame");
  behave = () => true;
  expect(await attempt({}, { timeoutMs: 300 })).toMatchObject({ error: "timed out after 300 ms" });
  behave = undefined;
  const chartmuseum = `http://127.0.0.1:${await freePort()}`;
  expect((await attempt({ chartmuseum })).error).toMatch(/^connection refused/);
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  expect((await attempt({}, { connector })).error).toMatch(/not allowed/);
  expect(await attempt({ chartmuseum: "chartmuseum:8080" })).toMatchObject({ invalid: true });
  expect(helm.spec.safeParse({ name: "a" }).success).toBe(false);
  const parsed = helm.spec.parse({ name: "a", chartmuseum: "http://ann:pw@charts/" });
  expect(helm.endpoint(parsed)).toBe("http://charts/");
});

describe.skipIf(!areInstalled("openssl"))("over TLS", () => {
  let certificates: Certificates | undefined;
  let secure: Listening;
  let folder: string;
  beforeAll(async () => {
    certificates = makeCertificates();
    const { cert, key } = certificates!;
    secure = await listenHttps(
      { cert, key },
      (request, response) => void handle(request, response),
    );
    folder = temporaryFolder("helm");
    writeFileSync(join(folder, "ca.pem"), certificates!.ca);
  });
  afterAll(async () => {
    await secure?.close();
    certificates?.remove();
    if (folder) removeFolder(folder);
  });

  test("an authority of its own", async () => {
    const chartmuseum = `https://localhost:${secure.port}`;
    expect(await attempt({ chartmuseum, cafile: join(folder, "ca.pem") })).toMatchObject({
      pass: true,
    });
    expect((await attempt({ chartmuseum })).error).toMatch(/unknown authority/);
    expect((await attempt({ chartmuseum, cafile: join(folder, "none") })).error).toMatch(
      /cafile cannot be read/,
    );
  });
});
