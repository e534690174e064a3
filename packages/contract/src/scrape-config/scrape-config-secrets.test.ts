import { expect, test } from "vitest";
import { judgeSpec } from "../documents/document-format.ts";
import { secretPlaceholder } from "../secrets/marks.ts";
import { scrapeConfigFormat } from "./scrape-config-format.ts";
import { mapScrapeConfigSecrets, scrapeConfigSecretPlaces } from "./scrape-config-secrets.ts";

const found = (spec: Record<string, unknown>) =>
  Object.fromEntries(scrapeConfigSecretPlaces(spec).map(({ path, value }) => [path, value]));

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["a password", { http: [{ url: "http://a", password: "s" }] }, { "http[0].password": "s" }],
  ["one without a list", { http: { password: { value: "s" } } }, { "http.password": "s" }],
  [
    "in addresses",
    {
      http: [{ url: "http://a:s@b" }],
      sql: [{ connection: "postgres://a:s@b" }],
      file: [{ url: "git::https://a:s@b/c" }],
      host: [{ connection: "ssh://a:s@b" }],
    },
    {
      "http[0].url#password": "s",
      "sql[0].connection#password": "s",
      "file[0].url#password": "s",
      "host[0].connection#password": "s",
    },
  ],
  [
    "headers, but for harmless ones",
    {
      http: [
        {
          headers: [
            { name: "X-Own", value: "s" },
            { name: "Accept", value: "a" },
          ],
        },
      ],
    },
    { "http[0].headers[name=X-Own].value": "s" },
  ],
  [
    "the same as a mapping",
    { http: [{ headers: { "X-Own": "s", Accept: "a", Cookie: { value: "t" }, name: "u" } }] },
    {
      "http[0].headers.X-Own": "s",
      "http[0].headers.Cookie": "t",
      "http[0].headers.name": "u",
    },
  ],
  [
    "tokens",
    {
      http: [{ bearer: "s", oauth: { clientSecret: "t" }, awsSigV4: { secretKey: "u" } }],
      githubActions: [{ personalAccessToken: { value: "s" } }],
      azureDevops: [{ personalAccessToken: "s" }],
      azure: [{ clientID: "a", clientSecret: "s" }],
      aws: [{ accessKey: "s", awsConnection: { secretKey: { value: "t" } } }],
    },
    {
      "http[0].bearer": "s",
      "http[0].oauth.clientSecret": "t",
      "http[0].awsSigV4.secretKey": "u",
      "githubActions[0].personalAccessToken": "s",
      "azureDevops[0].personalAccessToken": "s",
      "azure[0].clientSecret": "s",
      "aws[0].accessKey": "s",
      "aws[0].awsConnection.secretKey": "t",
    },
  ],
  [
    "variables",
    { exec: [{ env: [{ name: "A", value: "s" }] }], http: [{ env: [{ name: "A", value: "t" }] }] },
    { "exec[0].env[name=A].value": "s", "http[0].env[name=A].value": "t" },
  ],
  [
    "keys and kubeconfigs",
    {
      host: [{ host: "a", password: "s", privateKey: "t" }],
      kubernetes: [{ kubeconfig: "s" }],
      kubernetesFile: [{ kubeconfig: { value: "s" } }],
      trivy: [{ kubernetes: { kubeconfig: "s" } }],
      sql: [{ auth: { username: "a", password: "s" } }],
      exec: [{ checkout: { password: "s" }, connections: { azure: { clientSecret: "t" } } }],
    },
    {
      "host[0].password": "s",
      "host[0].privateKey": "t",
      "kubernetes[0].kubeconfig": "s",
      "kubernetesFile[0].kubeconfig": "s",
      "trivy[0].kubernetes.kubeconfig": "s",
      "sql[0].auth.password": "s",
      "exec[0].checkout.password": "s",
      "exec[0].connections.azure.clientSecret": "t",
    },
  ],
  [
    "of types that are only kept, by their names",
    {
      slack: [{ token: { value: "s" } }],
      gcp: [{ credentials: "s" }],
      logs: [{ loki: { password: "s" } }],
    },
    { "slack[0].token.value": "s", "gcp[0].credentials": "s", "logs[0].loki.password": "s" },
  ],
  [
    "none in what stands elsewhere",
    {
      aws: [{ secretKey: { valueFrom: { secretKeyRef: { name: "a", key: "b" } } } }],
      sql: [{ connection: "connection://a/b" }],
    },
    {},
  ],
])("%s", (_what, spec, wanted) => {
  expect(found(spec)).toEqual(wanted);
});

test("what is masked is still a document, and nothing else has changed", () => {
  const spec = {
    http: [{ url: "http://a:s@b/c", headers: { A: "s" }, id: "$.id", type: "A", name: "$.name" }],
    aws: { secretKey: "s", region: ["eu"] },
  };
  const masked = mapScrapeConfigSecrets(spec, () => secretPlaceholder);
  expect(masked).toEqual({
    http: [
      {
        ...spec.http[0],
        url: `http://a:${secretPlaceholder}@b/c`,
        headers: { A: secretPlaceholder },
      },
    ],
    aws: { secretKey: secretPlaceholder, region: ["eu"] },
  });
  expect(judgeSpec(scrapeConfigFormat, masked).findings).toEqual([]);
});

test("a secret goes where its scraper sends it, whatever links its items have", () => {
  const destination = (more: object) =>
    scrapeConfigSecretPlaces({
      http: [{ url: "http://a", password: "s", ...more }, { url: "http://other" }],
    })[0]?.destination;
  expect(destination({})).toBe("http://a");
  expect(destination({ properties: [{ links: [{ url: "http://elsewhere" }] }] })).toBe("http://a");
  expect(destination({ url: "http://b" })).toBe("http://b");
  expect(destination({ connection: "connection://c" })).not.toBe("http://a");
});
