// @vitest-environment happy-dom
import { MutationObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "#lib/api-error.ts";
import { SignInNeeded } from "#features/identity/index.ts";
import { noteAnswer, noteNoAnswer } from "#lib/reachable.ts";
import { makeQueryClient } from "./query-client.ts";

const said = vi.hoisted(() => vi.fn<(message: string) => void>());
vi.mock("@mainstay/ui/toasts.ts", () => ({ toastFailed: said }));

const failure = (status: number) => new ApiError("no", { status, request: "GET /x" });

beforeEach(() => {
  vi.useFakeTimers();
  noteAnswer();
  said.mockReset();
});
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

describe("what is shown cannot be read again", () => {
  async function refreshed(error: Error, options: { isFirst?: true; meta?: object } = {}) {
    const client = makeQueryClient();
    const query = { queryKey: ["x"], retry: false, meta: options.meta ?? {} };
    if (!options.isFirst) client.setQueryData(["x"], "what is shown");
    await client
      .fetchQuery({ ...query, staleTime: 0, queryFn: () => Promise.reject(error) })
      .catch((failure: unknown) => expect(failure).toBe(error));
    expect(client.getQueryData(["x"])).toBe(options.isFirst ? undefined : "what is shown");
    return said.mock.calls.flat();
  }

  test("it says so, and stays", async () => {
    expect(await refreshed(failure(500))).toEqual(["Could not refresh: no"]);
  });

  test.each([
    ["the first reading fails: that stands in the page's place", failure(500), { isFirst: true }],
    ["the page says it itself", failure(500), { meta: { speaksForItself: true } }],
    ["the session is over: the page leaves", failure(401), {}],
    ["somebody must sign in first: the page leaves", new SignInNeeded("/login"), {}],
  ] as const)("%s", async (_name, error, options) => {
    expect(await refreshed(error, options)).toEqual([]);
  });

  test("no answer is the banner's to say; one that takes too long is not", async () => {
    expect(await refreshed(failure(0))).toEqual(["Could not refresh: no"]);
    said.mockReset();
    noteNoAnswer();
    expect(await refreshed(failure(0))).toEqual([]);
  });
});

test.each([
  ["a write that nobody speaks for", undefined, ["no"]],
  ["a write whose dialog says it", { speaksForItself: true }, []],
])("%s fails", async (_name, meta, expected) => {
  const client = makeQueryClient();
  const write = client
    .getMutationCache()
    .build(client, {
      mutationFn: () => Promise.reject(failure(500)),
      ...(meta ? { meta } : {}),
    })
    .execute(undefined);
  await expect(write).rejects.toThrow("no");
  expect(said.mock.calls.flat()).toEqual(expected);
});

test("a write whose dialog was closed meanwhile says itself that it failed", async () => {
  const client = makeQueryClient();
  const answer = Promise.withResolvers<never>();
  const dialog = new MutationObserver(client, {
    mutationFn: () => answer.promise,
    meta: { speaksForItself: true },
  });
  const close = dialog.subscribe(() => {});
  const write = dialog.mutate();
  close();
  answer.reject(failure(500));
  await expect(write).rejects.toThrow("no");
  expect(said.mock.calls.flat()).toEqual(["no"]);
});
