// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { atFirstSign } from "./at-first-sign.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sign = (name = "pointermove") => window.dispatchEvent(new Event(name));

test("is fetched once, at the first sign of any kind", () => {
  const load = vi.fn(() => Promise.resolve());
  atFirstSign(load);
  expect(load).not.toHaveBeenCalled();
  sign("keydown");
  sign();
  sign("pointerdown");
  expect(load).toHaveBeenCalledTimes(1);
});

test("what cannot be had is tried again at a sign ten seconds later, until it is there", async () => {
  const load = vi
    .fn<() => Promise<unknown>>()
    .mockRejectedValueOnce(new Error("offline"))
    .mockRejectedValueOnce(new Error("offline"))
    .mockResolvedValue(undefined);
  atFirstSign(load);
  for (const times of [1, 2, 3]) {
    sign();
    sign();
    expect(load).toHaveBeenCalledTimes(times);
    await vi.advanceTimersByTimeAsync(9_999);
    sign();
    expect(load).toHaveBeenCalledTimes(times);
    await vi.advanceTimersByTimeAsync(1);
  }
  sign();
  expect(load).toHaveBeenCalledTimes(3);
});

test("who does not want it any more is not fetched for, even after a failure", async () => {
  const load = vi.fn(() => Promise.reject(new Error("offline")));
  const end = atFirstSign(load);
  sign();
  end();
  await vi.advanceTimersByTimeAsync(20_000);
  sign();
  expect(load).toHaveBeenCalledTimes(1);
  atFirstSign(load)();
  sign();
  expect(load).toHaveBeenCalledTimes(1);
});
