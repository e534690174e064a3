import { expect, test } from "vitest";
import { supportedCheckTypes } from "./canary-spec.ts";
import { parseCanaryDocuments } from "./parse-canary.ts";

/** Of every check type a check that cannot be meant: where it is wrong, and what is said of it. */
const refused: Readonly<Record<string, [check: object, path: string, message: RegExp]>> = {
  http: [{ url: "http://a", responseCodes: ["999"] }, "responseCodes.0", /response code/],
  multistep: [{ url: "http://a", steps: [] }, "steps", /no steps/],
  tcp: [{ endpoint: "a:1", maxSSLExpiry: 10 }, "maxSSLExpiry", /tls/i],
  domain: [{ domain: "10.0.0.1" }, "domain", /name of a domain/],
  dns: [{ query: "a", querytype: "SOA" }, "querytype", /Expected one of A, AAAA/],
  icmp: [{ endpoint: "a b" }, "endpoint", /host name or an address/],
  exec: [{ script: 7 }, "script", /Expected a text/],
  postgres: [{ url: "postgres://a/b", results: -1 }, "results", /at least 0/],
  mysql: [{ url: "mysql://a/b", results: "many" }, "results", /Expected a/],
  mssql: [{ url: "sqlserver://a", query: 1 }, "query", /Expected a text/],
  redis: [{ addr: "a:1", db: -1 }, "db", /at least 0/],
  mongodb: [{ url: ["mongodb://a"] }, "url", /Expected a text/],
  ldap: [{ url: "ldap://a", bindDN: 3 }, "bindDN", /Expected a text/],
  folder: [{ path: "/a", filter: { regex: "a(" } }, "filter.regex", /not a regular expression/],
  s3: [{ bucket: 5 }, "bucket", /Expected a text/],
  s3Bucket: [{ bucket: "a", minSize: "big" }, "minSize", /size/],
  docker: [{ image: "Shop" }, "image", /lower-case names/],
  containerd: [{ image: "shop@sha256:12" }, "image", /hexadecimal/],
  restic: [{ repository: "/a", password: "b", maxAge: "old" }, "maxAge", /duration/],
  databaseBackup: [{ gcp: { project: "shop" } }, "gcp.instance", /"instance" is missing/],
  heartbeat: [{ every: "soon" }, "every", /duration/],
  webhook: [{ token: "short" }, "token", /5 characters/],
  kubernetes: [{ kind: "" }, "kind", /is empty/],
  kubernetesResource: [{ resources: [{ kind: "Pod" }], waitFor: 1 }, "waitFor", /mapping/],
  pod: [{ spec: "kind: Pod", port: "http" }, "port", /Expected a/],
  namespace: [
    { podSpec: "kind: Pod", namespaceNamePrefix: "A_" },
    "namespaceNamePrefix",
    /name of a namespace/,
  ],
  junit: [{ testResults: 1 }, "testResults", /Expected a text/],
  helm: [{ project: "library" }, "", /chartmuseum/],
  jmeter: [{ jmx: "<a/>", properties: ["-x"] }, "properties.0", /Expected name=value/],
  catalog: [{ selector: [] }, "selector", /what is selected/],
  prometheus: [{ url: "http://a", query: 1 }, "query", /Expected a text/],
  alertmanager: [{ url: "http://a", alerts: 5 }, "alerts", /may not be a whole number/],
  elasticsearch: [{ url: "http://a", results: "few" }, "results", /Expected a/],
  opensearch: [{ url: "http://a", index: 1 }, "index", /Expected a text/],
  dynatrace: [{ host: 1 }, "host", /Expected a text/],
  azureDevops: [{ project: "shop", pipeline: 1 }, "pipeline", /Expected a text/],
  github: [{ query: "" }, "query", /is empty/],
  gitProtocol: [{ repository: 1 }, "repository", /Expected a text/],
  awsConfig: [{ query: "" }, "query", /is empty/],
  awsConfigRule: [{ complianceTypes: ["BAD"] }, "complianceTypes.0", /Expected one of COMPLIANT/],
  cloudwatch: [{ state: "RINGING" }, "state", /Expected one of OK, ALARM/],
  ec2: [{ ami: "ami-1", timeOut: -1 }, "timeOut", /at least 0/],
};

test("every check type has one that is refused; a new type needs a line here", () => {
  expect(supportedCheckTypes.filter((type) => !Object.hasOwn(refused, type))).toEqual([]);
});

test.each(Object.entries(refused))("%s: refused at its place, with a reason", (type, one) => {
  const [check, path, message] = one;
  // Of webhooks there is one, where other types are lists.
  const isOne = type === "webhook";
  const named = { name: "a", ...check };
  const { documents, problems } = parseCanaryDocuments(
    JSON.stringify({
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Canary",
      metadata: { name: "shop" },
      spec: { [type]: isOne ? named : [named] },
    }),
  );
  const at = [`spec.${type}`, ...(isOne ? [] : ["0"]), ...(path === "" ? [] : [path])].join(".");
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([
    expect.objectContaining({ path: at, message: expect.stringMatching(message) }),
  ]);
  expect(documents).toEqual([]);
});
