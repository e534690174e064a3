import {
  always,
  type CodeJudge,
  isSet,
  kubeconfigFile,
  never,
  overHttp,
  socketIn,
} from "../code-judges.ts";
import type { CodeFinding, CodeKind } from "../server-code.ts";
import {
  canarySpec,
  checkKeys,
  type SupportedCheckType,
  type UnsupportedCheckType,
} from "./canary-spec.ts";
import { typeUnder } from "./check-lists.ts";

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a folder lies elsewhere for certain: its path says so, or the host that is asked for it. */
const folder: CodeJudge = ({ path, sftpConnection, smbConnection }) => {
  const text = typeof path === "string" ? path : "";
  if (/^(s3|gcs|gs|smb|sftp|azblob):\/\//i.test(text) || text.startsWith("\\\\")) return undefined;
  const { host, connection } = (sftpConnection ?? smbConnection ?? {}) as Record<string, unknown>;
  return isSet(host) || isSet(connection) ? undefined : "folder";
};

const partOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isMapping(value) ? value : {};

/**
 * Every check type says what it may reach here, those that are kept and not run yet as well: they are stored now and
 * will run one day. A type without an entry does not compile.
 */
const judges = {
  http: (check) => overHttp(check) ?? kubeconfigFile(partOf(check.kubernetes)),
  // Steps name no scheme but that of HTTP.
  multistep: overHttp,
  tcp: never,
  domain: never,
  dns: never,
  icmp: never,
  exec: always("program"),
  postgres: socketIn("url", "connection"),
  mysql: socketIn("url", "connection"),
  redis: socketIn("url", "addr", "connection"),
  folder,
  heartbeat: never,

  alertmanager: overHttp,
  awsConfig: never,
  awsConfigRule: never,
  azureDevops: overHttp,
  catalog: never,
  cloudwatch: never,
  // These speak to the daemon of the machine they run on.
  containerdPush: always("socket"),
  dockerPush: always("socket"),
  databaseBackup: never,
  dynatrace: overHttp,
  ec2: never,
  elasticsearch: overHttp,
  opensearch: overHttp,
  github: overHttp,
  gitProtocol: never,
  helm: ({ cafile }) => (isSet(cafile) ? "file" : undefined),
  jmeter: always("program"),
  junit: always("program"),
  // Of a kubeconfig no program is run; the path of one reads a file.
  kubernetes: kubeconfigFile,
  // What is created in the cluster that the server runs in can mount and run anything.
  kubernetesResource: always("program"),
  namespace: always("program"),
  pod: always("program"),
  ldap: socketIn("url", "host", "connection"),
  mongodb: socketIn("url", "connection"),
  mssql: socketIn("url", "connection"),
  prometheus: overHttp,
  amqp: never,
  argo: never,
  s3Bucket: never,
  pubsub: never,
  restic: always("program"),
  s3: never,
  // These ask a registry over the network, and no daemon.
  containerd: never,
  docker: never,
  webhook: never,
} satisfies Record<SupportedCheckType | UnsupportedCheckType, CodeJudge>;

const isKnown = (type: string): type is keyof typeof judges => Object.hasOwn(judges, type);

/** What one check of a type reaches on the server's machine; a type that nobody has judged may reach anything. */
export const codeInCheck = (
  type: string,
  check: Readonly<Record<string, unknown>>,
): CodeKind | undefined => (isKnown(type) ? judges[type](check) : "unknown");

const checkTypes = new Set<string>(checkKeys);
const ownFields = new Set(Object.keys(canarySpec.shape).filter((key) => !checkTypes.has(key)));

/** Everything in a spec, as it was written, that reaches into the server's machine. */
export function codeInCanarySpec(source: Readonly<Record<string, unknown>>): CodeFinding[] {
  return Object.entries(source).flatMap(([key, written]) => {
    if (ownFields.has(key)) return [];
    const type = typeUnder(key);
    // Of keys that are no check type of this version, those that look like one: lists of mappings.
    if (!isKnown(type) && !(Array.isArray(written) && written.some(isMapping))) return [];
    const isList = Array.isArray(written);
    return (isList ? written : [written]).flatMap((check, index): CodeFinding[] => {
      if (!isMapping(check)) return [];
      const kind = codeInCheck(type, check);
      const name =
        typeof check.name === "string" && check.name !== "" ? check.name : `${type}-${index}`;
      return kind ? [{ path: isList ? [key, index] : [key], kind, name }] : [];
    });
  });
}
