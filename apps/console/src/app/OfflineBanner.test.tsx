// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "#lib/api-error.ts";
import { request } from "#lib/api.ts";
import { noteAnswer } from "#lib/reachable.ts";
import { OfflineBanner } from "./OfflineBanner.tsx";

afterEach(() => {
  cleanup();
  noteAnswer();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const shown = () => screen.queryByRole("status")?.textContent;
const silent = /^No answer from the server for 0 s; what you see is from \d\d:\d\d:\d\d\.$/;

/** Asks once; the network does what it is told. */
async function ask(fetch: typeof globalThis.fetch, options = {}): Promise<string | undefined> {
  vi.stubGlobal("fetch", fetch);
  try {
    await act(() => request("/api/x", options));
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
  return undefined;
}
const broken = () => Promise.reject(new TypeError("failed to fetch"));

beforeEach(() => noteAnswer());

test("says that the server does not answer, until it does, whatever it answers", async () => {
  render(<OfflineBanner />);
  expect(shown()).toBeUndefined();
  expect(await ask(broken)).toBe("Network Error. Please try again.");
  expect(shown()).toMatch(silent);
  await ask(() => Promise.resolve(new Response("no", { status: 500 })));
  expect(shown()).toBeUndefined();
});

test("one request that takes too long says nothing of the rest", async () => {
  render(<OfflineBanner />);
  const never = (_address: unknown, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) =>
      init?.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError"))),
    );
  expect(await ask(never, { timeoutMs: 1 })).toBe("Request timed out. Please try again.");
  expect(shown()).toBeUndefined();
});

test("without a network it says that, and why a request failed", async () => {
  const onLine = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  render(<OfflineBanner />);
  expect(shown()).toMatch(/^No internet connection for 0 s; what you see is from /);
  expect(await ask(broken)).toBe("No internet connection. Please try again.");
  onLine.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event("online")));
  // There is a network again; whether there is a server is not known before it answers.
  expect(shown()).toMatch(silent);
});

test("for how long, which ticks by itself", async () => {
  vi.useFakeTimers({ now: new Date(2026, 0, 1, 3, 12, 5) });
  noteAnswer();
  render(<OfflineBanner />);
  await ask(broken);
  act(() => void vi.advanceTimersByTime(40_000));
  expect(shown()).toBe("No answer from the server for 40 s; what you see is from 03:12:05.");
});
