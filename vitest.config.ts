import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { makeThrowawayFolder } from "./packages/testkit/src/vitest/throwaway.ts";

// For what tests start as well.
process.env["MAINSTAY_THROWAWAY"] ??= makeThrowawayFolder();

/** Tests in which something stands in for a module, which would do so for the next file of a worker as well. */
const mocking = globSync("apps/server/src/**/*.test.ts").filter((file) =>
  readFileSync(file, "utf8").includes("vi.mock("),
);

const says = ({ moduleId }: TestSpecification, words: string) =>
  readFileSync(moduleId, "utf8").includes(words);

/**
 * What says that it takes long is begun first: one that is begun last is waited for by itself. What has a document stands
 * together: a worker is ended when its next file has none.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const alike = Map.groupBy(
      sorted,
      (file) => `${says(file, "@vitest-environment") ? "document" : "plain"} ${file.project.name}`,
    );
    return Array.from(alike.entries())
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, some]) => [
        ...some.filter((file) => says(file, "Takes long")),
        ...some.filter((file) => !says(file, "Takes long")),
      ]);
  }
}

const server = {
  pool: "forks" as const,
  // What test files import is read once by each worker; the program keeps nothing of a database in its modules.
  isolate: false,
  // Only what hangs takes so long: a database that is killed is there again within seconds, but not on a busy machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

const drawing = {
  setupFiles: ["packages/ui/src/testing/set-up.ts"],
  isolate: false,
  testTimeout: 60_000,
};

export default defineConfig({
  test: {
    // One more than cores: a quarter of the time tests wait for programs, clocks and the database, which is each file's own.
    maxWorkers: 3,
    // A worker ends its servers, and they their databases.
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: "architecture", include: ["architecture.test.ts", "resources.test.ts"] } },
      { test: { name: "ui", include: ["packages/ui/src/**/*.test.{ts,tsx}"], ...drawing } },
      {
        test: {
          name: "packages",
          include: ["packages/*/src/**/*.test.ts"],
          exclude: ["packages/ui/**"],
          globalSetup: ["packages/testkit/src/global-setup.ts"],
          ...server,
        },
      },
      {
        test: {
          name: "server",
          include: ["apps/server/src/**/*.test.ts"],
          exclude: mocking,
          alias: {
            "@node-rs/argon2": new URL("apps/server/src/testing/quick-argon2.ts", import.meta.url)
              .pathname,
          },
          globalSetup: ["apps/server/src/testing/global-setup.ts", "scripts/build-program.mjs"],
          ...server,
        },
      },
      {
        test: {
          name: "server-mocking",
          include: mocking,
          globalSetup: ["apps/server/src/testing/global-setup.ts"],
          ...server,
          isolate: true,
        },
      },
      { test: { name: "console", include: ["apps/console/src/**/*.test.{ts,tsx}"], ...drawing } },
      {
        test: {
          name: "e2e",
          include: ["apps/e2e/src/**/*.test.ts"],
          globalSetup: ["scripts/build-program.mjs"],
          // A worker has one browser, and one server for all journeys that need no set-up of their own (journey.ts).
          maxWorkers: 2,
          pool: "forks",
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // A browser on a busy machine takes its time.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
