import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CanaryCheck, checksOf, parseCanaryDocuments } from "@mainstay/contract";
import { createEvaluator, type Evaluator } from "@mainstay/scripting";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connection, ConnectionMissing } from "#features/connections/index.ts";
import { ValueMissing, type ValueSources } from "#platform/value-sources/value-sources.ts";
import { openTestConnector } from "../check-types/testing/try-check.ts";
import { runCheck } from "./run-check.ts";
import { runnableCheck } from "./runnable-check.ts";

let target: Server;
let url: string;
let evaluator: Evaluator;
/** What the target was asked last. */
let asked: { url: string; headers: Record<string, unknown>; body: string };

beforeAll(async () => {
  target = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      asked = { url: request.url ?? "", headers: request.headers, body };
      response.end(JSON.stringify(asked));
    });
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  evaluator = createEvaluator();
});
afterAll(async () => {
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  await evaluator.close();
});

const stored: Record<string, string> = {
  "secret://login/user": "somebody",
  "secret://login/password": "p@ss $(canary.name) {{ .check.name }}",
  "configmap://places/path": "from/a/map",
};
const values: ValueSources = {
  resolve({ value, valueFrom }, asker) {
    if (value) return this.resolveText(value, asker);
    const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    const reference = secretKeyRef ?? configMapKeyRef;
    const kind = secretKeyRef ? "secret" : "configmap";
    return this.resolveText(`${kind}://${reference?.name}/${reference?.key}`, asker);
  },
  resolveText(text) {
    if (!/^(secret|configmap):/.test(text)) return Promise.resolve(text);
    const value = stored[text];
    return value === undefined
      ? Promise.reject(new ValueMissing(`${text} is not there`))
      : Promise.resolve(value);
  },
};

const connection = (parts: Partial<Connection>): Connection => ({
  name: "c",
  namespace: "test",
  type: "http",
  insecureTls: false,
  properties: {},
  ...parts,
});

function checkOf(spec: object, metadata: object = {}): CanaryCheck {
  const document = {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "prepared", namespace: "test", labels: { team: "blue" }, ...metadata },
    spec,
  };
  const { documents, problems } = parseCanaryDocuments(JSON.stringify(document));
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return checksOf(documents[0]!)[0]!;
}

async function run(spec: object, connections: Record<string, Connection> = {}, metadata = {}) {
  const canary = { id: "", name: "prepared", namespace: "test", labels: { team: "blue" } };
  const check = runnableCheck(
    checkOf(spec, metadata),
    { canary, intervalMs: undefined },
    {
      evaluator,
      values,
      connections: {
        find: (reference) =>
          Object.hasOwn(connections, reference)
            ? Promise.resolve(connections[reference]!)
            : Promise.reject(new ConnectionMissing(`there is no connection ${reference}`)),
      },
    },
  );
  return runCheck({ check, connector: openTestConnector(), stop: new AbortController().signal });
}
const http = (parts: object, more: object = {}) => ({
  ...more,
  http: [{ name: "it", url, ...parts }],
});
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

describe("templates", () => {
  test("see the check, its canary and the variables of both", async () => {
    const found = await run(
      http(
        {
          url: `${url}/{{ .canary.name }}/$(check.name)/{{ .PLACE }}`,
          headers: [{ name: "x-team", value: "{{ .canary.labels.team }} {{ .env.OWN }}" }],
          env: [{ name: "OWN", value: "own" }],
          method: "POST",
          templateBody: true,
          body: '{"v": "{{ .OWN }} $(date)"}',
        },
        { env: { PLACE: { valueFrom: { configMapKeyRef: { name: "places", key: "path" } } } } },
      ),
    );
    expect(found).toMatchObject({ pass: true });
    expect(asked.url).toBe("/prepared/it/from/a/map");
    expect(asked.headers["x-team"]).toBe("blue own");
    expect(asked.body).toBe('{"v": "own $(date)"}');
  });

  test("fill a body whose every $( ) is a variable, and know the metadata of the document", async () => {
    await run(
      http(
        {
          method: "POST",
          templateBody: true,
          body: '{"user": "$(USER)", "at": "$( .PLACE )", "of": "{{ .metadata.name }}"}',
          env: [{ name: "PLACE", value: "home" }],
        },
        { env: { USER: { secretKeyRef: { name: "login", key: "user" } } } },
      ),
    );
    expect(asked.body).toBe('{"user": "somebody", "at": "home", "of": "prepared"}');
  });

  test("what comes from outside is no template, and does not show", async () => {
    const found = await run(
      http(
        { headers: [{ name: "x-it", value: "{{ .SECRET }}" }], display: { expr: "content" } },
        { env: { SECRET: { valueFrom: { secretKeyRef: { name: "login", key: "password" } } } } },
      ),
    );
    expect(asked.headers["x-it"]).toBe(stored["secret://login/password"]);
    expect(found.pass).toBe(true);
    expect(JSON.stringify([found.message, found.details])).not.toContain("p@ss");
    expect(found.message).toContain("[hidden]");
  });

  test("a field of the canary, and a script of the shell, whose $( ) is its own", async () => {
    const found = await run({
      env: { SPACE: { valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } } },
      exec: [{ name: "it", script: "echo {{ .SPACE }} $(echo shell)" }],
    });
    expect(found).toMatchObject({ pass: true, message: "test shell" });
  });

  test("are texts where the document says so", async () => {
    await run(
      http({ headers: [{ name: "x-it", value: "{{ .a }}" }] }),
      {},
      {
        annotations: { template: "false" },
      },
    );
    expect(asked.headers["x-it"]).toBe("{{ .a }}");
  });

  test.each([
    ["a mistake", { url: "http://{{ nothing }}/" }, /^url: gotemplate:1:11: /],
    [
      "a name that is none",
      { headers: [{ name: "a", value: "$(date)" }] },
      /^headers\.0\.value: gotemplate/,
    ],
    [
      "an address that is none",
      { url: "{{ .check.name }}" },
      /filled in the check is wrong: url: /,
    ],
  ])("%s is a failure that says where", async (_, parts, error) => {
    const found = await run(http(parts));
    expect(found).toMatchObject({ pass: false, invalid: true });
    expect(found.error).toMatch(error);
  });

  test("cannot lead a check into the machine", async () => {
    const found = await run(
      {
        env: { PLACE: { value: "sftp-host" } },
        postgres: [{ name: "it", url: "connection://socket" }],
      },
      {
        "connection://socket": connection({
          type: "postgres",
          url: "postgres:///x?host=/var/run/postgresql",
        }),
      },
    );
    expect(found).toMatchObject({ pass: false, invalid: true });
    expect(found.error).toMatch(/reaches into the server's own machine/);
  });
});

describe("values that stand elsewhere", () => {
  test("are in the place of what names them", async () => {
    const found = await run(
      http({
        username: { valueFrom: { secretKeyRef: { name: "login", key: "user" } } },
        password: "secret://login/password",
        headers: [
          { name: "x-path", valueFrom: { configMapKeyRef: { name: "places", key: "path" } } },
          { name: "x-text", value: "configmap://places/path" },
        ],
      }),
    );
    expect(found).toMatchObject({ pass: true });
    expect(asked.headers.authorization).toBe(basic("somebody", stored["secret://login/password"]!));
    expect([asked.headers["x-path"], asked.headers["x-text"]]).toEqual([
      "from/a/map",
      "from/a/map",
    ]);
    expect(JSON.stringify(found.details)).not.toContain(asked.headers.authorization);
  });

  test("one that is not there is a failure that names the place and the reference", async () => {
    const found = await run(
      http({ password: { valueFrom: { secretKeyRef: { name: "login", key: "none" } } } }),
    );
    expect(found).toMatchObject({
      pass: false,
      error: "password: secret://login/none is not there",
    });
  });
});

describe("connections", () => {
  const login = connection({
    url: "http://elsewhere.invalid/",
    username: "c-user",
    password: "c-password",
  });

  test("their credentials win, another path that is written wins over theirs", async () => {
    const found = await run(
      http({
        connection: "connection://login",
        authentication: { username: "own", password: "own-password" },
        url: `${url}/$(username)?p={{ .password }}`,
      }),
      { "connection://login": { ...login, url: `${url}/theirs`, password: "c/pass word" } },
    );
    expect(found).toMatchObject({ pass: true });
    expect(asked.url).toBe("/c-user?p=c%2Fpass%20word");
    expect(asked.headers.authorization).toBe(basic("c-user", "c/pass word"));
    expect(JSON.stringify([found.message, found.details])).not.toContain("c/pass");
  });

  test.each([
    ["url", {}],
    ["url", { url: "{{ .check.name }}.invalid:80" }],
    ["proxy", { url: undefined, proxy: "PLACE" }],
    ["oauth2.tokenURL", { url: undefined, oauth2: { tokenURL: "PLACE/token" } }],
  ])("their credentials go to no other address, whatever %s says", async (key, parts) => {
    asked = { url: "", headers: {}, body: "" };
    const written = JSON.parse(JSON.stringify(parts).replaceAll("PLACE", url)) as object;
    const isUnset = "url" in parts && parts.url === undefined;
    const found = await run(
      http({ connection: "connection://login", ...written, ...(isUnset && { url: undefined }) }),
      { "connection://login": login },
    );
    expect(found).toMatchObject({ pass: false, invalid: true });
    expect(found.error).toMatch(
      `${key}: the credentials of the connection "c" are sent to no other`,
    );
    expect(asked.url).toBe("");
  });

  test("one without an address lends its credentials to the address that is written", async () => {
    const found = await run(http({ connection: "connection://login" }), {
      "connection://login": { ...login, url: undefined },
    });
    expect(found).toMatchObject({ pass: true });
    expect(asked.headers.authorization).toBe(basic("c-user", "c-password"));
  });

  test("give the address where there is none", async () => {
    const found = await run(http({ url: undefined, connection: "connection://test/login" }), {
      "connection://test/login": { ...login, url: `${url}/theirs` },
    });
    expect(found).toMatchObject({ pass: true });
    expect(asked.url).toBe("/theirs");
  });

  test("one that is not there is a failure that says so", async () => {
    const found = await run(http({ connection: "connection://none" }));
    expect(found).toMatchObject({
      pass: false,
      invalid: true,
      error: "connection: there is no connection connection://none",
    });
  });
});
