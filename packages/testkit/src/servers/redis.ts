import type { Certificates } from "./certificates.ts";
import { freePort } from "./free-port.ts";
import { acceptsOn, findProgram, removeFolder, startProgram, temporaryFolder } from "./program.ts";

export interface RedisServer {
  port: number;
  /** Port that speaks TLS; only with certificates. */
  tlsPort?: number;
  stop(): Promise<void>;
}

/** A real Redis; undefined when `redis-server` is not installed. */
export async function startRedis(
  options: { password?: string; certificates?: Certificates } = {},
): Promise<RedisServer | undefined> {
  const program = findProgram("redis-server");
  if (!program) return undefined;
  const folder = temporaryFolder("redis");
  const port = await freePort();
  const tlsPort = options.certificates && (await freePort());
  const { certificates } = options;
  const own = [
    "--bind",
    "127.0.0.1",
    "--port",
    String(port),
    "--dir",
    folder,
    "--save",
    "",
    "--daemonize",
    "no",
  ];
  const tls = certificates
    ? [
        "--tls-port",
        String(tlsPort),
        "--tls-auth-clients",
        "no",
        "--tls-cert-file",
        certificates.certFile,
        "--tls-key-file",
        certificates.keyFile,
        "--tls-ca-cert-file",
        certificates.caFile,
      ]
    : [];
  const running = await startProgram({
    program,
    args: [...own, ...(options.password ? ["--requirepass", options.password] : []), ...tls],
    isReady: () => acceptsOn(port),
  });
  return {
    port,
    tlsPort,
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}
