import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findOwnCluster } from "./own-cluster.ts";
import { readKubeconfig } from "./kubeconfig.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const config = (cluster: object = {}, user: object = {}, context: object = {}): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "other", cluster: { server: "https://other:1" } },
      { name: "here", cluster: { server: "https://cluster.example:6443/below", ...cluster } },
    ],
    users: [{ name: "me", user }],
    contexts: [
      { name: "not-this", context: { cluster: "other", user: "me" } },
      { name: "this", context: { cluster: "here", user: "me", ...context } },
    ],
    "current-context": "this",
  });

let folder: string;
beforeAll(() => {
  folder = temporaryFolder("kubeconfig");
  writeFileSync(join(folder, "ca.pem"), "CA of a file");
  writeFileSync(join(folder, "token"), "token of a file\n");
});
afterAll(() => removeFolder(folder));

test("the cluster and the user of the current context", async () => {
  const cluster = await readKubeconfig(
    [
      config(
        {
          "certificate-authority-data": base64("CA"),
          "tls-server-name": "kubernetes",
          "proxy-url": "http://proxy:3128",
        },
        { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY") },
        { namespace: "shop" },
      ),
    ],
    { isOwn: false },
  );
  expect(cluster).toEqual({
    url: new URL("https://cluster.example:6443/below"),
    tls: { ca: "CA", cert: "CERT", key: "KEY", serverName: "kubernetes" },
    namespace: "shop",
    proxy: "http://proxy:3128",
    isOwn: false,
  });
});

test.each<[string, object, object]>([
  ["a token", { token: "sesame" }, { auth: { kind: "bearer", token: "sesame" } }],
  [
    "a password",
    { username: "me", password: "sesame" },
    { auth: { kind: "basic", username: "me", password: "sesame" } },
  ],
  ["nothing", {}, { namespace: "default" }],
])("a user with %s", async (_name, user, cluster) => {
  expect(await readKubeconfig([config({}, user)], { isOwn: false })).toMatchObject(cluster);
});

const exec = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "secret-helper" } };

test.each<[string, string, RegExp]>([
  ["a program", config({}, exec), /user "me" of the kubeconfig runs a program .*\(exec\).*token/],
  ["a provider", config({}, { "auth-provider": { name: "gcp" } }), /auth-provider/],
  ["somebody else", config({}, { as: "admin" }), /acts as somebody else/],
  ["a file for the authority", config({ "certificate-authority": "/etc/passwd" }), /names a file/],
  ["a file for the key", config({}, { "client-key": "/etc/passwd" }), /names a file/],
  ["a file for the token", config({}, { tokenFile: "/etc/passwd" }), /names a file/],
  ["no address", config({ server: "cluster.example" }), /no address such as https/],
  ["another protocol", config({ server: "file:///etc/passwd" }), /no address such as https/],
  ["a proxy of another kind", config({ "proxy-url": "socks5://proxy:1" }), /HTTP proxy/],
  ["a context that is not there", config().replace('"this"}', '"that"}'), /no context "that"/],
  ["no text of YAML", "{ sesame: [", /cannot be read/],
  ["another shape", "clusters: sesame", /cannot be read/],
  ["a word", "sesame", /cannot be read/],
  ["nothing", "", /cannot be read/],
  [
    "aliases without end",
    `a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nclusters: [*c,*c,*c,*c]`,
    /cannot be read/,
  ],
  ["too long a text", " ".repeat(1_048_577), /longer than 1 MiB/],
])("refused: %s", async (_name, text, message) => {
  const reading = readKubeconfig([text], { isOwn: false });
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.not.toThrow(/sesame|secret-helper/);
});

test("several files are one, and may name others beside them", async () => {
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  writeFileSync(one, JSON.stringify({ "current-context": "this", users: [], contexts: null }));
  writeFileSync(two, config({ "certificate-authority": "ca.pem" }, { tokenFile: "token" }));
  expect(await findOwnCluster({ kubeconfig: `${one}:${two}` })()).toMatchObject({
    tls: { ca: "CA of a file" },
    tokenFile: join(folder, "token"),
    isOwn: true,
  });
  await expect(findOwnCluster({ kubeconfig: join(folder, "none of these") })()).rejects.toThrow(
    /cannot be read \(ENOENT\)/,
  );
});

test("a pod's own cluster, or none", async () => {
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
  writeFileSync(join(folder, "ca.crt"), "CA of the pod");
  writeFileSync(join(folder, "namespace"), "shop\n");
  expect(await findOwnCluster({}, { env, accountFolder: folder })()).toEqual({
    url: new URL("https://[fd00::1]:6443"),
    tls: { ca: "CA of the pod" },
    tokenFile: join(folder, "token"),
    namespace: "shop",
    isOwn: true,
  });
  expect(await findOwnCluster({}, { env: {} })()).toBeUndefined();
  expect(await findOwnCluster({}, { env, accountFolder: "/nowhere" })()).toBeUndefined();
  expect(
    await findOwnCluster({ kubeconfig: "none" }, { env, accountFolder: folder })(),
  ).toBeUndefined();
});
