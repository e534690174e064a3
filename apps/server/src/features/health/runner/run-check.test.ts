import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Connector } from "#platform/outbound/connector.ts";
import { passed } from "../check-types/check-type.ts";
import { runCheck } from "./run-check.ts";

const connector = {} as Connector;

test("a run that is over is kept by nobody, however long its server goes on", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const stop = new AbortController();
  const signals: WeakRef<AbortSignal>[] = [];
  const check = {
    timeoutMs: 60_000,
    begin: () => ({
      run: async ({ signal }: { signal: AbortSignal }) => {
        signals.push(new WeakRef(signal));
        return passed("there");
      },
    }),
  };
  for (let runs = 0; runs < 100; runs += 1) await runCheck({ check, connector, stop: stop.signal });
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await setImmediate();
    collect();
  }
  expect(signals).toHaveLength(100);
  // The last few may lie on the stack.
  expect(signals.filter((one) => one.deref()).length).toBeLessThan(5);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("what stops the server stops the run, which has no result", async () => {
  const stop = new AbortController();
  const check = {
    timeoutMs: 60_000,
    begin: () => ({
      run: ({ signal }: { signal: AbortSignal }) =>
        new Promise<never>((_fulfil, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          stop.abort();
        }),
    }),
  };
  const run = runCheck({ check, connector, stop: stop.signal });
  await expect(run).rejects.toThrow("stopped before it was finished");
});
