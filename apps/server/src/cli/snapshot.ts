import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StartupError } from "@mainstay/embedded-postgres";
import { download, findServer, type ServerFlags } from "./server-access.ts";

interface SnapshotOptions extends ServerFlags {
  output?: string;
  start?: string;
  end?: string;
  related?: boolean;
  logFormat?: string;
}

/** Fetches the snapshot of a thing. The file is there when all of it is. */
export async function snapshot(kind: string, id: string, options: SnapshotOptions): Promise<void> {
  const { start, end, related, logFormat, output = `${kind}-${id}-snapshot.zip` } = options;
  const query = new URLSearchParams({
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(related && { related: "true" }),
    ...(logFormat !== undefined && { logFormat }),
  });
  const path = `/api/snapshot/${encodeURIComponent(kind)}/${encodeURIComponent(id)}?${query.toString()}`;
  const pieces = Readable.from(download(findServer(options), path), { objectMode: false });
  if (output === "-") return pipeline(pieces, process.stdout, { end: false });
  if (existsSync(output)) throw new StartupError(`${output} is there already.`);
  const part = `${output}.part`;
  try {
    await pipeline(pieces, createWriteStream(part, { flags: "wx", mode: 0o600 }));
    await rename(part, output);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new StartupError(
        `${part} is there already: another one is under way, or was given up.`,
      );
    await rm(part, { force: true });
    throw error;
  }
  process.stdout.write(`${output}\n`);
}
