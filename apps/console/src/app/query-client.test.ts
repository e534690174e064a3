// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "#lib/api-error.ts";
import { makeQueryClient } from "./query-client.ts";

const failure = (status: number) => new ApiError("no", { status, request: "GET /x" });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function triesOf(error: Error): Promise<number> {
  let tries = 0;
  const asked = makeQueryClient().fetchQuery({
    queryKey: ["x"],
    queryFn: () => {
      tries += 1;
      return Promise.reject(error);
    },
    // `fetchQuery` alone would not try again.
    retry: makeQueryClient().getDefaultOptions().queries?.retry ?? false,
  });
  asked.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(asked).rejects.toBe(error);
  return tries;
}

test.each([
  ["no answer", failure(0), 4],
  ["an answer", failure(500), 1],
  ["a refusal", failure(404), 1],
  ["a mistake of ours", new TypeError("x"), 1],
])("%s is asked for again as often as it makes sense", async (_name, error, tries) => {
  expect(await triesOf(error)).toBe(tries);
});

test("without a network neither reading nor writing waits in silence", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  window.dispatchEvent(new Event("offline"));
  const client = makeQueryClient();
  const write = client
    .getMutationCache()
    .build(client, {
      mutationFn: () => Promise.reject(failure(0)),
      meta: { speaksForItself: true },
    })
    .execute(undefined);
  await expect(write).rejects.toThrow("no");
  window.dispatchEvent(new Event("online"));
});
