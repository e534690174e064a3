import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { areInstalled, startSshd } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type AskOptions, askBackend } from "../testing/ask-backend.ts";
import { journald } from "./journald.ts";

/** The real journalctl, of a journal that systemd's own program has written. */
const writer = "/lib/systemd/systemd-journal-remote";

const start = Date.parse("2026-06-15T10:00:00Z") * 1000;
const entry = (n: number, fields: Record<string, string>) =>
  `${Object.entries({
    __REALTIME_TIMESTAMP: String(start + n * 1_000_000 + 7),
    __MONOTONIC_TIMESTAMP: String(n + 1),
    _BOOT_ID: "0123456789abcdef0123456789abcdef",
    _HOSTNAME: "web",
    ...fields,
  })
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")}\n\n`;

describe.skipIf(!existsSync(writer) || !areInstalled("journalctl"))("a journal", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "journal-"));
    const entries = Array.from({ length: 5000 }, (_, n) =>
      entry(n, {
        MESSAGE: n === 3 ? "the needle's 'place' $(id)" : `line ${n}`,
        PRIORITY: n % 10 === 0 ? "3" : "6",
        _SYSTEMD_UNIT: n % 2 === 0 ? "shop.service" : "db.service",
        SYSLOG_IDENTIFIER: "app",
      }),
    );
    execFileSync(writer, ["-o", join(directory, "test.journal"), "-"], {
      input: entries.join(""),
      stdio: ["pipe", "ignore", "ignore"],
    });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const ask = (options?: AskOptions, spec: object = {}) =>
    askBackend(journald, { directory, ...spec }, options);
  const messages = async (options?: AskOptions, spec?: object) =>
    (await ask(options, spec)).lines.map(({ message }) => message);

  test("entries are lines with their moment, level and labels", async () => {
    expect((await ask({ limit: 1, direction: "forward" })).lines).toEqual([
      {
        id: expect.stringMatching(/^s=/),
        timestamp: "2026-06-15T10:00:00.000007Z",
        message: "line 0",
        level: "error",
        labels: {
          unit: "shop.service",
          app: "app",
          host: "web",
          boot: "0123456789abcdef0123456789abcdef",
        },
      },
    ]);
    expect(await messages({ limit: 2 })).toEqual(["line 4999", "line 4998"]);
    expect(await messages({ from: "2026-06-15T10:00:04Z", to: "2026-06-15T10:00:06Z" })).toEqual([
      "line 5",
      "line 4",
    ]);
  });

  test("what the journal knows it is asked, and the rest is looked for", async () => {
    expect(await messages({ query: "level=error unit=shop.service", limit: 2 })).toEqual([
      "line 4990",
      "line 4980",
    ]);
    expect(await messages({ labels: { unit: "db.service" }, limit: 1 })).toEqual(["line 4999"]);
    expect(await messages({ limit: 1 }, { units: "shop.service" })).toEqual(["line 4998"]);
    expect(await messages({ query: "needle" })).toEqual(["the needle's 'place' $(id)"]);
    expect(await messages({ query: "-unit=db.service -level=error", limit: 1 })).toEqual([
      "line 4998",
    ]);
    expect(await messages({ labels: { unit: "'; touch /tmp/x; '" } })).toEqual([]);
    expect(await messages({}, { matches: { _TRANSPORT: "kernel" } })).toEqual([]);
  });

  test.each(["backward", "forward"] as const)(
    "pages %s lead through all once",
    async (direction) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await ask({ direction, limit: 900, ...(cursor && { cursor }) });
        found.push(...page.lines.map(({ message }) => message));
        cursor = page.next;
      } while (cursor !== undefined);
      expect([found.length, new Set(found).size]).toEqual([5000, 5000]);
      expect(found.at(0)).toBe(direction === "forward" ? "line 0" : "line 4999");
      await expect(ask({ cursor: "made up" })).rejects.toThrow("no cursor");
    },
  );

  test("a folder that is not there is said", async () => {
    await expect(ask({}, { directory: "/nowhere" })).rejects.toThrow("the journal cannot be read");
  });

  test.skipIf(!areInstalled("sshd"))("the same over SSH", async () => {
    const server = await startSshd();
    onTestFinished(() => server?.stop());
    const spec = {
      host: "127.0.0.1",
      port: server!.port,
      username: server!.username,
      privateKey: server!.key,
    };
    expect(await messages({ query: "needle" }, spec)).toEqual(["the needle's 'place' $(id)"]);
    await expect(ask({}, { ...spec, username: "nobody-here" })).rejects.toThrow("did not let");
  });
});
