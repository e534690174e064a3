// @vitest-environment happy-dom
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fallbackPollMs, followChanges } from "./live.ts";

/** Stands in for the browser's: what a page does with it is recorded, what the server would say is said by the test. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static made: Stream[] = [];
  readyState = 1;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    Stream.made.push(this);
  }
  close(): void {
    this.readyState = Stream.CLOSED;
  }
  say(type: string, id: string, data: object = {}): void {
    this.dispatchEvent(new MessageEvent(type, { lastEventId: id, data: JSON.stringify(data) }));
  }
  fail(isOver: boolean): void {
    if (isOver) this.readyState = Stream.CLOSED;
    this.dispatchEvent(new Event("error"));
  }
}

let stop: () => void;
let asked: string[];
let visibility: DocumentVisibilityState;
/** What the questions wait for before they are answered. */
let answer: Promise<void> | undefined;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Stream);
  Stream.made = [];
  asked = [];
  visibility = "visible";
  answer = undefined;
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const watch = (name: string, tables?: string[]) =>
    new QueryObserver(client, {
      queryKey: [name],
      queryFn: async () => {
        asked.push(name);
        await answer;
        return asked.length;
      },
      meta: tables ? { tables } : {},
    }).subscribe(() => undefined);
  watch("people", ["people", "people_roles"]);
  watch("teams", ["teams"]);
  watch("other");
  await vi.advanceTimersByTimeAsync(0);
  asked.length = 0;
  stop = followChanges(client);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const setVisible = (is: boolean) => {
  visibility = is ? "visible" : "hidden";
  document.dispatchEvent(new Event("visibilitychange"));
};
const current = () => Stream.made.at(-1)!;

test("asks again for what a change concerns, and for nothing else", async () => {
  current().say("ready", "a-1");
  current().say("change", "a-2", { table: "people_roles", ids: ["x"] });
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["people"]);
});

test("asks for all again when anything may have changed", async () => {
  current().say("reset", "b-9");
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["people", "teams"]);
});

test("holds no connection while nobody sees the page, and goes on where it was", () => {
  expect(current().url).toBe("/api/events");
  current().say("change", "a-7", { table: "x" });
  setVisible(false);
  expect(current().readyState).toBe(Stream.CLOSED);
  setVisible(true);
  expect(Stream.made.map(({ url }) => url)).toEqual(["/api/events", "/api/events?since=a-7"]);
});

test("leaves it to the browser to come again, and does so itself when the browser has given up", () => {
  current().fail(false);
  vi.advanceTimersByTime(60_000);
  expect(Stream.made).toHaveLength(1);
  const waits = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
  for (const [index, wait] of waits.entries()) {
    current().fail(true);
    vi.advanceTimersByTime(wait - 1);
    expect(Stream.made).toHaveLength(index + 1);
    vi.advanceTimersByTime(1);
    expect(Stream.made).toHaveLength(index + 2);
  }
  current().say("ready", "c-1");
  current().fail(true);
  vi.advanceTimersByTime(2_000);
  expect(Stream.made).toHaveLength(waits.length + 2);
});

describe("without a stream that speaks", () => {
  const polls = async (times: number) => {
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(times * fallbackPollMs + 10);
    return asked;
  };
  const twice = ["people", "teams", "people", "teams"];

  test("refused, everything that can change is asked for now and then", async () => {
    current().fail(true);
    expect(await polls(2)).toEqual(twice);
  });

  test("broken, until it is there again", async () => {
    current().say("ready", "a-1");
    expect(await polls(2)).toEqual([]);
    current().fail(false);
    expect(await polls(2)).toEqual(twice);
    current().say("ready", "a-1");
    expect(await polls(2)).toEqual([]);
  });

  test("held up on the way: open, but nothing comes", async () => {
    expect(await polls(2)).toEqual(twice);
  });

  test("nothing while nobody sees the page", async () => {
    current().fail(true);
    setVisible(false);
    expect(await polls(4)).toEqual([]);
  });

  test("what was missed before the first stream is asked for when it comes", async () => {
    current().fail(true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked).toEqual([]);
    current().say("ready", "a-1");
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(["people", "teams"]);
  });

  test("a stream that the server should have ended long ago is given up for a new one", async () => {
    current().say("change", "a-3", { table: "other" });
    await vi.advanceTimersByTimeAsync(89_000);
    expect(Stream.made).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(Stream.made.map(({ url }) => url)).toEqual(["/api/events", "/api/events?since=a-3"]);
    expect(Stream.made[0]?.readyState).toBe(Stream.CLOSED);
  });
});

test("a table that changes all the time is asked for one round after the other", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answer = promise;
  for (let turn = 1; turn <= 100; turn += 1) {
    current().say("change", `a-${turn}`, { table: "teams" });
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(asked).toEqual(["teams"]);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  // What changed during the first round is in the second, within a second.
  expect(asked).toEqual(["teams", "teams"]);
});

test("stopped, it says and asks nothing more", async () => {
  current().say("change", "a-2", { table: "teams" });
  stop();
  await vi.advanceTimersByTimeAsync(10 * fallbackPollMs);
  expect(asked).toEqual([]);
  expect(current().readyState).toBe(Stream.CLOSED);
});
