import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { abortMessage, attempt, cutToJson, inMs, passed } from "./check-type.ts";
import { checkTypes, findCheckType } from "./index.ts";

describe("attempt", () => {
  const signal = new AbortController().signal;

  test("what is thrown becomes a failed result", async () => {
    const outcome = await attempt({ signal, timeoutMs: 100 }, () =>
      Promise.reject(new Error("no such thing")),
    );
    expect(outcome).toMatchObject({ pass: false, error: "no such thing" });
  });

  test("a signal that is aborted already starts nothing", async () => {
    let isStarted = false;
    const outcome = await attempt({ signal: AbortSignal.abort(), timeoutMs: 100 }, () => {
      isStarted = true;
      return Promise.resolve(passed());
    });
    expect(outcome).toMatchObject({ pass: false, error: "stopped before it was finished" });
    expect(isStarted).toBe(false);
  });

  test("work that does not heed its signal is left behind", async () => {
    const outcome = await attempt(
      { signal: AbortSignal.timeout(20), timeoutMs: 20 },
      () => new Promise(() => undefined),
    );
    expect(outcome).toMatchObject({ pass: false, error: "timed out after 20 ms" });
  });
});

test("the end of a run has its reason", () => {
  expect(abortMessage({ signal: AbortSignal.abort(), timeoutMs: 5 })).toBe(
    "stopped before it was finished",
  );
  expect(abortMessage({ signal: AbortSignal.abort(new Error("timed out")), timeoutMs: 5 })).toBe(
    "timed out after 5 ms",
  );
});

test.each([
  [0.04, "0 ms"],
  [1.26, "1.3 ms"],
  [12.6, "13 ms"],
])("%d is written %s", (ms, text) => {
  expect(inMs(ms)).toBe(text);
});

test("a cut text fits, and a text that fits is not cut", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.integer({ min: 2, max: 300 }),
      (text, most) => {
        const cut = cutToJson(text, most);
        expect(text.startsWith(cut)).toBe(true);
        expect(JSON.stringify(cut).length).toBeLessThanOrEqual(most);
        if (JSON.stringify(text).length <= most) expect(cut).toBe(text);
      },
    ),
  );
});

test("every entry of the registry stands under its own name", () => {
  for (const [name, type] of Object.entries(checkTypes)) {
    expect(type.type).toBe(name);
    expect(findCheckType(name)).toBe(type);
  }
  expect(findCheckType("no-such-type")).toBeUndefined();
  expect(findCheckType("constructor")).toBeUndefined();
});
