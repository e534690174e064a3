import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createConnector } from "#platform/outbound/connector.ts";
import { createPrograms } from "#platform/outbound/programs.ts";
import {
  processesWith,
  testPrograms,
  testUids,
  uniqueSleep,
} from "#platform/outbound/testing/run-script.ts";
import { scrapeWith } from "../testing/scrape.ts";

/**
 * Against a stand-in of the program, which writes reports in the forms that its sources and documentation of 0.29, 0.50
 * and 0.56 have. The program itself is not to be had on the machines that tests run on.
 */

let folder: string;
const path = process.env.PATH;
beforeEach(() => {
  folder = mkdtempSync("/tmp/trivy-stand-in-");
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "seen"));
  chmodSync(join(folder, "seen"), 0o777);
  process.env.PATH = `${folder}:${path}`;
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true, force: true });
});

const seen = (name: string) => readFileSync(join(folder, "seen", name), "utf8").trim();

/** A program called trivy that keeps what it was started with. */
function install(report: unknown, { version = "0.56.2", first = "" } = {}) {
  writeFileSync(join(folder, "report.json"), JSON.stringify(report));
  writeFileSync(
    join(folder, "trivy"),
    `#!/bin/bash
if [ "$1" = --version ]; then printf 'Version: ${version}\\nVulnerability DB:\\n  Version: 2\\n'; exit; fi
printf '%s\\n' "$@" > ${folder}/seen/arguments
env | grep ^TRIVY_ | sort > ${folder}/seen/environment
cp "$KUBECONFIG" ${folder}/seen/kubeconfig
pwd > ${folder}/seen/work; chmod 666 ${folder}/seen/*
${first}
cat ${folder}/report.json
`,
  );
  chmodSync(join(folder, "trivy"), 0o755);
}

const token = "sesame-token-of-the-cluster";
const kubeconfig = {
  value: JSON.stringify({
    "current-context": "one",
    contexts: [
      { name: "one", context: { cluster: "c", user: "u" } },
      { name: "two", context: { cluster: "d", user: "u" } },
    ],
    clusters: [
      { name: "c", cluster: { server: "https://127.0.0.1:6443" } },
      { name: "d", cluster: { server: "https://127.0.0.2:6443" } },
    ],
    users: [{ name: "u", user: { token } }],
  }),
};

const scrape = (spec: object = {}, timeoutMs = 20_000) => {
  const { kubernetes, ...rest } = spec as { kubernetes?: object };
  return scrapeWith(
    "trivy",
    { kubernetes: { kubeconfig, clusterName: "prod", ...kubernetes }, ...rest },
    { connector: createConnector({ programs: testPrograms }), timeoutMs },
  );
};

const vulnerability = (id: string, severity: string, pkg = "openssl") => ({
  VulnerabilityID: id,
  PkgName: pkg,
  InstalledVersion: "3.0.1",
  FixedVersion: "3.0.9",
  Status: "fixed",
  Severity: severity,
  Title: `Trouble in ${pkg}`,
  Description: "Very long.",
  PrimaryURL: `https://avd.aquasec.com/nvd/${id.toLowerCase()}`,
});
const misconfiguration = {
  Type: "Kubernetes Security Check",
  ID: "KSV001",
  Title: "Can elevate its own privileges",
  Message: "Container 'app' should set allowPrivilegeEscalation to false",
  Resolution: "Set it to false.",
  Severity: "MEDIUM",
  Status: "FAIL",
  CauseMetadata: { Code: { Lines: [{ Content: "password: hunter2" }] } },
};

const report = {
  ClusterName: "one",
  Resources: [
    {
      Namespace: "shop",
      Kind: "Deployment",
      Name: "web",
      Results: [
        {
          Target: "web:1 (debian 12)",
          Class: "os-pkgs",
          Vulnerabilities: [
            vulnerability("CVE-2026-1", "LOW"),
            vulnerability("CVE-2026-2", "CRITICAL"),
            vulnerability("CVE-2026-3", "HIGH", "zlib"),
          ],
        },
        {
          Target: "/app/.env",
          Class: "secret",
          Secrets: [
            {
              RuleID: "aws",
              Category: "AWS",
              Title: "AWS key",
              Severity: "CRITICAL",
              StartLine: 3,
              Match: "KEY=hunter2",
            },
          ],
        },
      ],
    },
    {
      Namespace: "shop",
      Kind: "Deployment",
      Name: "web",
      Results: [
        {
          Target: "Deployment/web",
          Class: "config",
          Misconfigurations: [
            misconfiguration,
            { ...misconfiguration, ID: "KSV002", Title: "Passed", Status: "PASS" },
          ],
        },
      ],
    },
    {
      Kind: "NodeComponents",
      Name: "node-1",
      Results: [
        {
          Target: "k8s.io/kubelet",
          Vulnerabilities: [vulnerability("CVE-2026-9", "HIGH", "k8s.io/kubelet")],
        },
      ],
    },
  ],
};

test("findings are insights of the objects they are about; what a secret is stays out", async () => {
  install(report);
  const told = await scrape({ version: "0.40.0" });
  expect(
    told.insights.map(({ item, analyzer, severity, analysisType, summary }) => [
      item.externalId,
      analyzer,
      severity,
      analysisType,
      summary,
    ]),
  ).toEqual([
    [
      "Kubernetes/prod/Deployment/shop/web",
      "openssl",
      "critical",
      "security",
      "openssl: CVE-2026-1, CVE-2026-2",
    ],
    ["Kubernetes/prod/Deployment/shop/web", "zlib", "high", "security", "zlib: CVE-2026-3"],
    ["Kubernetes/prod/Deployment/shop/web", "AWS key", "critical", "security", "AWS key"],
    [
      "Kubernetes/prod/Deployment/shop/web",
      "Can elevate its own privileges",
      "medium",
      "security",
      "Can elevate its own privileges",
    ],
    [
      "Kubernetes/prod/Node//node-1",
      "node-1: k8s.io/kubelet",
      "high",
      "security",
      "k8s.io/kubelet: CVE-2026-9",
    ],
  ]);
  expect(told.insights[0]).toMatchObject({
    source: "Trivy",
    item: { type: "Kubernetes::Deployment" },
    message:
      "CVE-2026-1 (low) in web:1 (debian 12): Trouble in openssl [3.0.1, fixed in 3.0.9] https://avd.aquasec.com/nvd/cve-2026-1\n" +
      "CVE-2026-2 (critical) in web:1 (debian 12): Trouble in openssl [3.0.1, fixed in 3.0.9] https://avd.aquasec.com/nvd/cve-2026-2",
    analysis: { findings: [{ VulnerabilityID: "CVE-2026-1" }, { FixedVersion: "3.0.9" }] },
  });
  expect(told.judged).toBe(2);
  expect(JSON.stringify(told)).not.toMatch(/hunter2|Very long/);
  expect(told.notices).toEqual([
    "Trivy 0.56.2 is installed, and was run; the document asks for 0.40.0.",
  ]);
  const again = await scrape({ kubernetes: { clusterName: undefined } });
  expect(again.insights[0]).toMatchObject({
    item: { externalId: "Kubernetes/Deployment/shop/web" },
    orSelected: { type: "Kubernetes::Deployment", namespace: "shop", name: "web", scope: "all" },
  });
});

test("nothing of a document is an argument; its kubeconfig is a file that goes with the run", async () => {
  install(report);
  await scrape({
    severity: ["critical", "HIGH"],
    scanners: ["config", "vuln"],
    vulnType: ["os"],
    ignoredLicenses: ["MIT"],
    ignoreUnfixed: true,
    licenseFull: true,
    timeout: "20m",
    kubernetes: { namespace: "shop; touch /tmp/x", components: ["workload"], context: "two" },
  });
  expect(seen("arguments")).toBe("kubernetes");
  expect(seen("environment").split("\n")).toEqual([
    `TRIVY_CACHE_DIR=${seen("work")}/cache`,
    "TRIVY_COMPONENTS=workload",
    "TRIVY_DISABLE_NODE_COLLECTOR=true",
    "TRIVY_FORMAT=json",
    "TRIVY_IGNORED_LICENSES=MIT",
    "TRIVY_IGNORE_UNFIXED=true",
    "TRIVY_INCLUDE_NAMESPACES=shop; touch /tmp/x",
    "TRIVY_LICENSE_FULL=true",
    "TRIVY_NO_PROGRESS=true",
    "TRIVY_PKG_TYPES=os",
    "TRIVY_QUIET=true",
    "TRIVY_REPORT=all",
    "TRIVY_SCANNERS=misconfig,vuln",
    "TRIVY_SEVERITY=CRITICAL,HIGH",
    "TRIVY_TIMEOUT=1200000ms",
    "TRIVY_VULN_TYPE=os",
  ]);
  expect(JSON.parse(seen("kubeconfig"))).toMatchObject({
    clusters: [{ cluster: { server: "https://127.0.0.2:6443" } }],
    users: [{ user: { token } }],
  });
  await vi.waitFor(() => expect(existsSync(seen("work"))).toBe(false));
});

test("programs before 0.51 are told what to scan, and wrote their report otherwise", async () => {
  const results = (more: object) => [{ Target: "x", ...more }];
  const resource = { Namespace: "default", Kind: "Pod", Name: "app" };
  install(
    {
      ClusterName: "minikube",
      Vulnerabilities: [
        { ...resource, Results: results({ Vulnerabilities: [vulnerability("CVE-1", "LOW")] }) },
      ],
      Misconfigurations: [
        { ...resource, Results: results({ Misconfigurations: [misconfiguration] }) },
        { Namespace: "default", Kind: "ConfigMap", Name: "none" },
      ],
    },
    { version: "0.29.2" },
  );
  const told = await scrape({ scanners: ["misconfig"], kubernetes: { namespace: "default" } });
  expect(seen("arguments")).toBe("kubernetes\nall");
  expect(seen("environment")).toContain("TRIVY_SCANNERS=config\n");
  expect(told.insights.map(({ analyzer, item }) => [analyzer, item.externalId])).toEqual([
    ["openssl", "Kubernetes/prod/Pod/default/app"],
    ["Can elevate its own privileges", "Kubernetes/prod/Pod/default/app"],
  ]);
  expect(told.judged).toBe(2);
});

test("reports of compliance are insights of the cluster, a rule each", async () => {
  const rule = (ID: string, Status: string) => ({
    ID,
    Name: `Rule ${ID}`,
    Description: "Why.",
    Severity: "HIGH",
    Results: [{ Target: "Deployment/web", Misconfigurations: [{ ...misconfiguration, Status }] }],
  });
  install(report, {
    first: `if [ -n "$TRIVY_COMPLIANCE" ]; then cat ${folder}/compliance.json; exit; fi`,
  });
  writeFileSync(
    join(folder, "compliance.json"),
    JSON.stringify({
      ID: "k8s-nsa-1.0",
      Title: "NSA",
      Results: [rule("1.0", "FAIL"), rule("1.1", "PASS"), { ID: "1.2", Results: null }],
    }),
  );
  const told = await scrape({ compliance: ["k8s-nsa-1.0"] });
  expect(told.insights.slice(5)).toMatchObject([
    {
      item: { externalId: "Kubernetes/Cluster/prod", type: "Kubernetes::Cluster" },
      externalAnalysisId: "k8s-nsa-1.0/1.0",
      analyzer: "k8s-nsa-1.0 1.0: Rule 1.0",
      analysisType: "compliance",
      severity: "high",
      summary: "Rule 1.0: 1 does not keep to it",
      analysis: { report: "NSA", targets: ["Deployment/web"] },
    },
  ]);
});

test.each<[string, unknown, string, string]>([
  [
    "it fails",
    report,
    `echo "FATAL token ${token}: no access" >&2; exit 1`,
    "Trivy ended with code 1: FATAL token",
  ],
  ["it writes something else", "hello", "", "What Trivy wrote is no report of a cluster."],
  ["it writes half of it", report, "printf '{\"Resources\":['; exit", "no JSON"],
])("%s", async (_name, written, then, message) => {
  install(written, { first: then });
  const told = scrape();
  await expect(told).rejects.toThrow(message);
  await expect(told).rejects.not.toThrow(token);
});

test("what could not be scanned is a failure; what was, is told", async () => {
  const [web] = report.Resources;
  install({
    ...report,
    Resources: [web, { ...web, Name: "api", Results: [], Error: "unable to pull" }],
  });
  const told = await scrape();
  expect(told.failures).toEqual(["Trivy could not scan shop/Deployment/api: unable to pull"]);
  // The cluster's own scraper in the same document ends what is gone all the same.
  expect([told.unseen, told.unjudged]).toEqual([[], ["Trivy"]]);
  expect(told.insights).toHaveLength(3);
});

test("a machine without the program is told where it is to be had", async () => {
  await expect(scrape()).rejects.toThrow(
    /^The program trivy is not installed on this server, or not in its PATH.*https:\/\/trivy\.dev/,
  );
  await expect(scrapeWith("trivy", { kubernetes: { kubeconfig } })).rejects.toThrow(
    "Scripts are switched off",
  );
});

test("its databases live from one run to the next, and serve where no other can be fetched", async () => {
  const programs = createPrograms({
    exec: "on",
    execUids: testUids,
    dataDir: join(folder, "data"),
  });
  const scan = () =>
    scrapeWith(
      "trivy",
      { kubernetes: { kubeconfig, clusterName: "prod" } },
      { connector: createConnector({ programs }) },
    );
  const database = '"$TRIVY_CACHE_DIR/db/trivy.db"';
  install(report, {
    first: `mkdir -p "$TRIVY_CACHE_DIR/db"; [ ! -e ${database} ] || exit 3; echo one > ${database}`,
  });
  expect((await scan()).notices).toEqual([]);
  const away =
    "FATAL Fatal error init error: DB error: failed to download vulnerability DB: dial tcp: i/o timeout";
  install(report, {
    first: `if [ -z "$TRIVY_SKIP_DB_UPDATE" ]; then echo "${away}" >&2; exit 1; fi; cp ${database} ${folder}/seen/database`,
  });
  const old = await scan();
  expect([old.insights.length, old.notices, seen("database")]).toEqual([
    5,
    [expect.stringContaining("scanned with that of an earlier run")],
    "one",
  ]);
  // Without one it is told why there is none.
  install(report, { first: `echo "\${TRIVY_SKIP_DB_UPDATE:+no }${away}" >&2; exit 1` });
  await expect(scan()).rejects.toThrow(
    /^Trivy ended with code 1: (?:[^]*\n)?FATAL Fatal error init error: DB error/,
  );
});

test("what takes too long ends, with all that it started", async () => {
  const sleep = uniqueSleep();
  install(report, { first: `${sleep} & touch ${folder}/seen/started; wait` });
  const stopped = scrape({}, 3000);
  await vi.waitFor(async () => expect(await processesWith(sleep)).not.toEqual([]), {
    timeout: 3000,
  });
  await expect(stopped).rejects.toThrow();
  await vi.waitFor(async () => expect(await processesWith(sleep)).toEqual([]));
});
