import type { FileBackend, JournaldBackend } from "@mainstay/contract";
import type { SshTarget } from "#platform/outbound/ssh/open-ssh.ts";

/** Where to sign in; nothing for this machine. */
export function machineOf(spec: FileBackend | JournaldBackend): SshTarget | undefined {
  const { connection } = spec;
  const address = connection && URL.canParse(connection) ? new URL(connection) : undefined;
  const host = spec.host || address?.hostname;
  if (!host) return undefined;
  const username = spec.username?.value || decodeURIComponent(address?.username ?? "");
  if (username === "") throw new Error("username: say who signs in at the machine.");
  const password = spec.password?.value || decodeURIComponent(address?.password ?? "");
  return {
    host: host.replaceAll(/^\[|\]$/g, ""),
    port: Number(spec.port ?? (address?.port || 22)),
    username,
    ...(password !== "" && { password }),
    privateKey: spec.privateKey?.value,
    hostKey: spec.hostKey,
  };
}
