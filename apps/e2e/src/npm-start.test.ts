import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startServer } from "./server.ts";

const root = join(import.meta.dirname, "../../..");

test("ending npm ends the server that npm start has started, and its database", async () => {
  const server = await startServer({ command: ["npm", "--prefix", root, "start", "--"] });
  const database = join(server.dataDir, "postgres-18/postmaster.pid");
  expect(existsSync(database)).toBe(true);
  // Sends SIGTERM to npm alone.
  server.process.kill("SIGTERM");
  await vi.waitFor(
    async () => {
      expect(existsSync(database)).toBe(false);
      await expect(fetch(`${server.address}/api/_health`)).rejects.toThrow("fetch failed");
    },
    { timeout: 30_000, interval: 100 },
  );
  await server.stop();
});
