import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import pg from "pg";
import { type Address, isIn, meanings, parseNetwork } from "./address-policy.ts";

/** Where this server's own database answers, as DATABASE_URL or MIGRATION_DATABASE_URL names it. */
export interface OwnDatabase {
  port: number;
  /** The directory of its socket, when it is reached over one. */
  socketDir?: string;
  /** Whether a connection to this address, at its port, would reach it. */
  isAt(address: string): Promise<boolean>;
}

/** How long the addresses of its name are believed. */
const keptMs = 30_000;
const loopback = ["127.0.0.0/8", "::1/128", "0.0.0.0/32", "::/128"].map(parseNetwork);

const parsed = (text: string): Address => ipaddr.parse(text.replace(/%.*$/, ""));
const normal = (text: string): string[] => meanings(parsed(text)).map(String);

/** An address of this machine: whatever listens on all of them, or on this one, answers there. */
function isOurs(address: Address): boolean {
  if (isIn(address, loopback)) return true;
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((entry) => parsed(entry.address).toString() === address.toString());
}

export function ownDatabase(databaseUrl: string): OwnDatabase {
  // Read by the driver that will connect, so that both mean the same place.
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  const isSocket = host.startsWith("/") || host.startsWith("@");
  let known: { until: number; addresses: string[] } | undefined;

  async function addresses(): Promise<string[]> {
    if (isSocket) return [];
    if (isIP(host)) return normal(host);
    if (known && known.until > performance.now()) return known.addresses;
    try {
      const found = await lookup(host, { all: true });
      known = {
        until: performance.now() + keptMs,
        addresses: found.flatMap(({ address }) => normal(address)),
      };
    } catch (error) {
      // While names do not resolve, what was known goes on to count; without that nothing can be told apart.
      if (!known) throw error;
    }
    return known.addresses;
  }

  return {
    port,
    ...(isSocket && { socketDir: host }),
    async isAt(address) {
      const wanted = meanings(parsed(address));
      const here = isSocket ? [] : await addresses();
      if (wanted.some((meaning) => here.includes(meaning.toString()))) return true;
      const isOnThisMachine = isSocket || here.some((entry) => isOurs(parsed(entry)));
      return isOnThisMachine && wanted.some(isOurs);
    },
  };
}
