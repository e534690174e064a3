import { describe, expect, test } from "vitest";
import { tryCheck } from "../testing/try-check.ts";
import { heartbeat, heartbeatDeadline, judgeHeartbeat } from "./heartbeat.ts";

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000);
const spec = heartbeat.spec.parse({ name: "backup", every: "1m", grace: "10s" });

describe("with one beat a minute and ten seconds of grace", () => {
  test.each<[string, number | undefined, number, boolean, string]>([
    ["on time", 0, 59, true, "the last beat was 59s ago"],
    ["late within the grace", 0, 70, true, "the last beat was 1m10s ago"],
    ["late", 0, 71, false, "the last beat was 1m11s ago, one every 1m is expected"],
    ["none yet", undefined, 70, true, "waiting for the first beat"],
    ["none in time", undefined, 71, false, "no beat has come in 1m11s, one every 1m is expected"],
    ["a clock that was set back", 300, 10, true, "the last beat was 0s ago"],
  ])("%s", (_name, last, now, pass, text) => {
    const outcome = judgeHeartbeat(spec, {
      since: at(0),
      last: last === undefined ? undefined : at(last),
      now: at(now),
    });
    expect(outcome.pass).toBe(pass);
    expect(outcome.message ?? outcome.error).toBe(text);
  });
});

test.each([
  ["1h", undefined, 3600 + 360],
  ["2s", undefined, 3],
  ["1h", "0", 3600],
])("every %s with grace %s", (every, grace, seconds) => {
  const parsed = heartbeat.spec.parse({ name: "a", every, grace });
  expect(heartbeatDeadline(parsed, { since: at(0) })).toEqual(at(seconds));
});

test("it is not run by itself", async () => {
  expect(await tryCheck(heartbeat, { every: "1m" })).toMatchObject({ pass: false, invalid: true });
});
