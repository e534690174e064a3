import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { settings } from "../settings.ts";

const main = new URL("secrets-in-environment.ts", import.meta.url).href;

/** A program that forgets the secret ones of our settings and says what is still to be seen of it. */
const program = `
  const { forgetSecrets } = await import(${JSON.stringify(main)});
  const { readFileSync } = await import("node:fs");
  forgetSecrets(${JSON.stringify(settings)});
  console.log(JSON.stringify({ env: process.env, line: readFileSync("/proc/self/cmdline", "utf8") }));`;

function seen(args: string[], env: NodeJS.ProcessEnv) {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", program, "--", "mainstay", ...args],
    { env: { PATH: process.env.PATH, ...env }, cwd: fileURLToPath(new URL(".", import.meta.url)) },
  );
  expect(String(stderr)).toBe("");
  return JSON.parse(String(stdout)) as { env: Record<string, string>; line: string };
}

const secrets = Object.values(settings).filter((row) => row.isSecret);

test("every secret setting leaves the environment, nothing else does", () => {
  expect(secrets.length).toBeGreaterThan(3);
  const given = Object.fromEntries(secrets.map(({ env }) => [env, "sesame"]));
  const { env } = seen([], { ...given, PORT: "1", HOME: "/home" });
  expect(Object.values(env)).not.toContain("sesame");
  expect(env).toMatchObject({ PORT: "1", HOME: "/home" });
});

test.skipIf(process.platform !== "linux")(
  "a secret flag leaves the command line that everybody on the machine can read",
  () => {
    const [first, ...others] = secrets.map(({ flag }) => flag);
    const given = [...others.flatMap((flag) => [flag, "sesame"]), `${first}=sesame`];
    expect(seen(given, {}).line).not.toContain("sesame");
    expect(seen([given.at(-1)!], {}).line).not.toContain("sesame");
    expect(seen(["--port", "1"], {}).line).toContain("--port");
  },
);
