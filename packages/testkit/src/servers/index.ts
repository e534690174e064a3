export { type Certificates, makeCertificates } from "./certificates.ts";
export { type DnsServer, startDnsmasq } from "./dnsmasq.ts";
export { freePort } from "./free-port.ts";
export {
  type Account,
  everything,
  kubeconfigOf,
  type KubernetesOptions,
  type KubernetesServer,
  startKubernetes,
} from "./kubernetes-server.ts";
export { clusterKinds } from "./kubernetes-kinds.ts";
export { type ExecAnswer } from "./kubernetes-exec.ts";
export { type StoredObject } from "./kubernetes-store.ts";
export { type Listening, listenForPostgres, listenHttp, listenHttps, listenTcp } from "./listen.ts";
export { type MariadbServer, startMariadb } from "./mariadb.ts";
export { type NginxServer, startNginx } from "./nginx.ts";
export { type MonitoringServer, startAlertmanager, startPrometheus } from "./prometheus.ts";
export { areInstalled, findProgram, removeFolder, temporaryFolder } from "./program.ts";
export { type RedisServer, startRedis } from "./redis.ts";
export {
  digestOf,
  type PushedImage,
  pusherTo,
  type RegistryServer,
  startRegistry,
} from "./registry.ts";
export { type SambaServer, startSamba } from "./samba.ts";
export { type LdapServer, startSlapd } from "./slapd.ts";
export { type SshServer, startSshd } from "./sshd.ts";
