// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "#lib/api-error.ts";
import { noteAnswer, noteNoAnswer } from "#lib/reachable.ts";
import { StaleNotice, type StaleNoticeProps } from "./StaleNotice.tsx";

const readAt = new Date(2026, 0, 1, 3, 12, 5).getTime();
beforeEach(() => {
  vi.useFakeTimers({ now: readAt });
  noteAnswer();
});
afterEach(() => {
  cleanup();
  noteAnswer();
  vi.useRealTimers();
});

const show = (parts: Partial<StaleNoticeProps>) =>
  render(
    <StaleNotice
      error={null}
      updatedAt={readAt}
      stale={0}
      late={undefined}
      onRetry={() => {}}
      {...parts}
    />,
  );
const said = () => screen.queryByRole("alert")?.textContent;
const failure = (status: number) => new ApiError("No.", { status, request: "GET /x" });

test("nothing while everything is new", () => {
  show({});
  expect(said()).toBeUndefined();
});

test("how many checks have no result", () => {
  show({ stale: 3 });
  expect(said()).toMatch(/^3 checks have no result although one was due, so nobody knows their/);
  cleanup();
  show({ stale: 1 });
  expect(said()).toMatch(/^1 check has no result although one was due, so nobody knows its/);
});

test("what the server says of itself", () => {
  show({ late: "results have waited for 45s" });
  expect(said()).toBe("The server says: results have waited for 45s.");
});

test("what was not refreshed is old by itself, and for how long ticks", () => {
  show({ stale: 3 });
  act(() => void vi.advanceTimersByTime(40_000));
  expect(said()).toContain("Not refreshed for 40 s; what you see is from 03:12:05.");
});

test("a refresh that failed, with its reason", () => {
  show({ error: failure(500) });
  expect(said()).toContain("Could not refresh: No. What you see is from 03:12:05.");
});

test("while nobody answers the banner above every page speaks", () => {
  noteNoAnswer();
  show({ error: failure(0), stale: 3 });
  expect(said()).toBeUndefined();
});
