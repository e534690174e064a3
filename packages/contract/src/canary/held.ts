import { type EnvVar } from "./fields.ts";
import { isSupportedCheckType, type SupportedCheckType } from "./canary-spec.ts";

/** Why a check is kept and not run. It is never run as if what is missing had passed. */

type Spec = Record<string, unknown>;

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isSet = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

function scripts(spec: Spec): string[] {
  return ["test", "display", "transform"].flatMap((key) => {
    const script = spec[key];
    const isUsed =
      typeof script === "object" && script !== null && Object.values(script).some(isSet);
    return isUsed
      ? [`"${key}" is kept but not evaluated by this version, so the check is not run`]
      : [];
  });
}

const reference = /^(secret|configmap|helm|serviceaccount):\/\//;

function unresolved(path: string, value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" && reference.test(value)
      ? [`"${path}" refers to ${value.split(":")[0]}, which this server cannot resolve`]
      : [];
  }
  const { value: literal, valueFrom } = value as EnvVar;
  if (typeof literal === "string" && reference.test(literal)) return unresolved(path, literal);
  if (isSet(literal) || !valueFrom) return [];
  const kinds: [keyof NonNullable<EnvVar["valueFrom"]>, string][] = [
    ["secretKeyRef", "a Kubernetes Secret"],
    ["configMapKeyRef", "a Kubernetes ConfigMap"],
    ["helmRef", "a Helm release"],
    ["serviceAccount", "a Kubernetes service account"],
  ];
  const kind = kinds.find(([key]) => isSet(valueFrom[key]));
  return kind ? [`"${path}" comes from ${kind[1]}, which this server cannot resolve`] : [];
}

function unresolvedValues(spec: Spec): string[] {
  const authentication = (spec.authentication ?? {}) as Spec;
  const tlsConfig = (spec.tlsConfig ?? {}) as Spec;
  return [
    ...unresolved("username", spec.username),
    ...unresolved("password", spec.password),
    ...unresolved("token", spec.token),
    ...unresolved("authentication.username", authentication.username),
    ...unresolved("authentication.password", authentication.password),
    ...["ca", "cert", "key"].flatMap((key) => unresolved(`tlsConfig.${key}`, tlsConfig[key])),
    ...list(spec.headers).flatMap((header, index) => unresolved(`headers.${index}`, header)),
    ...list(spec.env).flatMap((entry, index) => unresolved(`env.${index}`, entry)),
  ];
}

const stored = /^(connection:\/\/|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/i;

function storedConnection(spec: Spec): string[] {
  const found = ["connection", "url"].find(
    (key) => typeof spec[key] === "string" && stored.test(spec[key]),
  );
  return found ? [`"${found}" names a stored connection, which is not supported yet`] : [];
}

const notYet = (spec: Spec, keys: readonly string[]) =>
  keys.filter((key) => isSet(spec[key])).map((key) => `"${key}" is not supported yet`);

const template = (spec: Spec, keys: readonly string[]) =>
  keys
    .filter((key) => typeof spec[key] === "string" && spec[key].includes("{{"))
    .map((key) => `"${key}" is a template, which is kept but not evaluated by this version`);

function remoteFolder(spec: Spec): string[] {
  const path = typeof spec.path === "string" ? spec.path : "";
  const scheme =
    /^(s3|gcs|gs|smb|sftp|azblob):\/\//i.exec(path)?.[1] ??
    (path.startsWith("\\\\") ? "smb" : undefined);
  if (scheme) return [`${scheme} folders are not supported yet`];
  return notYet(spec, ["awsConnection", "gcpConnection", "smbConnection", "sftpConnection"]);
}

const otherClusters = (spec: Spec) => notYet(spec, ["eks", "gke", "cnrm"]);

/** What makes a check of a type unable to run, beside what holds for every type. */
const particular: Record<SupportedCheckType, (spec: Spec, templated: boolean) => string[]> = {
  http: (spec, templated) => [
    ...notYet(spec, ["crawl"]),
    ...(templated
      ? [...notYet(spec, ["templateBody"]), ...template(spec, ["url", "endpoint"])]
      : []),
  ],
  tcp: () => [],
  dns: () => [],
  icmp: () => [],
  exec: (spec, templated) => [
    ...notYet(spec, ["artifacts"]),
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
    ...(templated ? template(spec, ["script"]) : []),
  ],
  postgres: (spec, templated) => (templated ? template(spec, ["query", "url", "connection"]) : []),
  mysql: (spec, templated) => (templated ? template(spec, ["query", "url", "connection"]) : []),
  mssql: (spec, templated) => (templated ? template(spec, ["query", "url", "connection"]) : []),
  redis: () => [],
  folder: remoteFolder,
  heartbeat: () => [],
  awsConfig: () => [],
  awsConfigRule: () => [],
  cloudwatch: () => [],
  ec2: (spec) => notYet(spec, ["canaryRef"]),
  kubernetes: otherClusters,
  ldap: () => [],
  mongodb: () => [],
};

/** Every reason, joined; undefined when the check can run. `templated` is false when the document turns templates off. */
export function heldReason(
  type: string,
  spec: Record<string, unknown>,
  templated = true,
): string | undefined {
  if (!isSupportedCheckType(type))
    return `Checks of type ${type} are not supported by this version, so the check is not run.`;
  const reasons = [
    ...scripts(spec),
    ...unresolvedValues(spec),
    ...storedConnection(spec),
    ...particular[type](spec, templated),
  ];
  return reasons.length > 0 ? `${reasons.join("; ")}.` : undefined;
}
