import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { NotTried } from "./not-tried.ts";

/** Which unix sockets may be connected to: none, but in these directories. */
export interface SocketPolicy {
  /** Directories that the administrator named. */
  allow: readonly string[];
  /** Directories of our own: nothing in them or below, whatever is allowed. */
  never: readonly string[];
}

/** The data directory, and where the embedded database puts its socket when that path is too long for one. */
export const ownDirectories = (dataDir: string): string[] => [
  dataDir,
  `/tmp/mainstay-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`,
];

/** The real path of a socket that may be connected to; throws when the policy forbids it. */
export async function judgeSocket(path: string, policy: SocketPolicy): Promise<string> {
  const refused = () =>
    new NotTried(
      `the socket ${path} is not in a directory that this server allows (SOCKET_DIRS names them)`,
    );
  // Before anything is looked up: the answer must not tell what lies in forbidden places.
  if (policy.allow.length === 0) throw refused();
  const real = await realpath(path).catch(() => undefined);
  const place = dirname(real ?? path);
  const [allow, never] = await Promise.all([resolveAll(policy.allow), resolveAll(policy.never)]);
  if (!allow.includes(place)) throw refused();
  if (never.some((own) => place === own || place.startsWith(own + sep))) throw refused();
  if (real === undefined) throw new Error(`there is no ${path}`);
  return real;
}

/** Without symbolic links; a directory that is not there has none. */
const resolveAll = (directories: readonly string[]) =>
  Promise.all(directories.map((directory) => realpath(directory).catch(() => directory)));
