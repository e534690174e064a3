import { describe, expect, test } from "vitest";
import { unsupportedCheckTypes } from "./canary-spec.ts";
import { codeInCanarySpec, codeInCheck } from "./code-in-spec.ts";

describe("sockets", () => {
  const reaches: [type: string, key: string, address: string][] = [
    ["postgres", "url", "postgres://postgres@/db?host=/run/postgresql"],
    ["postgres", "url", "postgres://postgres@/db?host=%2Frun%2Fpostgresql"],
    ["postgres", "url", "postgres://postgres@/db?%68ost=/run"],
    ["postgres", "url", "postgres://a@b/db?ho\tst=/run"],
    ["postgres", "url", "postgres://a@b/db?host=c&host=/run"],
    ["postgres", "url", "postgres://%2Frun%2Fpostgresql/db"],
    ["postgres", "url", "postgres://a@b/db?host=$(username)"],
    ["postgres", "url", "postgres://a@b/db?$(username)=/run"],
    ["postgres", "url", "postgres://{{.host}}/db"],
    ["postgres", "url", "{{.dsn}}"],
    ["postgres", "connection", "host=/run/postgresql user=postgres"],
    ["postgres", "url", "user=postgres host = '/run/postgresql'"],
    ["postgres", "url", "user=postgres host = /run"],
    ["postgres", "url", "user=$(username) application_name=' host=/run/pg x='"],
    ["postgres", "url", "hostaddr=/run"],
    ["postgres", "url", "user=a\nhost=/run"],
    ["postgres", "url", "/run/postgresql"],
    ["mysql", "url", "root@unix(/run/mysqld/mysqld.sock)/db"],
    ["mysql", "url", "root@tcp(/run/mysqld/mysqld.sock)/db"],
    ["mysql", "url", "mysql://root@localhost/db?socketPath=/run/mysqld.sock"],
    ["mysql", "url", "mysql://root@localhost/db?unix_socket=/run/mysqld.sock"],
    ["redis", "url", "unix:///run/redis.sock"],
    ["redis", "addr", "/run/redis.sock"],
    ["redis", "url", "redis+unix:///run/redis.sock"],
    ["http", "url", "unix:///var/run/docker.sock"],
    ["http", "connection", "http+unix://%2Fvar%2Frun%2Fdocker.sock/info"],
    ["http", "proxy", "unix:/run/proxy.sock"],
    ["http", "url", "file:///etc/passwd"],
    ["ldap", "url", "ldapi://%2Frun%2Fldapi"],
    ["mongodb", "url", "mongodb://%2Ftmp%2Fmongodb-27017.sock"],
  ];
  test.each(reaches)("%s %s: %s", (type, key, address) => {
    expect(codeInCheck(type, { name: "x", [key]: address })).toBe("socket");
  });

  const harmless: [type: string, key: string, address: string][] = [
    ["postgres", "url", "postgres://user:pass@db.example.org:5432/name?sslmode=require"],
    ["postgres", "url", "postgres://user:p%2Fss@[::1]:5432/name"],
    ["postgres", "url", "postgres://$(username):$(password)@db/name"],
    ["postgres", "url", "postgres://user@/name"],
    ["postgres", "url", "postgres://a@one:5432,two:5433/name"],
    ["postgres", "url", "host=db.example.org port=5432 user=$(username) password=$(password)"],
    ["postgres", "url", "host='db' user='a b'"],
    ["postgres", "connection", "connection://default/db"],
    ["postgres", "connection", "018c7d3e-0000-7000-8000-000000000000"],
    ["mysql", "url", "user:p/w@tcp(db:3306)/name?tls=true"],
    ["mysql", "url", "mysql://user:$(password)@db/name"],
    ["redis", "url", "redis://:secret@cache:6379/2"],
    ["redis", "url", "cache:6379"],
    ["redis", "addr", "cache"],
    ["http", "url", "https://example.org/?host=/run/x&socket=/y"],
    ["http", "url", "https://{{.host}}/"],
    ["http", "url", "http://127.0.0.1:1/"],
    ["mongodb", "url", "mongodb://user:pw@one:27017,two:27017/db"],
  ];
  test.each(harmless)("%s %s: %s is none", (type, key, address) => {
    expect(codeInCheck(type, { name: "x", [key]: address })).toBeUndefined();
  });
});

test.each<[string, Record<string, unknown>, string | undefined]>([
  ["/etc", {}, "folder"],
  ["./below", {}, "folder"],
  ["/data", { awsConnection: { accessKey: "x" } }, "folder"],
  ["/data", { sftpConnection: {} }, "folder"],
  ["/data", { sftpConnection: { host: "files.example.org" } }, undefined],
  ["/data", { smbConnection: {} }, "folder"],
  ["/data", { smbConnection: { connection: "connection://files" } }, undefined],
  ["s3://bucket/x", {}, undefined],
  ["smb://server\\share", {}, undefined],
  ["\\\\server\\share", {}, undefined],
  ["file:///etc", {}, "folder"],
])("the folder %s %j: %s", (path, more, kind) => {
  expect(codeInCheck("folder", { path, ...more })).toBe(kind);
});

test("types that are kept and not run yet count", () => {
  const judged = Object.fromEntries(
    unsupportedCheckTypes.map((type) => [type, codeInCheck(type, { name: "x" })]),
  );
  expect(judged).toMatchObject({ dockerPush: "socket", containerdPush: "socket" });
  for (const type of ["docker", "containerd", "s3Bucket"])
    expect(codeInCheck(type, { name: "x", image: "a/b", bucket: "c" })).toBeUndefined();
  for (const type of ["jmeter", "junit", "restic", "pod", "namespace", "kubernetesResource"])
    expect(codeInCheck(type, { name: "x" })).toBe("program");
  expect(codeInCheck("helm", {})).toBeUndefined();
  expect(codeInCheck("helm", { cafile: "/etc/ca.pem" })).toBe("file");
  const kubeconfig = (value: unknown) => codeInCheck("kubernetes", { kubeconfig: value });
  for (const path of ["/root/.kube/config", { value: "~/.kube/config" }, "./here", "{{.path}}"])
    expect(kubeconfig(path)).toBe("file");
  const through = (value: unknown) =>
    codeInCheck("http", { url: "http://shop.web/", kubernetes: { kubeconfig: value } });
  expect(through({ value: "~/.kube/config" })).toBe("file");
  expect(through({ value: "apiVersion: v1\nkind: Config" })).toBeUndefined();
  expect(codeInCheck("http", { url: "http://shop.web/", kubernetes: {} })).toBeUndefined();
  expect(kubeconfig({ value: "apiVersion: v1\nkind: Config" })).toBeUndefined();
  expect(kubeconfig({ valueFrom: { secretKeyRef: { key: "config" } } })).toBeUndefined();
});

test("a type that nobody has judged may reach anything", () => {
  expect(codeInCheck("shell", {})).toBe("unknown");
  expect(codeInCheck("constructor", {})).toBe("unknown");
});

test("every part of a spec is named, and nothing else", () => {
  expect(
    codeInCanarySpec({
      schedule: "@every 1m",
      labels: { a: "b" },
      env: { X: { value: "y" } },
      agentSelector: ["a"],
      http: [{ name: "web", url: "https://example.org" }],
      exec: [{ name: "one", script: "true" }, { script: "false" }],
      folder: [
        { name: "far", path: "s3://x" },
        { name: "near", path: "/tmp" },
      ],
      webhook: { name: "hook" },
      spell: [{ name: "magic", script: "abracadabra" }],
      notes: ["a", "b"],
      remark: { text: "x" },
    }),
  ).toEqual([
    { path: ["exec", 0], kind: "program", name: "one" },
    { path: ["exec", 1], kind: "program", name: "exec-1" },
    { path: ["folder", 1], kind: "folder", name: "near" },
    { path: ["spell", 0], kind: "unknown", name: "magic" },
  ]);
});
