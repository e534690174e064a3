import { defineConfig } from "vitest/config";

const server = { pool: "forks" as const, testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // Two cores, and every server test file has a database of its own.
    maxWorkers: 2,
    projects: [
      { test: { name: "architecture", include: ["architecture.test.ts"] } },
      {
        test: {
          name: "packages",
          include: ["packages/*/src/**/*.test.{ts,tsx}"],
          globalSetup: ["packages/testkit/src/global-setup.ts"],
          ...server,
        },
      },
      {
        test: {
          name: "server",
          include: ["apps/server/src/**/*.test.ts"],
          globalSetup: ["apps/server/src/testing/global-setup.ts"],
          ...server,
        },
      },
      { test: { name: "console", include: ["apps/console/src/**/*.test.{ts,tsx}"] } },
      {
        test: {
          name: "e2e",
          include: ["apps/e2e/src/**/*.test.ts"],
          fileParallelism: false,
          pool: "forks",
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // A browser on a busy machine takes its time.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
