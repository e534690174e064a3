// @vitest-environment happy-dom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FoundChoices } from "./choice.ts";
import { useChoiceSearch } from "./use-choice-search.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const found = (label: string): FoundChoices => ({ choices: [{ value: label, label }] });
const pass = (ms: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });

test("a text is asked for when it has rested 300 ms, and only the last one", async () => {
  const asked: string[] = [];
  const search = (text: string) => {
    asked.push(text);
    return Promise.resolve(found(text));
  };
  const { result, rerender } = renderHook(({ text }) => useChoiceSearch(search, text, true), {
    initialProps: { text: "a" },
  });
  await pass(299);
  rerender({ text: "ab" });
  await pass(299);
  expect(asked).toEqual([]);
  expect(result.current.state.kind).toBe("searching");
  await pass(1);
  expect(asked).toEqual(["ab"]);
  expect(result.current.state).toEqual({ kind: "found", found: found("ab") });
});

test("a slow answer to an old text is not shown, and its request is ended", async () => {
  const signals: AbortSignal[] = [];
  const search = (text: string, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<FoundChoices>((resolve) =>
      setTimeout(() => resolve(found(text)), text === "slow" ? 5_000 : 10),
    );
  };
  const { result, rerender } = renderHook(({ text }) => useChoiceSearch(search, text, true), {
    initialProps: { text: "slow" },
  });
  await pass(400);
  rerender({ text: "quick" });
  await pass(400);
  expect(signals[0]?.aborted).toBe(true);
  await pass(10_000);
  expect(result.current.state).toEqual({ kind: "found", found: found("quick") });
});

test("a failure is told and can be asked again", async () => {
  let fails = true;
  const search = () =>
    fails ? Promise.reject(new Error("No network")) : Promise.resolve(found("back"));
  const { result } = renderHook(() => useChoiceSearch(search, "", true));
  await pass(0);
  expect(result.current.state).toEqual({ kind: "failed", message: "No network" });
  fails = false;
  act(() => result.current.retry());
  expect(result.current.state.kind).toBe("searching");
  await pass(0);
  expect(result.current.state).toEqual({ kind: "found", found: found("back") });
});

test("nothing is asked before it is wanted", async () => {
  const search = vi.fn(() => Promise.resolve(found("x")));
  renderHook(() => useChoiceSearch(search, "", false));
  await pass(1_000);
  expect(search).not.toHaveBeenCalled();
});
