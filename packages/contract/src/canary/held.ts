import { readCatalogQuery } from "./catalog-query.ts";
import { checkSpecs, isSupportedCheckType, type SupportedCheckType } from "./canary-spec.ts";

/** Why a check is kept and not run. It is never run as if what is missing had passed. */

type Spec = Record<string, unknown>;

const isSet = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

const notYet = (spec: Spec, keys: readonly string[]) =>
  keys.filter((key) => isSet(spec[key])).map((key) => `"${key}" is not supported yet`);

function remoteFolder(spec: Spec): string[] {
  const path = typeof spec.path === "string" ? spec.path : "";
  return /^azblob:\/\//i.test(path) ? ["azblob folders are not supported yet"] : [];
}

/** Calls would be refused, and the check pass for want of them. */
function tokenElsewhere({ token }: Spec): string[] {
  const { value, valueFrom } = (typeof token === "object" && token !== null ? token : {}) as Spec;
  if (!isSet(valueFrom) || isSet(value)) return [];
  return ['a "token" from elsewhere is not supported yet: write it, or make an address'];
}

/** Stored by a version that took it unread; no document brings it in any more. */
const unreadable = (type: SupportedCheckType) => (spec: Spec) => {
  const [issue] = checkSpecs[type].safeParse(spec).error?.issues ?? [];
  return issue ? [`"${issue.path.join(".")}" is not what it must be: ${issue.message}`] : [];
};

const otherClusters = (spec: Spec) => notYet(spec, ["eks", "gke", "cnrm"]);

/** What makes a check of a type unable to run, beside what holds for every type. */
const particular: Record<SupportedCheckType, (spec: Spec) => string[]> = {
  http: ({ kubernetes }) => otherClusters((kubernetes ?? {}) as Spec),
  multistep: () => [],
  tcp: () => [],
  domain: () => [],
  dns: () => [],
  icmp: () => [],
  exec: (spec) => [
    ...notYet((spec.connections ?? {}) as Spec, [
      "fromConfigItem",
      "eksPodIdentity",
      "serviceAccount",
      "opensearch",
    ]),
    ...notYet(((spec.connections ?? {}) as { kubernetes?: Spec }).kubernetes ?? {}, [
      "eks",
      "gke",
      "cnrm",
    ]),
  ],
  postgres: () => [],
  mysql: () => [],
  mssql: () => [],
  redis: () => [],
  folder: remoteFolder,
  s3: () => [],
  s3Bucket: unreadable("s3Bucket"),
  docker: (spec) =>
    isSet(spec.expectedSize) && spec.expectedSize !== 0
      ? ['"expectedSize" of docker is that of the unpacked image, which no registry tells']
      : unreadable("docker")(spec),
  containerd: unreadable("containerd"),
  restic: (spec) => notYet(spec, ["awsConnectionName"]),
  databaseBackup: () => [],
  heartbeat: tokenElsewhere,
  awsConfig: () => [],
  awsConfigRule: () => [],
  cloudwatch: () => [],
  ec2: (spec) => notYet(spec, ["canaryRef"]),
  kubernetes: otherClusters,
  jmeter: () => [],
  catalog: (spec) =>
    spec.selector === undefined &&
    readCatalogQuery(typeof spec.query === "string" ? spec.query : "") === undefined
      ? ['this "query" is not supported; "selector" says what is meant']
      : [],
  kubernetesResource: otherClusters,
  pod: () => [],
  namespace: () => [],
  junit: () => [],
  helm: () => [],
  ldap: () => [],
  mongodb: () => [],
  prometheus: () => [],
  alertmanager: () => [],
  elasticsearch: () => [],
  opensearch: () => [],
  dynatrace: () => [],
  azureDevops: () => [],
  gitProtocol: () => [],
  webhook: tokenElsewhere,
  github: () => [],
};

const nothingToPush =
  "Images are pushed from those of a machine, and this server keeps none, so the check is not run.";
const pushes: Readonly<Record<string, string>> = {
  dockerPush: nothingToPush,
  containerdPush: nothingToPush,
};

/** Every reason, joined; undefined when the check can run. */
export function heldReason(type: string, spec: Record<string, unknown>): string | undefined {
  const pushed = Object.hasOwn(pushes, type) ? pushes[type] : undefined;
  if (pushed !== undefined) return pushed;
  if (!isSupportedCheckType(type))
    return `Checks of type ${type} are not supported by this version, so the check is not run.`;
  const reasons = particular[type](spec);
  return reasons.length > 0 ? `${reasons.join("; ")}.` : undefined;
}
