import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { areInstalled } from "@mainstay/testkit/servers/index.ts";
import { tryCheck } from "../testing/try-check.ts";
import { icmp } from "./icmp.ts";
import { parsePing } from "./parse-ping.ts";

describe.skipIf(!areInstalled("ping"))("with the ping of this machine", () => {
  test.each(["127.0.0.1", "localhost", "::1"])("%s answers", async (endpoint) => {
    const outcome = await tryCheck(icmp, { endpoint, packetCount: 2, thresholdMillis: 1000 });
    // A container without IPv6 or without the right to ping must say so, and not pass.
    if (!outcome.pass)
      expect(outcome.error).toMatch(
        /does not allow echo requests|cannot be reached|not permitted|unreachable|Cannot assign/i,
      );
    else {
      expect(outcome.message).toMatch(/^2 of 2 answered, [\d.]+ ms on average$/);
      expect(outcome.details).toMatchObject({ sent: 2, received: 2, packetLoss: 0 });
    }
  });

  test("a name that nobody has fails", async () => {
    const outcome = await tryCheck(icmp, { endpoint: "host.invalid" });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(/host\.invalid/);
  });

  test("an abort ends it", async () => {
    const outcome = await tryCheck(
      icmp,
      { endpoint: "127.0.0.1", packetCount: 100 },
      { timeoutMs: 300 },
    );
    // A container without the right to ping ends earlier, and says so.
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(/^timed out after 300 ms$|does not allow echo requests/);
  });
});

test("a machine without ping says so", async () => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  try {
    expect(await tryCheck(icmp, { endpoint: "127.0.0.1" })).toMatchObject({
      untried: true,
      error: "ping is not installed on this machine",
    });
  } finally {
    process.env.PATH = PATH;
  }
});

test.each<[string, string, object, string, object]>([
  [
    "nobody answers",
    "5 packets transmitted, 0 received, 100% packet loss, time 4090ms",
    {},
    "no answer from 127.0.0.1 to 5 packets",
    { sent: 5, received: 0, packetLoss: 100 },
  ],
  [
    "some are lost",
    "5 packets transmitted, 4 received, 20% packet loss, time 804ms",
    { packetLossThreshold: 10 },
    "20 % of 5 packets were lost, at most 10 % wanted",
    { packetLoss: 20 },
  ],
  [
    "they take too long",
    "5 packets transmitted, 5 received, 0% packet loss, time 804ms\nrtt min/avg/max/mdev = 1/80/90/1 ms",
    { thresholdMillis: 50 },
    "the average round trip is 80 ms, at most 50 ms wanted",
    { averageMs: 80 },
  ],
])("it fails where %s", async (_name, report, more, error, details) => {
  const folder = await mkdtemp(join(tmpdir(), "mainstay-ping-"));
  const { PATH } = process.env;
  try {
    // What the real one reports of hosts that are not on this machine.
    await writeFile(join(folder, "ping"), `#!/bin/sh\ncat <<'END'\n${report}\nEND\nexit 1\n`);
    await chmod(join(folder, "ping"), 0o755);
    process.env.PATH = `${folder}:${PATH}`;
    const outcome = await tryCheck(icmp, { endpoint: "127.0.0.1", ...more });
    expect(outcome).toMatchObject({ pass: false, error, details });
    expect(outcome.untried).toBeUndefined();
  } finally {
    process.env.PATH = PATH;
    await rm(folder, { recursive: true });
  }
});

test.each([
  [undefined, "-c5"],
  [0, "-c5"],
  [3, "-c3"],
])("packetCount %s: ping is asked for %s", async (packetCount, asked) => {
  const folder = await mkdtemp(join(tmpdir(), "mainstay-ping-"));
  const { PATH } = process.env;
  try {
    const program = join(folder, "ping");
    // It answers for as many as it was asked for, and nothing else of the real one.
    await writeFile(
      program,
      `#!/bin/sh
for word; do case $word in -c*) echo "\${word#-c} packets transmitted, \${word#-c} received";; esac; done
`,
    );
    await chmod(program, 0o755);
    process.env.PATH = `${folder}:${PATH}`;
    const outcome = await tryCheck(icmp, { endpoint: "127.0.0.1", packetCount });
    expect(outcome).toMatchObject({ pass: true, details: { sent: Number(asked.slice(2)) } });
  } finally {
    process.env.PATH = PATH;
    await rm(folder, { recursive: true });
  }
});

test.each(["169.254.169.254", "https://169.254.169.254/"])(
  "the policy holds: %s",
  async (endpoint) => {
    expect(icmp.endpoint({ endpoint })).toBe("169.254.169.254");
    expect(await tryCheck(icmp, { endpoint })).toMatchObject({
      pass: false,
      error: expect.stringContaining("address policy") as string,
    });
  },
);

test.each([
  ["-f", false],
  ["a b", false],
  ["a/b", false],
  ["shop.example", true],
  ["https://shop.example/", true],
  ["https://shop.example/a", false],
])("%j as endpoint: %s", (endpoint, isGood) => {
  expect(icmp.spec.safeParse({ name: "a", endpoint }).success).toBe(isGood);
});

test.each([
  [
    "iputils",
    "PING …\n\n--- 1.1.1.1 ping statistics ---\n5 packets transmitted, 4 received, 20% packet loss, time 804ms\nrtt min/avg/max/mdev = 0.024/1.531/3.042/0.007 ms\n",
    { sent: 5, received: 4, averageMs: 1.531 },
  ],
  [
    "busybox",
    "5 packets transmitted, 5 packets received, 0% packet loss\nround-trip min/avg/max = 0.051/0.074/0.090 ms\n",
    { sent: 5, received: 5, averageMs: 0.074 },
  ],
  [
    "duplicates",
    "2 packets transmitted, 3 received, +1 duplicates, 0% packet loss, time 1ms\nrtt min/avg/max/mdev = 1/2/3/0 ms\n",
    { sent: 2, received: 2, averageMs: 2 },
  ],
  [
    "nothing came back",
    "5 packets transmitted, 0 received, 100% packet loss, time 4090ms\n",
    { sent: 5, received: 0 },
  ],
  [
    "errors",
    "5 packets transmitted, 0 received, +5 errors, 100% packet loss, time 4090ms\n",
    { sent: 5, received: 0 },
  ],
  ["nothing", "", undefined],
])("reads the report: %s", (_name, output, report) => {
  expect(parsePing(output)).toEqual(report);
});
