import type { SecurityFact } from "@mainstay/contract";
import ipaddr from "ipaddr.js";
import type { Config } from "#platform/config.ts";
import { isBeyondMachine, travelsReadable } from "#platform/exposure.ts";
import { factsThatHold } from "#platform/security-facts.ts";

/** Networks of so many leading bits or fewer hold more machines than somebody knows. */
const WIDE_BITS = { ipv4: 16, ipv6: 48 };
const wideWords = ["uniquelocal", "linklocal"];

function isWide(proxy: string): boolean {
  if (wideWords.includes(proxy)) return true;
  if (!ipaddr.isValidCIDR(proxy)) return false;
  const [address, bits] = ipaddr.parseCIDR(proxy);
  return bits < WIDE_BITS[address.kind()] && address.range() !== "loopback";
}

/** What the settings of the program as a whole weaken. `address` is the one that people type. */
export function serverFacts(config: Config, address: string): SecurityFact[] {
  const others = config.codeRoles.filter((role) => role !== "admin");
  const wide = config.trustProxy.filter(isWide);
  return factsThatHold([
    [
      travelsReadable(config),
      () => ({
        id: "http.readable",
        title: "Passwords and sessions travel readable",
        state:
          config.publicUrl === undefined
            ? `It listens on ${config.host}, and PUBLIC_URL names no https address before it.`
            : `People reach it at ${config.publicUrl}, which is not https.`,
        cost: "Whoever sits on the network between can read passwords, take over sessions and change what is sent.",
        remedy: "Put a proxy with TLS before the server and set PUBLIC_URL to its https address.",
        setting: "PUBLIC_URL",
        weight: "serious",
      }),
    ],
    [
      config.checkerOnly && config.checkerWrite,
      () => ({
        id: "checker.write",
        title: "Everybody may change the checks",
        state: isBeyondMachine(config)
          ? `Nobody signs in at ${address}; that was acknowledged with CHECKER_WRITE_ANYONE.`
          : `Nobody signs in at ${address}, which only this machine reaches.`,
        cost: "Whoever reaches the server has it connect wherever they say. Programs, local folders, files and sockets are off.",
        remedy:
          "Start it without --checker-write, or without --checker-only and give people accounts.",
        setting: "CHECKER_WRITE",
        weight: "serious",
      }),
    ],
    [
      others.length > 0,
      () => ({
        id: "code.roles",
        title: "Others than administrators may run code on the server",
        state: `CODE_ROLES gives it to: ${others.join(", ")}.`,
        cost: "Each of them can save checks that run programs, read folders and reach sockets of this machine.",
        remedy: "Leave CODE_ROLES out, and let administrators save such checks.",
        setting: "CODE_ROLES",
        weight: "serious",
      }),
    ],
    [
      wide.length > 0,
      () => ({
        id: "proxy.wide",
        title: "Many machines may say where a request comes from",
        state: `TRUST_PROXY believes ${wide.join(", ")}.`,
        cost: "Any of these machines can pose as another address, which the limits on guesses and the audit log go by.",
        remedy: "Name the addresses of the proxies, not their whole network.",
        setting: "TRUST_PROXY",
        weight: wide.some((proxy) => proxy.endsWith("/0")) ? "serious" : "notable",
      }),
    ],
    [
      config.encryptionKey === undefined && config.databaseUrl === undefined,
      () => ({
        id: "key.beside.data",
        title: "The encryption key lies beside the data",
        state: `It is the file encryption.key in ${config.dataDir}.`,
        cost: "Whoever gets a copy of the data directory, from a backup for example, can read the stored secrets.",
        remedy:
          "Give the content of that file to the server as MAINSTAY_ENCRYPTION_KEY, kept elsewhere, and remove the file.",
        setting: "MAINSTAY_ENCRYPTION_KEY",
        weight: "notable",
      }),
    ],
  ]);
}
