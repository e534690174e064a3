// Sends the same request over and over with wrk (Debian package `wrk`): a load made in C leaves the two cores of a small
// machine to what is measured, which one made in JavaScript does not.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Load {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** With `%n` where a number that never comes again belongs. */
  body?: string;
  concurrency: number;
  /** Whole seconds. */
  seconds: number;
}

export interface Loaded {
  /** Requests a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

const run = promisify(execFile);

/** @throws when a single answer was not a success, or wrk is not here. */
export async function loadHttp(load: Load): Promise<Loaded> {
  const { url, concurrency, seconds } = load;
  const folder = await mkdtemp(join(tmpdir(), "mainstay-load-"));
  try {
    const script = join(folder, "load.lua");
    await writeFile(script, scriptOf(load));
    const args = ["-t", "1", "-c", String(concurrency), "-d", `${seconds}s`, "--timeout", "30s"];
    const { stdout } = await run("wrk", [...args, "-s", script, url]).catch((error: Error) => {
      const isMissing = "code" in error && error.code === "ENOENT";
      throw isMissing ? new Error("There is no wrk here: apt-get install wrk") : error;
    });
    const said = stdout.split("\n").find((line) => line.startsWith("{"));
    if (said === undefined) throw new Error(`wrk said nothing of ${url}: ${stdout}`);
    const { requests, failed, us, p50, p99 } = JSON.parse(said) as Record<string, number>;
    if (failed) throw new Error(`${load.method} ${url}: ${failed} of ${requests} failed`);
    return { rate: requests! / (us! / 1e6), p50: p50! / 1000, p99: p99! / 1000 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const quote = (text: string) => `[==[${text}]==]`;

/** What is sent, and the sum of what came back as a line of JSON; times are microseconds. */
function scriptOf({ method, headers, body }: Load): string {
  const named = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[ ${quote(name)} ] = ${quote(value)}`,
  );
  const first = Math.floor(Date.now() % 1e9) * 1000;
  const changing = `
local pieces = ${quote(body ?? "")}
local n = ${first}
function request()
  local filled = string.gsub(pieces, "%%n", function() n = n + 1; return tostring(n) end)
  return wrk.format(nil, nil, nil, filled)
end`;
  return `
wrk.method = ${quote(method)}
${named.join("\n")}
${body === undefined ? "" : changing}
function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"failed":%d,"us":%d,"p50":%d,"p99":%d}', summary.requests,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, summary.duration,
    latency:percentile(50), latency:percentile(99)))
end`;
}
