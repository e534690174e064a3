import { vi } from "vitest";

/** Waits until `check` passes; fails with its last error after ten seconds, or as said. */
export const eventually = <T>(check: () => T | Promise<T>, timeoutMs = 10_000): Promise<T> =>
  vi.waitFor(check, { timeout: timeoutMs, interval: 10 });
