import { scraperSpecs, type ScraperType } from "@mainstay/contract";
import { describe, expect, test } from "vitest";
import type { Connection } from "../connection.ts";
import { AddressElsewhere, fillConnection } from "./fill-connections.ts";
import type { SpecNoun } from "./spec-needs.ts";

/** Checks with connections are run in health; here are the shapes that scrapers have for themselves. */

const connection = (parts: Partial<Connection>): Connection => ({
  name: "it",
  namespace: "default",
  type: "",
  insecureTls: false,
  properties: {},
  ...parts,
});

const reference = "connection://default/it";

function filled(
  noun: SpecNoun,
  type: string,
  spec: object,
  parts: Partial<Connection>,
  keys: string[] = [],
) {
  const own =
    keys.length === 0 ? { connection: reference } : { [keys[0]!]: { connection: reference } };
  const found: Record<string, unknown> = { ...own, ...spec };
  const place = { keys, key: "connection", reference } as const;
  fillConnection(found, place, connection(parts), { noun, type });
  // What was taken out is as if it had not been written.
  return JSON.parse(JSON.stringify(found)) as unknown;
}

const login = { username: "ann", password: "sesame" };
const given = { username: { value: "ann" }, password: { value: "sesame" } };
const git = "https://git.example.org/a.git";

test.each<[string, object, Partial<Connection>, object]>([
  [
    "file",
    {},
    { ...login, url: git, properties: { ref: "main" } },
    { ...given, url: git, branch: "main" },
  ],
  ["file", { url: `git::${git}//b` }, { ...login, url: git }, { ...given, url: `git::${git}//b` }],
  [
    "file",
    { url: "s3://bucket/a" },
    { ...login, type: "s3", url: "https://minio.example.org", properties: { region: "eu" } },
    {
      accessKey: given.username,
      secretKey: given.password,
      url: "s3://bucket/a",
      endpoint: "https://minio.example.org",
      region: "eu",
    },
  ],
  [
    "file",
    {},
    { type: "gcs", certificate: "{}", properties: { bucket: "b" } },
    { credentials: { value: "{}" }, url: "gs://b/", bucket: "b" },
  ],
  [
    "http",
    { url: "https://a.example/list" },
    { ...login, url: "https://a.example/", insecureTls: true },
    { ...given, url: "https://a.example/list", tls: { insecureSkipVerify: true } },
  ],
  [
    "sql",
    { auth: { username: { value: "own" } } },
    { ...login, type: "mysql", url: "tcp(db:3306)/shop" },
    { auth: given, connection: "tcp(db:3306)/shop", driver: "mysql" },
  ],
  [
    "sql",
    {},
    { type: "sql_server", url: "server=db", insecureTls: true },
    { connection: "server=db", driver: "sqlserver", tlsConfig: { insecureSkipVerify: true } },
  ],
  ["kubernetes", {}, { certificate: "clusters: []" }, { kubeconfig: { value: "clusters: []" } }],
  ["kubernetesFile", {}, { certificate: "a" }, { kubeconfig: { value: "a" } }],
  [
    "githubActions",
    {},
    { password: "token", url: "https://ghe.example" },
    { personalAccessToken: { value: "token" }, url: "https://ghe.example" },
  ],
  [
    "azureDevops",
    {},
    { username: "shop", password: "token" },
    { personalAccessToken: { value: "token" }, organization: "shop" },
  ],
  [
    "aws",
    { region: ["eu-west-1"] },
    { ...login, properties: { region: "eu-central-1", assumeRole: "arn:a" } },
    {
      accessKey: { value: "ann" },
      secretKey: { value: "sesame" },
      region: ["eu-west-1"],
      assumeRole: "arn:a",
    },
  ],
  [
    "azure",
    { subscriptionID: "s" },
    { ...login, properties: { tenant: "t" } },
    {
      subscriptionID: "s",
      clientID: { value: "ann" },
      clientSecret: { value: "sesame" },
      tenantID: "t",
    },
  ],
  [
    "host",
    {},
    { ...login, certificate: "key", url: "ssh://web-1:2222" },
    { ...given, privateKey: { value: "key" }, host: "web-1", port: 2222 },
  ],
  ["host", {}, { ...login, url: "ssh://web-1" }, { ...given, host: "web-1" }],
  [
    "host",
    { host: "web-1", port: 23 },
    { ...login, url: "web-1", properties: { port: "22" } },
    { ...given, host: "web-1", port: 23 },
  ],
])("a scraper of type %s with %j and %j", (type, spec, parts, expected) => {
  expect(filled("scraper", type, spec, parts)).toEqual(expected);
});

test.each<[ScraperType, object, Partial<Connection>]>([
  ["sql", { query: "select 1" }, { ...login, type: "postgres", url: "postgres://db/shop" }],
  ["http", {}, { ...login, url: "https://a.example/" }],
  ["file", {}, { ...login, url: `git::${git}` }],
  ["githubActions", { owner: "a", repository: "b" }, { password: "token" }],
  ["azureDevops", {}, { username: "shop", password: "token" }],
  ["aws", {}, { ...login, properties: { region: "eu-central-1" } }],
  ["azure", { subscriptionID: "s" }, login],
  ["kubernetes", { clusterName: "a" }, { certificate: "clusters: []" }],
  ["host", {}, { ...login, url: "ssh://web-1:2222" }],
])("a scraper of type %s is what its schema wants once it is filled", (type, spec, parts) => {
  const parsed = scraperSpecs[type].safeParse(filled("scraper", type, spec, parts));
  expect(parsed.error?.issues).toBeUndefined();
});

test("a check of the same type has fields of its own", () => {
  const parts = { properties: { ca: "pem" } };
  expect(filled("check", "http", {}, parts)).toEqual({ tlsConfig: { ca: "pem" } });
  expect(filled("scraper", "http", {}, parts)).toEqual({ tls: { ca: "pem" } });
});

test.each<[string, object, string]>([
  ["file", { url: "git::https://elsewhere.example/a.git" }, git],
  ["http", { url: "https://elsewhere.example" }, "https://a.example"],
  ["sql", { url: "postgres://elsewhere.example/a" }, "postgres://db.example/a"],
  ["githubActions", { url: "https://elsewhere.example" }, "https://ghe.example"],
  ["host", { host: "web-2" }, "ssh://web-1"],
  // Without an address of its own to those of the service alone.
  ["azureDevops", { url: "https://devops.evil.example" }, ""],
  ["githubActions", { url: "https://github.evil.example" }, ""],
  ["azure", { endpoint: "https://management.evil.example" }, ""],
  ["azure", { loginEndpoint: "https://login.evil.example" }, ""],
])(
  "a scraper of type %s with %j does not send the credentials of %s elsewhere",
  (type, spec, url) => {
    expect(() => filled("scraper", type, spec, { ...login, url })).toThrow(AddressElsewhere);
  },
);

test.each(["github", "azureDevops"] as const)(
  "a check of type %s sends the token of a connection without an address to the service alone",
  (type) => {
    const parts = { ...login, url: "" };
    expect(() => filled("check", type, { url: "https://evil.example" }, parts)).toThrow(
      AddressElsewhere,
    );
    const home = type === "github" ? "https://api.github.com" : "https://dev.azure.com";
    expect(filled("check", type, { url: home }, parts)).toMatchObject({ url: home });
    const own = "https://own.example/api";
    expect(filled("check", type, { url: own }, { ...login, url: own })).toMatchObject({ url: own });
  },
);

test("credentials of Azure go to any of its clouds", () => {
  const spec = {
    endpoint: "https://management.chinacloudapi.cn",
    loginEndpoint: "https://login.chinacloudapi.cn",
  };
  expect(filled("scraper", "azure", spec, login)).toMatchObject({
    ...spec,
    clientSecret: { value: "sesame" },
  });
});

describe("the login of a registry", () => {
  const own = (url: string) => ({ ...login, url });
  const places: string[][] = [[], ["auth"]];

  test.each<[string, string, object?]>([
    ["evil.example/a", "https://registry.example"],
    ["registry.example.evil.example/a", "https://registry.example"],
    ["registry.example:5000/a", "https://registry.example"],
    ["a", "https://registry.example"],
    ["evil.example/a", "postgres://db.example/shop"],
    ["db/a", "postgres://db/shop"],
    ["a", "db"],
    ["evil.example/a", ""],
    ["no image", "https://registry.example"],
    ["registry.example/a", "https://registry.example", { insecure: true }],
    ["docker.io/a", "", { insecure: true }],
  ])("is not sent to that of %s by a connection of %s", (image, url, more) => {
    for (const type of ["docker", "containerd"])
      for (const keys of places)
        expect(() => filled("check", type, { image, ...more }, own(url), keys)).toThrow(
          AddressElsewhere,
        );
  });

  test.each<[string, string, object?]>([
    ["registry.example/shop/a:1", "https://registry.example"],
    ["Registry.example:443/a", "https://registry.example/v2/"],
    ["registry.example:5000/a", "registry.example:5000"],
    ["localhost:5000/a", "http://localhost:5000"],
    ["registry.example/a", "http://registry.example", { insecure: true }],
    ["shop/a", "https://index.docker.io/v1/"],
    ["docker.io/shop/a", "https://docker.io"],
    ["shop/a", ""],
  ])("is sent to that of %s by a connection of %s", (image, url, more) => {
    for (const type of ["docker", "containerd"]) {
      expect(filled("check", type, { image, ...more }, own(url))).toMatchObject({
        image,
        ...given,
      });
      expect(filled("check", type, { image, ...more }, own(url), ["auth"])).toMatchObject({
        image,
        auth: given,
      });
    }
  });
});

test.each<[SpecNoun, string, object]>([
  ["check", "elasticsearch", { url: "https://evil.example" }],
  ["check", "alertmanager", { url: "https://evil.example" }],
  ["check", "postgres", { connection: "postgres://evil.example/a" }],
  ["check", "dynatrace", { host: "evil.example" }],
  ["log backend", "opensearch", { address: "https://evil.example" }],
  ["scraper", "sql", { connection: "postgres://evil.example/a" }],
])("a group of credentials of a %s of type %s is not sent to %j", (noun, type, spec) => {
  for (const name of ["auth", "authentication"])
    expect(() =>
      filled(noun, type, spec, { ...login, url: "https://own.example" }, [name]),
    ).toThrow(AddressElsewhere);
});

test("a group of credentials is sent to the address of its own connection", () => {
  const url = "https://own.example";
  const parts = { ...login, url };
  const spec = { url: `${url}/path`, connection: reference };
  expect(filled("check", "elasticsearch", spec, parts, ["authentication"])).toMatchObject({
    authentication: given,
  });
});

test("a check of a bucket does not take the path of a connection for an expression", () => {
  const parts = { properties: { bucket: "b", objectPath: "backups/*.gz" } };
  expect(filled("check", "s3Bucket", {}, parts)).toEqual({ bucket: "b" });
  expect(filled("check", "s3", {}, parts)).toMatchObject({ objectPath: "backups/*.gz" });
});
