import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { programSource } from "@mainstay/testkit/program-file.ts";
import { afterAll, expect, test } from "vitest";
import { mainstay, makeHome } from "./testing/mainstay.ts";

const home = makeHome();
const seen = mkdtempSync("/tmp/mainstay-modules-");
afterAll(() => {
  home.remove();
  rmSync(seen, { recursive: true, force: true });
});

/** A process that is asked for its coverage tells every module that it has read. */
async function modules(args: string[]): Promise<string[]> {
  rmSync(seen, { recursive: true, force: true });
  await mainstay(args, { ...home.env, NODE_V8_COVERAGE: seen }, undefined, programSource);
  return readdirSync(seen).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(seen, file), "utf8")) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
}

const ofFeatures = (urls: readonly string[]) =>
  urls.filter((url) => /\/server\/src\/(features|app)\b/.test(url));

test.each([
  [["--version"]],
  [["version"]],
  [["get", "checks"]],
  [["get", "canaries"]],
  [["apply", "-f", "nowhere.yaml"]],
  [["diff", "-f", "nowhere.yaml"]],
  [["delete", "canary", "nothing"]],
  [["login", "--server", "nowhere"]],
  [["eval", "--language", "jsonpath", "a"]],
  [["reset-second-factor", "ada@example.org"]],
])("%j starts without the server", async (args) => {
  const urls = await modules(args);
  expect(urls.filter((url) => url.endsWith("/cli/program.ts"))).toHaveLength(1);
  expect(ofFeatures(urls)).toEqual([]);
});

test("what needs the features reads them", async () => {
  expect(ofFeatures(await modules(["serve", "--help"]))).not.toEqual([]);
});

test("help names all settings and kinds", async () => {
  for (const args of [["--help"], ["help"], ["serve", "--help"]]) {
    const { code, stdout } = await mainstay(args, home.env);
    expect(code).toBe(0);
    // Of the program's own and of a feature.
    for (const flag of ["--data-dir", "--check-concurrency"]) expect(stdout).toContain(flag);
  }
  for (const args of [
    ["get", "--help"],
    ["help", "get"],
  ])
    expect((await mainstay(args, home.env)).stdout).toContain(
      "canaries, connections, logging-backends, scrapers, topologies or checks",
    );
});
