import { getServers } from "node:dns";

/** The machine's own name server: the first it is told to use, with its port. */
export function systemServer(): { host: string; port: number } | undefined {
  const first = getServers()[0];
  if (first === undefined) return undefined;
  const match = /^\[(.+)\]:(\d+)$/.exec(first) ?? /^([^:]+):(\d+)$/.exec(first);
  return match ? { host: match[1] as string, port: Number(match[2]) } : { host: first, port: 53 };
}
