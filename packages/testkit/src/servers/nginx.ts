import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Certificates } from "./certificates.ts";
import { freePort } from "./free-port.ts";
import {
  acceptsOn,
  findProgram,
  removeFolder,
  runProgram,
  startProgram,
  temporaryFolder,
} from "./program.ts";

export interface NginxServer {
  port: number;
  /** Port that speaks TLS and wants a certificate of the same authority; only with certificates. */
  tlsPort?: number;
  stop(): Promise<void>;
}

export interface NginxOptions {
  /** Of what is served, by their paths. */
  files: Readonly<Record<string, string>>;
  certificates?: Certificates;
  /** Everything below /private/ wants them. */
  login?: { username: string; password: string };
}

/** A real nginx; undefined when it is not installed. */
export async function startNginx(options: NginxOptions): Promise<NginxServer | undefined> {
  const program = findProgram("nginx");
  const openssl = findProgram("openssl");
  if (!program || !openssl) return undefined;
  const { files, certificates, login } = options;
  const folder = temporaryFolder("nginx");
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, "files", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  if (login) {
    const hash = spawnSync(openssl, ["passwd", "-apr1", "-stdin"], {
      input: login.password,
      encoding: "utf8",
    });
    writeFileSync(join(folder, "people"), `${login.username}:${hash.stdout}`);
  }
  const port = await freePort();
  const tlsPort = certificates && (await freePort());
  const served = [
    `root ${folder}/files; default_type text/plain; types { text/html html; application/json json; }`,
    login
      ? `location /private/ { auth_basic "private"; auth_basic_user_file ${folder}/people; }`
      : "",
    "location /moved { return 302 /index.html; }",
    "location /busy { add_header Retry-After 30 always; return 429; }",
  ].join("\n");
  const secured = certificates
    ? `server { listen 127.0.0.1:${tlsPort} ssl; ssl_certificate ${certificates.certFile};
       ssl_certificate_key ${certificates.keyFile}; ssl_client_certificate ${certificates.caFile};
       ssl_verify_client on; ${served} }`
    : "";
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;
     ${process.getuid?.() === 0 ? "user root;" : ""}
     events { worker_connections 64; }
     http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; ${served} } ${secured} }`,
  );
  runProgram("chmod", ["-R", "a+rX", folder]);
  const running = await startProgram({
    program,
    args: ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"],
    isReady: () => acceptsOn(port),
    hasChildren: true,
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
