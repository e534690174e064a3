import { parseDuration, type TrivyScraper } from "@mainstay/contract";
import { NotTried } from "#platform/outbound/not-tried.ts";
import type { ProgramRun } from "#platform/outbound/run-program.ts";
import { hostOf, portOf } from "#platform/outbound/http/address.ts";
import { readNamed } from "#platform/kubernetes/kubeconfig.ts";
import type { Cluster } from "#platform/kubernetes/cluster.ts";
import { clusterSecrets, findCluster } from "#platform/kubernetes/open-client.ts";
import { createHider, type Hider } from "#platform/sealing/hide-secrets.ts";
import type { Json } from "../../changes/json-patch.ts";
import { hideInFound } from "../../scraping/hide-found.ts";
import type { Found } from "../../scraping/scraped.ts";
import { jsonIn } from "../api/scraped-api.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";
import { readCompliance, readReport, untold } from "./read-report.ts";

/** Bytes of one report. */
const mostOutput = 64 * 1024 * 1024;
const longestError = 2000;
/** Of the program itself, when a document says none; and how much longer it may take to end. */
const defaultTimeoutMs = 300_000;
const graceMs = 30_000;

/**
 * Everything that differs is in variables: nothing of a document becomes an argument. Until 0.50 the program wants to be
 * told what to scan; since then a word would be the name of a context. The scanner `misconfig` was called `config` before
 * 0.50, too.
 */
const script = `
command -v trivy >/dev/null || exit 127
export TRIVY_CACHE_DIR="$PWD/cache"
version=$(trivy --version 2>/dev/null | sed -n 's/^Version: *v\\{0,1\\}\\([0-9][0-9.]*\\).*/\\1/p' | head -n 1)
echo "trivy-version $version" >&2
IFS=. read -r major minor _ <<< "\${version:-1.0}"
if [ "\${major:-1}" -eq 0 ] && [ "\${minor:-0}" -lt 51 ]; then
  export TRIVY_SCANNERS="\${TRIVY_SCANNERS//misconfig/config}"
  [ -n "$TRIVY_SCANNERS" ] || unset TRIVY_SCANNERS
  if [ -n "\${TRIVY_NAMESPACE:-}" ]; then exec trivy kubernetes all; fi
  exec trivy kubernetes cluster
fi
unset TRIVY_NAMESPACE
exec trivy kubernetes
`;

/** What the program is told, in both spellings where versions differ. */
function variablesOf(spec: TrivyScraper, compliance: string | undefined): Record<string, string> {
  const { kubernetes = {} } = spec;
  const upper = (words: readonly string[] | undefined) => words?.map((word) => word.toUpperCase());
  const scanners = spec.scanners?.map((word) =>
    word.toLowerCase() === "config" ? "misconfig" : word.toLowerCase(),
  );
  const isWithoutNodes = kubernetes.components?.length && !kubernetes.components.includes("infra");
  const lists: Record<string, readonly string[] | undefined> = {
    TRIVY_SEVERITY: upper(spec.severity),
    TRIVY_VULN_TYPE: spec.vulnType,
    TRIVY_PKG_TYPES: spec.vulnType,
    TRIVY_SCANNERS: scanners,
    TRIVY_IGNORED_LICENSES: spec.ignoredLicenses,
    TRIVY_COMPONENTS: kubernetes.components,
  };
  return {
    TRIVY_FORMAT: "json",
    TRIVY_REPORT: "all",
    TRIVY_QUIET: "true",
    TRIVY_NO_PROGRESS: "true",
    TRIVY_TIMEOUT: `${spec.timeout === undefined ? defaultTimeoutMs : parseDuration(spec.timeout)}ms`,
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([name, words]) =>
        words?.length ? [[name, words.join(",")]] : [],
      ),
    ),
    ...(spec.ignoreUnfixed && { TRIVY_IGNORE_UNFIXED: "true" }),
    ...(spec.licenseFull && { TRIVY_LICENSE_FULL: "true" }),
    ...(isWithoutNodes && { TRIVY_DISABLE_NODE_COLLECTOR: "true" }),
    ...(kubernetes.namespace && {
      TRIVY_NAMESPACE: kubernetes.namespace,
      TRIVY_INCLUDE_NAMESPACES: kubernetes.namespace,
    }),
    ...(compliance !== undefined && { TRIVY_COMPLIANCE: compliance }),
  };
}

/** The way to the cluster as programs read it. It lies in a file that only the program can read. */
async function kubeconfigOf(cluster: Cluster, name: string): Promise<string> {
  const { url, tls, auth, tokenFile, namespace, proxy } = cluster;
  const base64 = (value: unknown) => Buffer.from(String(value)).toString("base64");
  const token = tokenFile
    ? (await readNamed(tokenFile, "token")).trim()
    : auth?.kind === "bearer"
      ? auth.token
      : undefined;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    clusters: [
      {
        name,
        cluster: {
          server: url.href.replace(/\/$/, ""),
          ...(tls.ca && { "certificate-authority-data": base64(tls.ca) }),
          ...(tls.insecureSkipVerify && { "insecure-skip-tls-verify": true }),
          ...(tls.serverName && { "tls-server-name": tls.serverName }),
          ...(proxy && { "proxy-url": proxy }),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          ...(token && { token }),
          ...(auth?.kind === "basic" && { username: auth.username, password: auth.password }),
          ...(tls.cert && { "client-certificate-data": base64(tls.cert) }),
          ...(tls.key && { "client-key-data": base64(tls.key) }),
        },
      },
    ],
  });
}

interface Scan {
  report: Json;
  /** Of the program, when it says so. */
  version: string | undefined;
}

interface ScanOptions {
  kubeconfig: string;
  compliance: string | undefined;
  /** With the database that is there, however old. */
  isOffline?: boolean;
}

/**
 * Its databases, rules and what it has found in layers of images. It fetches a database again when the time has come that
 * stands in it, so a cache is all that it needs for fetching once a day.
 */
const cache = { name: "trivy", folder: "cache", most: 6 * 1024 ** 3 };

/** In the spellings of all versions. */
const withoutUpdates = {
  TRIVY_SKIP_DB_UPDATE: "true",
  TRIVY_SKIP_JAVA_DB_UPDATE: "true",
  TRIVY_SKIP_CHECK_UPDATE: "true",
  TRIVY_SKIP_POLICY_UPDATE: "true",
};

/** Trivy says so when a database is too old and no other can be fetched. */
const noDatabase =
  /\b(?:Java )?DB (?:update )?error\b|failed to (?:download|update) (?:the )?(?:vulnerability |Java )?DB\b/i;

class ScanFailed extends Error {
  readonly lacksDatabase: boolean;
  constructor(run: ProgramRun) {
    const message = whyFailed(run);
    super(message);
    this.lacksDatabase = noDatabase.test(message);
  }
}

/** A scan; where no database can be fetched, one with that of an earlier run, if there is one and Trivy takes it. */
async function scanAnyhow(
  input: ScrapeInput<TrivyScraper>,
  options: ScanOptions,
): Promise<Scan & { isOld: boolean }> {
  try {
    return { ...(await scan(input, options)), isOld: false };
  } catch (error) {
    if (!(error instanceof ScanFailed) || !error.lacksDatabase) throw error;
    try {
      return { ...(await scan(input, { ...options, isOffline: true })), isOld: true };
    } catch {
      input.signal.throwIfAborted();
      throw error;
    }
  }
}

async function scan(
  { spec, signal, connector }: ScrapeInput<TrivyScraper>,
  { kubeconfig, compliance, isOffline = false }: ScanOptions,
): Promise<Scan> {
  const limitMs =
    (spec.timeout === undefined ? defaultTimeoutMs : parseDuration(spec.timeout)) + graceMs;
  const limit = AbortSignal.timeout(limitMs);
  const run = await connector.programs.run({
    text: script,
    command: (file) => ["bash", [file]],
    env: { ...variablesOf(spec, compliance), ...(isOffline && withoutUpdates) },
    files: [{ name: "kubeconfig", text: kubeconfig, variable: "KUBECONFIG" }],
    signal: AbortSignal.any([signal, limit]),
    keptOutput: mostOutput,
    kept: cache,
  });
  signal.throwIfAborted();
  if (limit.aborted) throw new Error(`Trivy was ended: it took longer than its timeout.`);
  if (run.exitCode === 127)
    throw new NotTried(
      "The program trivy is not installed on this server, or not in its PATH. Packages for every system are at https://trivy.dev (Installation).",
    );
  if (run.exitCode !== 0) throw new ScanFailed(run);
  if (run.stdout.isCut)
    throw new Error(
      `Trivy wrote more than ${mostOutput} bytes; nothing was read. Say less with severity, scanners or a namespace.`,
    );
  const report = jsonIn(run.stdout.text);
  if (report === undefined) throw new Error("What Trivy wrote is no JSON, or nests too deeply.");
  return { report, version: versionIn(run) };
}

const versionLine = /^trivy-version (\S*)\n/m;
const versionIn = ({ stderr }: ProgramRun): string | undefined =>
  versionLine.exec(stderr.text)?.[1] || undefined;

function whyFailed(run: ProgramRun): string {
  const said = run.stderr.text.replace(versionLine, "").trim().slice(-longestError);
  const end = run.killedBy ? `was killed by ${run.killedBy}` : `ended with code ${run.exitCode}`;
  return `Trivy ${end}${said === "" ? "" : `: ${said}`}`;
}

async function* scrape(input: ScrapeInput<TrivyScraper>): AsyncIterable<Found> {
  const { spec, connector, signal } = input;
  const { kubernetes = {} } = spec;
  const cluster = await findCluster(kubernetes.kubeconfig?.value, {
    connector,
    context: kubernetes.context,
  });
  // The program opens its sockets by itself, so where it is sent to is judged here.
  if (!cluster.isOwn)
    await connector.judge({ host: hostOf(cluster.url), port: portOf(cluster.url) }, { signal });
  const name = kubernetes.clusterName || kubernetes.context || "cluster";
  const kubeconfig = await kubeconfigOf(cluster, name);
  const hider = createHider(clusterSecrets(cluster));
  yield* hiding(scanAll(input, kubeconfig), hider);
}

async function* scanAll(
  input: ScrapeInput<TrivyScraper>,
  kubeconfig: string,
): AsyncIterable<Found> {
  const { spec } = input;
  const cluster = spec.kubernetes?.clusterName || undefined;
  const found = await scanAnyhow(input, { kubeconfig, compliance: undefined });
  const { version, isOld } = found;
  if (isOld)
    yield {
      kind: "notice",
      message:
        "Trivy could not fetch its database and scanned with that of an earlier run: newer vulnerabilities are not found.",
    };
  if (spec.version && version && spec.version.replace(/^v/, "") !== version)
    yield {
      kind: "notice",
      message: `Trivy ${version} is installed, and was run; the document asks for ${spec.version}.`,
    };
  yield* readReport(found.report, cluster);
  for (const compliance of spec.compliance ?? []) {
    const { report } = await scanAnyhow(input, { kubeconfig, compliance });
    yield* readCompliance(report, cluster);
  }
}

async function* hiding(all: AsyncIterable<Found>, hider: Hider | undefined): AsyncIterable<Found> {
  if (!hider) return yield* all;
  try {
    for await (const found of all) yield hideInFound(found, hider);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(hider.message(error.message), { cause: error });
  }
}

/** What Trivy finds in a Kubernetes cluster, as insights. */
export const trivyScraper = scraperType<TrivyScraper>({
  type: "trivy",
  scrape,
  untold,
});
