import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, removeFolder, runProgram, temporaryFolder } from "./program.ts";

export interface Certificates {
  /** The authority that signed the others. */
  ca: string;
  caFile: string;
  /** For localhost and 127.0.0.1, signed by the authority. */
  cert: string;
  certFile: string;
  key: string;
  keyFile: string;
  /** Deletes the files. */
  remove(): void;
}

/**
 * Certificates of a throwaway authority, made by openssl; undefined when it is not installed. `days` may be negative:
 * then the certificate has expired already.
 */
export function makeCertificates(
  options: { days?: number; names?: readonly string[] } = {},
): Certificates | undefined {
  const openssl = findProgram("openssl");
  if (!openssl) return undefined;
  const { days = 90, names = ["DNS:localhost", "IP:127.0.0.1"] } = options;
  const folder = temporaryFolder("certificates");
  const file = (name: string) => join(folder, name);
  const key = (name: string) => [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    file(name),
  ];
  runProgram(openssl, [
    "req",
    "-x509",
    ...key("ca.key"),
    "-out",
    file("ca.pem"),
    "-days",
    "3650",
    "-subj",
    "/CN=Mainstay test authority",
  ]);
  runProgram(openssl, [
    "req",
    ...key("server.key"),
    "-out",
    file("server.csr"),
    "-subj",
    "/CN=localhost",
  ]);
  writeFileSync(file("extensions"), `subjectAltName=${names.join(",")}\n`);
  const stamp = (time: number) => new Date(time).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  const now = Date.now();
  const end = now + days * 86_400_000;
  // `x509` knows only days from now on; `ca` takes both ends.
  writeFileSync(file("index.txt"), "");
  writeFileSync(file("serial"), "01\n");
  writeFileSync(
    file("ca.cnf"),
    [
      "[ca]\ndefault_ca=d\n[d]",
      `database=${file("index.txt")}\nserial=${file("serial")}\nnew_certs_dir=${folder}`,
      "default_md=sha256\npolicy=p\nrand_serial=yes\n[p]\ncommonName=supplied\n",
    ].join("\n"),
  );
  runProgram(openssl, [
    "ca",
    "-batch",
    "-config",
    file("ca.cnf"),
    "-cert",
    file("ca.pem"),
    "-keyfile",
    file("ca.key"),
    "-in",
    file("server.csr"),
    "-out",
    file("server.pem"),
    "-notext",
    "-extfile",
    file("extensions"),
    "-startdate",
    stamp(Math.min(now, end) - 864e5),
    "-enddate",
    stamp(end),
  ]);
  const read = (name: string) => readFileSync(file(name), "utf8");
  // Servers that give up their rights read the key afterwards.
  runProgram("chmod", ["-R", "a+rX", folder]);
  return {
    ca: read("ca.pem"),
    caFile: file("ca.pem"),
    cert: read("server.pem"),
    certFile: file("server.pem"),
    key: read("server.key"),
    keyFile: file("server.key"),
    remove: () => removeFolder(folder),
  };
}
