import type { Log } from "#platform/log.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { exchange } from "#platform/outbound/http/exchange.ts";

const TIMEOUT_MS = 3_000;
const HEALTH = "/api/_health";

export interface SelfAddress {
  /** Where this server is asked. */
  address: string;
  /** The address that people type, when it leads nowhere from here. */
  unreachable?: string;
}

interface SelfAddressParts {
  /** The address that people type. */
  address: string;
  /** Where this server answers on its own machine. */
  localAddress: string;
  connector: Connector;
  log: Log;
}

/**
 * Where our own checks ask. The address that people type may lead here only later, or never from inside: a proxy or a
 * name that is still to come, a router that does not turn round. That is no failure of this server.
 */
export async function selfAddress(parts: SelfAddressParts): Promise<SelfAddress> {
  const { address, localAddress, log } = parts;
  if (address === localAddress) return { address };
  const why = await whyUnreachable(parts);
  if (why === undefined) return { address };
  log.warn(
    { address, why },
    "PUBLIC_URL is not reachable from here: Mainstay's own checks ask the local address, until a start at which it is",
  );
  return { address: localAddress, unreachable: address };
}

async function whyUnreachable({
  address,
  connector,
}: SelfAddressParts): Promise<string | undefined> {
  try {
    const { code, body } = await exchange(
      { url: new URL(address + HEALTH) },
      { signal: AbortSignal.timeout(TIMEOUT_MS), connector },
    );
    return code === 200 && body.includes('"ok"') ? undefined : `something else answers (${code})`;
  } catch (error) {
    return (error as Error).message;
  }
}
