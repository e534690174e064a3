import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

export interface LdapServer {
  port: number;
  /** Port that speaks TLS; only with certificates. */
  tlsPort?: number;
  /** Of somebody who may read everything; nobody else may read anything. */
  bindName: string;
  password: string;
  stop(): Promise<void>;
}

const suffix = "dc=example,dc=org";
const bindName = `cn=reader,${suffix}`;

/** A real OpenLDAP with these people below `ou=people,dc=example,dc=org`; undefined when it is not installed. */
export async function startSlapd(
  options: { people?: readonly string[]; certificates?: Certificates } = {},
): Promise<LdapServer | undefined> {
  const program = findProgram("slapd");
  const add = findProgram("slapadd");
  if (!program || !add) return undefined;
  const { people = ["anna", "ben"], certificates } = options;
  const folder = temporaryFolder("slapd");
  const password = "sesame secret";
  mkdirSync(join(folder, "data"));
  const config = join(folder, "slapd.conf");
  writeFileSync(
    config,
    [
      ...["core", "cosine", "inetorgperson"].map(
        (name) => `include /etc/ldap/schema/${name}.schema`,
      ),
      "modulepath /usr/lib/ldap",
      "moduleload back_mdb",
      `pidfile ${join(folder, "pid")}`,
      ...(certificates
        ? [
            `TLSCACertificateFile ${certificates.caFile}`,
            `TLSCertificateFile ${certificates.certFile}`,
            `TLSCertificateKeyFile ${certificates.keyFile}`,
          ]
        : []),
      "database mdb",
      "maxsize 10485760",
      `suffix "${suffix}"`,
      `directory ${join(folder, "data")}`,
      `access to attrs=userPassword by anonymous auth by * none`,
      `access to * by dn.exact="${bindName}" read by * none`,
      "",
    ].join("\n"),
  );
  const entries = [
    `dn: ${suffix}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example`,
    `dn: ${bindName}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: reader\nuserPassword: ${password}`,
    `dn: ou=people,${suffix}\nobjectClass: organizationalUnit\nou: people`,
    ...people.map(
      (uid) =>
        `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid} (who)\nsn: ${uid}`,
    ),
  ];
  const ldif = join(folder, "entries.ldif");
  writeFileSync(ldif, `${entries.join("\n\n")}\n`);
  runProgram(add, ["-q", "-f", config, "-l", ldif]);
  const port = await freePort();
  const tlsPort = certificates && (await freePort());
  const addresses = [
    `ldap://127.0.0.1:${port}/`,
    ...(tlsPort ? [`ldaps://127.0.0.1:${tlsPort}/`] : []),
  ];
  const running = await startProgram({
    program,
    args: ["-f", config, "-h", addresses.join(" "), "-d", "0"],
    isReady: () => acceptsOn(port),
  });
  return {
    port,
    tlsPort,
    bindName,
    password,
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}
