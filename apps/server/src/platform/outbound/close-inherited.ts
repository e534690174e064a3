import { closeSync, readdirSync, readFileSync } from "node:fs";

/** O_CLOEXEC of Linux, as /proc writes it. */
const closedOnExec = 0o2000000;

/**
 * Closes what whoever started this program left open, so that no program we start inherits it. Node opens everything
 * of its own so that it is closed there, and marks the first few inherited descriptors alike, but not those after a gap.
 * Called once, before anything else is opened.
 */
export function closeInherited(): void {
  if (process.platform !== "linux") return;
  // The channel to a parent that is a Node, too.
  const kept = new Set(["0", "1", "2", process.env.NODE_CHANNEL_FD]);
  for (const fd of readdirSync("/proc/self/fdinfo")) {
    if (kept.has(fd)) continue;
    try {
      const info = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
      const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? "", 8);
      if ((flags & closedOnExec) === 0) closeSync(Number(fd));
    } catch (error) {
      // The descriptor that listed them is closed by now.
      if (!["ENOENT", "EBADF"].includes((error as NodeJS.ErrnoException).code!)) throw error;
    }
  }
}
