import { leavesNetwork, namesLocalScheme } from "./leaves-network.ts";
import type { CodeKind } from "./server-code.ts";

/** What one part of a document reaches on the server's machine, read from it as it was written; nothing for most. */
export type CodeJudge = (part: Readonly<Record<string, unknown>>) => CodeKind | undefined;

export const never: CodeJudge = () => undefined;
export const always =
  (kind: CodeKind): CodeJudge =>
  () =>
    kind;
export const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "";

/** An address that does not lead over the network for certain counts as a socket. */
export const socketIn =
  (...keys: string[]): CodeJudge =>
  (part) =>
    keys.some((key) => leavesNetwork(part[key])) ? "socket" : undefined;

/** Targets that are spoken to in HTTP. */
export const overHttp: CodeJudge = ({ url, endpoint, host, connection, proxy }) =>
  [url, endpoint, host, connection, proxy].some(namesLocalScheme) ? "socket" : undefined;

/** Of a kubeconfig no program is run; but it may be the path of one on this machine, and not its text. */
export const kubeconfigFile: CodeJudge = ({ kubeconfig }) => {
  const text =
    typeof kubeconfig === "object" && kubeconfig !== null && "value" in kubeconfig
      ? kubeconfig.value
      : kubeconfig;
  const namesFile = typeof text === "string" && (/^\s*[~./]/.test(text) || /\{\{|\$\(/.test(text));
  return namesFile ? "file" : undefined;
};
