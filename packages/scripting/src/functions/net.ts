import { BlockList, isIP } from "node:net";

/** Addresses as text; nothing is looked up or connected to. */

export const isValidIp = (address: string): boolean => isIP(address) !== 0;

/** Whether an address is in a block like `10.0.0.0/8`; never in what is none. */
export function isInCidr(cidr: string, address: string): boolean {
  const found = /^(.+)\/(\d{1,3})$/.exec(cidr);
  if (!found) return false;
  const [, network, prefix] = found as unknown as [string, string, string];
  const family = isIP(network);
  if (family === 0 || isIP(address) !== family || Number(prefix) > (family === 4 ? 32 : 128))
    return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const block = new BlockList();
  block.addSubnet(network, Number(prefix), type);
  return block.check(address, type);
}
