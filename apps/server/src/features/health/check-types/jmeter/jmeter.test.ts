import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { createPrograms } from "#platform/outbound/programs.ts";
import { testConfig } from "../../../../testing/app.ts";
import { tryCheck } from "../testing/try-check.ts";
import { jmeter } from "./jmeter.ts";
import { readJmeterLog, rowsOf } from "./read-log.ts";

// What JMeter does otherwise than it should is shown with a program of the same options in its place; jmeter-real.test.ts
// runs plans with the real one (5.6.3), whose words these are.

const plan = '<?xml version="1.0"?><jmeterTestPlan version="1.2"><hashTree/></jmeterTestPlan>';
const head =
  "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";
const sample = (elapsed: number, success: boolean, code = "200", failure = "") =>
  `1700000000000,${elapsed},"Front, page",${code},OK,Threads 1-1,text,${success},${failure},10,10,1,1,http://x/,1,0,1`;
const good = `${head}\n${sample(30, true)}\n${sample(12, true)}\n`;

const broken = `WARN StatusConsoleListener The use of package scanning to locate plugins is deprecated and will be removed in a future release
Nov 22, 2026 11:21:36 PM java.util.prefs.FileSystemPreferences$1 run
INFO: Created user preferences directory.
Error in NonGUIDriver java.lang.IllegalArgumentException: Problem loading XML from:'/tmp/plan.jmx'.
Cause:
CannotResolveClassException: NoSuchSampler

 Detail:com.thoughtworks.xstream.converters.ConversionException:
---- Debugging information ----
first-jmeter-class  : org.apache.jmeter.save.converters.HashTreeConverter.unmarshal(HashTreeConverter.java:66)
-------------------------------
An error occurred: Error in NonGUIDriver Problem loading XML from:'/tmp/plan.jmx'.`;

/** Begins as the real one does: it wants its options, and the plan to be readable. */
const standIn = (ending: string) => `#!/bin/bash
declare -A seen
while [ $# -gt 0 ]; do
  case "$1" in
    -n) seen[n]=1; shift ;;
    -q) cat "$2" >>properties; shift 2 ;;
    -S) cat "$2" >>system; shift 2 ;;
    -t | -l | -j | -H | -P) seen[\${1#-}]=$2; shift 2 ;;
    -J* | -D*) echo "$1" >>options; shift ;;
    *) echo "Unknown option $1"; exit 1 ;;
  esac
done
[ -n "\${seen[n]}" ] && grep -q jmeterTestPlan "\${seen[t]}" || exit 1
log=\${seen[l]}
${ending}
`;
const writes = (log: string) => `echo Creating summariser; cat >"$log" <<'END'\n${log}END`;

describe("with a program in the place of JMeter", () => {
  const path = process.env.PATH;
  let folder: string;
  beforeAll(() => {
    folder = temporaryFolder("jmeter");
    chmodSync(folder, 0o755);
    process.env.PATH = `${folder}:${path}`;
  });
  afterAll(() => {
    process.env.PATH = path;
    removeFolder(folder);
  });
  const put = (ending: string) =>
    writeFileSync(join(folder, "jmeter"), standIn(ending), { mode: 0o755 });

  test("passes with what was measured", async () => {
    put(writes(good));
    expect(
      await tryCheck(jmeter, { jmx: { value: plan }, responseDuration: "42ms" }),
    ).toMatchObject({
      pass: true,
      message: "2 samples took 42 ms together",
      durationMs: 42,
      details: { samples: 2, failed: 0, elapsedMs: 42 },
    });
  });

  test("hands its options over", async () => {
    put('{ cat options properties system; echo "$(declare -p seen)"; } >&2; exit 3');
    const outcome = await tryCheck(jmeter, {
      jmx: plan,
      host: "proxy",
      port: 8080,
      properties: ["users=5", "words= two words; $(id) ü\\\nend", "gone="],
      systemProperties: ["user.language=en", "no.more="],
    });
    expect(outcome.error).toContain("jmeter ended with code 3");
    for (const line of [
      "-Jgone=\n",
      "-Dno.more=\n",
      "\nusers=5\n",
      "\nwords=\\u0020two words; $(id) \\u00fc\\u005c\\u000aend\n",
      "\nuser.language=en\n",
    ])
      expect(outcome.error).toContain(line);
    expect(outcome.error).not.toMatch(/-J(users|words)|-Duser/);
    expect(outcome.error).toMatch(/\[H\]="proxy"/);
    expect(outcome.error).toMatch(/\[P\]="8080"/);
  });

  test.each<[string, string, object, RegExp]>([
    [
      "a sample that failed",
      writes(`${head}\n${sample(3, true)}\n${sample(4, false, "500", '"wanted ""fine"""')}\n`),
      {},
      /^1 of 2 samples failed: Front, page: 500: wanted "fine"$/,
    ],
    [
      "samples that took too long",
      writes(good),
      { responseDuration: "41ms" },
      /took 42 ms together, at most 41 ms/,
    ],
    [
      "a sample that nobody answered",
      writes(
        `${head}\n1795389742529,27,"Front, ""page""",Non HTTP response code: org.apache.http.conn.HttpHostConnectException,Non HTTP response message: Connect to 127.0.0.1:1 [/127.0.0.1] failed: Connection refused,Users 1-1,text,false,Test failed: text expected to contain /hello/,2542,0,1,1,http://127.0.0.1:1/,0,0,26\n`,
      ),
      {},
      /^1 of 1 samples failed: Front, "page": Non HTTP .*: Connect to 127\.0\.0\.1:1 .* failed: Connection refused: Test failed: text expected to contain \/hello\/$/,
    ],
    [
      "a plan that cannot be read",
      `cat >&2 <<'END'\n${broken}\nEND\nexit 1`,
      {},
      /^jmeter ended with code 1: Error in NonGUIDriver .*Problem loading XML.*\s+Cause:\s+CannotResolveClassException: NoSuchSampler$/,
    ],
    ["nothing measured", writes(`${head}\n`), {}, /the plan measured nothing/],
    ["no log", "echo Error in NonGUIDriver", {}, /^jmeter wrote no log: Error in NonGUIDriver$/],
    ["another log", writes("a,b\n1,2\n"), {}, /does not name the columns/],
    ["a log that is cut", writes(`${head}\n1700,`), {}, /the line of its sample 1 cannot be read/],
    [
      "a log without end",
      `yes '${sample(1, true)}' | head -n 200000 >"$log"`,
      {},
      /longer than 8388608 bytes/,
    ],
    [
      "an end of its own",
      "echo broken plan; exit 1",
      {},
      /^jmeter ended with code 1: broken plan$/,
    ],
  ])("fails: %s", async (_name, ending, more, error) => {
    put(ending);
    const outcome = await tryCheck(jmeter, { jmx: plan, ...more }, { timeoutMs: 15_000 });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
  });

  test("fails: a plan that does not end", async () => {
    put("sleep 600");
    const outcome = await tryCheck(jmeter, { jmx: plan }, { timeoutMs: 1_500 });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(/^timed out after 1500 ms$/);
  });
});

test("where it is not installed the result says so", async () => {
  const path = process.env.PATH;
  const folder = temporaryFolder("no-jmeter");
  chmodSync(folder, 0o755);
  const script = '#!/bin/sh\nexec /bin/bash "$@"\n';
  writeFileSync(join(folder, "bash"), script, { mode: 0o755 });
  try {
    process.env.PATH = folder;
    expect(await tryCheck(jmeter, { jmx: plan })).toMatchObject({
      pass: false,
      error: "jmeter is not installed on this machine",
    });
  } finally {
    process.env.PATH = path;
    removeFolder(folder);
  }
});

test("what is no plan, and where programs are off", async () => {
  expect(await tryCheck(jmeter, { jmx: "<a/>" })).toMatchObject({ pass: false, invalid: true });
  const programs = createPrograms({ ...testConfig(), exec: "off" });
  const connector = createConnector({ programs });
  expect(await tryCheck(jmeter, { jmx: plan }, { connector })).toMatchObject({
    pass: false,
    invalid: true,
    error: "Scripts are switched off on this server (EXEC=off).",
  });
  expect(jmeter.spec.safeParse({ name: "a", jmx: plan, properties: ["-x"] }).success).toBe(false);
});

test.each<[string, string[][]]>([
  ["", []],
  [
    "a,b\r\n1,2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  ['"x ""y"", z","two\nlines"\n', [['x "y", z', "two\nlines"]]],
  ["a,\n", [["a", ""]]],
  ["a,", [["a", ""]]],
])("reads %j", (text, rows) => {
  expect([...rowsOf(text)]).toEqual(rows);
});

test("what is broken is told, and takes no time", () => {
  expect(() => readJmeterLog('elapsed,success\n"1,true\n')).toThrow("it is broken at character 16");
  expect(() => readJmeterLog(`elapsed,success\n1,"${'"'.repeat(200_000)}`)).toThrow("broken");
  expect(() => readJmeterLog("a,".repeat(1000))).toThrow("more than 100 columns");
  expect(() => readJmeterLog("elapsed,success\n-1,true\n")).toThrow("cannot be read");
});
