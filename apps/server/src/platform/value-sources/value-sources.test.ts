import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  everything,
  kubeconfigOf,
  type KubernetesServer,
  removeFolder,
  startKubernetes,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import type { EnvVar } from "@mainstay/contract";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readKubeconfig } from "../kubernetes/kubeconfig.ts";
import { createValueSources } from "./create-value-sources.ts";
import { variableOf } from "./from-environment.ts";
import { ValueMissing } from "./value-sources.ts";

/** The cluster is the stand-in of an API server that the testkit has. */

const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");
const secret = (name: string, data: Record<string, string>, labels = {}) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "web", labels },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
});
const release = (version: number, config: object) =>
  secret(
    `sh.helm.release.v1.shop.v${version}`,
    {
      release: base64(
        gzipSync(
          JSON.stringify({
            name: "shop",
            version,
            chart: { values: { db: { host: "from the chart", port: 5432 }, dropped: 1 } },
            config,
          }),
        ),
      ),
    },
    { owner: "helm", name: "shop", status: "deployed", version: String(version) },
  );

let server: KubernetesServer;
let folder: string;
let now = Date.parse("2026-11-22T12:00:00Z");
const clock = { now: () => new Date(now) };
const web = { namespace: "web" };

beforeAll(async () => {
  server = await startKubernetes({
    accounts: {
      admin: { user: "admin", rules: [everything] },
      nobody: { user: "system:serviceaccount:web:nobody", rules: [] },
    },
  });
  server.add(secret("db", { password: "sesame", "tls.key": "KEY\n" }));
  server.add(release(9, { db: { host: "old" } }));
  server.add(release(10, { db: { host: "given" }, dropped: null, list: [1, 2] }));
  server.add({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "web" },
    data: { url: "http://shop" },
    binaryData: { blob: base64("bytes") },
  });
  server.add({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot", namespace: "web" },
  });
  folder = temporaryFolder("values");
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("values/secrets/web/db/password", "from a file\n");
  write("values/secrets/web/only-here/key", "two\nlines\n");
  write("values/secrets/other/db/password", "of another namespace");
  write("values/secrets/web/mounted/..data/key", "mounted");
  symlinkSync("..data/key", join(folder, "values/secrets/web/mounted/key"));
  symlinkSync("../../other/db/password", join(folder, "values/secrets/web/db/other"));
  symlinkSync("/etc/passwd", join(folder, "values/secrets/web/db/passwd"));
  symlinkSync("other", join(folder, "values/secrets/linked"));
  write("values/secrets/web/large/key", "x".repeat(1_048_577));
  mkdirSync(join(folder, "values/secrets/web/db/folder"));
  write("values/configmaps/web/settings/url", "http://file");
  write("values/helm/web/shop/values.yaml", "db:\n  host: of a file\n");
  write("values/key", "above");
});
afterEach(() => (server.intercept = undefined));
afterAll(async () => {
  await server?.close();
  if (folder) removeFolder(folder);
});

const inCluster = (token = "admin", more: { valuesDir?: string; env?: NodeJS.ProcessEnv } = {}) =>
  createValueSources({
    findCluster: () => readKubeconfig([kubeconfigOf(server, { token })], { isOwn: true }),
    clock,
    env: {},
    lookupTimeoutMs: 400,
    ...more,
  });
const outside = (env: NodeJS.ProcessEnv = {}) =>
  createValueSources({
    findCluster: async () => undefined,
    clock,
    env,
    valuesDir: join(folder, "values"),
  });

test.each([
  ["secret://db/password", "sesame"],
  ["secret://db/tls.key", "KEY\n"],
  ["configmap://settings/url", "http://shop"],
  ["configmap://settings/blob", "bytes"],
  ["serviceaccount://robot", "token-of-web-robot"],
  ["helm://shop/db.host", "given"],
  ["helm://shop/$.db.port", "5432"],
  ["helm://shop/{.list}", "[1,2]"],
  ["sesame", "sesame"],
  ["http://secret/db", "http://secret/db"],
  ["", ""],
])("of a cluster, %s", async (text, value) => {
  expect(await inCluster().resolveText(text, web)).toBe(value);
});

test("of a cluster, as objects of documents", async () => {
  const { resolve } = inCluster();
  const of = (valueFrom: NonNullable<EnvVar["valueFrom"]>) => resolve({ valueFrom }, web);
  expect(await of({ secretKeyRef: { name: "db", key: "password" } })).toBe("sesame");
  expect(await of({ configMapKeyRef: { name: "settings", key: "url" } })).toBe("http://shop");
  expect(await of({ helmRef: { name: "shop", key: "db.host" } })).toBe("given");
  expect(await of({ serviceAccount: "robot" })).toBe("token-of-web-robot");
  expect(await resolve({ value: "plain", valueFrom: { serviceAccount: "robot" } }, web)).toBe(
    "plain",
  );
  expect(await resolve({ value: "secret://db/password" }, web)).toBe("sesame");
  expect(await resolve({}, web)).toBe("");
  await expect(of({ secretKeyRef: { key: "password" } })).rejects.toThrow("but not which");
});

test.each<[string, string, RegExp]>([
  [
    "secret://none/key",
    "web",
    /"key" of the secret "none" of the namespace "web" is not there: looked in the cluster 127/,
  ],
  ["secret://db/none", "web", /is not there/],
  ["secret://db/password", "other", /of the namespace "other" is not there/],
  ["serviceaccount://nobody", "web", /a token of the service account "nobody" .* is not there/],
  ["helm://none/a", "web", /Helm release "none" .* is not there/],
  ["helm://shop/dropped", "web", /is not there/],
  ["secret://db", "web", /in another way than secret:\/\/name\/key/],
  ["serviceaccount://", "web", /in another way than serviceaccount/],
  ["secret://../db/password", "web", /is no name of a secret/],
  ["secret://Db/password", "web", /is no name of a secret/],
  ["secret://db/..", "web", /is no key of a secret/],
  ["secret://db/a/b", "web", /is no key of a secret/],
  ["secret://db/password", "../web", /is no namespace/],
])("missing: %s for %s", async (text, namespace, message) => {
  const looking = inCluster().resolveText(text, { namespace });
  await expect(looking).rejects.toThrow(message);
  await expect(looking).rejects.toBeInstanceOf(ValueMissing);
});

test("what is found is kept for five minutes, what is not for ten seconds", async () => {
  const { resolveText } = inCluster();
  const before = server.asked.length;
  const both = [resolveText("secret://db/password", web), resolveText("secret://db/password", web)];
  expect(await Promise.all(both)).toEqual(["sesame", "sesame"]);
  now += 299_000;
  await resolveText("secret://db/password", web);
  expect(server.asked.length).toBe(before + 1);
  now += 2000;
  await resolveText("secret://db/password", web);
  expect(server.asked.length).toBe(before + 2);
  await expect(resolveText("secret://later/key", web)).rejects.toThrow("is not there");
  server.add(secret("later", { key: "now" }));
  await expect(resolveText("secret://later/key", web)).rejects.toThrow("is not there");
  now += 11_000;
  expect(await resolveText("secret://later/key", web)).toBe("now");
});

test("a cluster that says nothing, refuses or is odd", async () => {
  await expect(inCluster("nobody").resolveText("secret://db/password", web)).rejects.toThrow(
    /"password" of the secret "db" .* cannot be read: cannot get Secret "db" .* answered 403/,
  );
  await expect(inCluster("stranger").resolveText("secret://db/password", web)).rejects.toThrow(
    /401/,
  );
  server.intercept = () => true;
  await expect(inCluster().resolveText("secret://db/password", web)).rejects.toThrow(
    "the cluster did not answer within 400 ms",
  );
  const impatient = AbortSignal.timeout(50);
  await expect(
    inCluster().resolveText("secret://db/password", { ...web, signal: impatient }),
  ).rejects.toMatchObject({ name: "TimeoutError" });
  server.intercept = (_asked, response) => {
    response.end("{}");
    return true;
  };
  await expect(inCluster().resolveText("secret://db/password", web)).rejects.toThrow(
    "does not answer as a Kubernetes cluster",
  );
});

test("what the account may not read, or the cluster has not, may lie in files and the environment", async () => {
  const valuesDir = join(folder, "values");
  const { resolveText } = inCluster("nobody", { valuesDir });
  expect(await resolveText("secret://db/password", web)).toBe("from a file");
  const env = { MAINSTAY_SECRET__WEB__ONLY_THERE__KEY: "from the environment" };
  expect(await inCluster("admin", { env }).resolveText("secret://only-there/key", web)).toBe(
    "from the environment",
  );
});

test.each([
  ["secret://db/password", "from a file"],
  ["secret://only-here/key", "two\nlines"],
  ["secret://mounted/key", "mounted"],
  ["configmap://settings/url", "http://file"],
  ["helm://shop/db.host", "of a file"],
])("of files, %s", async (text, value) => {
  expect(await outside().resolveText(text, web)).toBe(value);
});

test.each<[string, string, RegExp]>([
  [
    "secret://none/key",
    "web",
    /is not there: looked in .*values and in the variable MAINSTAY_SECRET__WEB__NONE__KEY/,
  ],
  ["secret://db/other", "web", /its file lies outside of its namespace/],
  ["secret://db/passwd", "web", /its file lies outside of its namespace/],
  ["secret://db/password", "linked", /its file lies outside of its namespace/],
  ["secret://large/key", "web", /longer than 1 MiB/],
  ["secret://db/folder", "web", /its file is none|EISDIR/],
  ["serviceaccount://robot", "web", /is not there/],
])("not of files: %s for %s", async (text, namespace, message) => {
  const looking = outside().resolveText(text, { namespace });
  await expect(looking).rejects.toThrow(message);
  await expect(looking).rejects.not.toThrow(/of another namespace|root:/);
});

test("of the environment, under names of their own only", async () => {
  const env = {
    DATABASE_URL: "postgres://secret",
    MAINSTAY_ENCRYPTION_KEY: "secret",
    MAINSTAY_SECRET__WEB__MAIL_RELAY__SMTP_PASSWORD: "sesame",
    MAINSTAY_CONFIGMAP__WEB__MAIL_RELAY__HOST: "mail",
    MAINSTAY_SECRET__A__B__C__D: "of one",
  };
  const { resolveText } = outside(env);
  expect(await resolveText("secret://mail-relay/smtp.password", web)).toBe("sesame");
  expect(await resolveText("configmap://mail-relay/HOST", web)).toBe("mail");
  // Several readings of one variable: none of them counts.
  for (const [namespace, text] of [
    ["a", "secret://b/c__d"],
    ["a--b", "secret://c/d"],
    ["a", "secret://b--c/d"],
  ] as const)
    await expect(resolveText(text, { namespace })).rejects.toThrow("is not there");
  expect(variableOf({ kind: "secret", name: "database", key: "url" }, "x")).toBe(
    "MAINSTAY_SECRET__X__DATABASE__URL",
  );
  const bare = createValueSources({ findCluster: async () => undefined, clock, env: {} });
  await expect(bare.resolveText("serviceaccount://robot", web)).rejects.toThrow(
    "this server has no cluster (KUBECONFIG)",
  );
});
