// @vitest-environment happy-dom
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "./api-error.ts";
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
  say(type: string, id: string, data: object = { person: "p1" }): void {
    this.dispatchEvent(new MessageEvent(type, { lastEventId: id, data: JSON.stringify(data) }));
  }
  fail(isOver: boolean): void {
    if (isOver) this.readyState = Stream.CLOSED;
    this.dispatchEvent(new Event("error"));
  }
}

let stop: () => void;
let asked: string[];
/** Opens a query on the page. */
let watch: (
  name: string,
  tables?: string[],
  rows?: (data: unknown) => Record<string, string[]>,
) => void;
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
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, retry: false } },
  });
  watch = (name, tables, rows) =>
    void new QueryObserver(client, {
      queryKey: [name],
      queryFn: async () => {
        asked.push(name);
        await answer;
        return asked.length;
      },
      meta: { ...(tables ? { tables } : {}), ...(rows ? { rows } : {}) },
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

describe("with fifty answers on the page, one row each", () => {
  const ids = Array.from({ length: 50 }, (_, index) => `check ${index}`);
  beforeEach(async () => {
    for (const id of ids) watch(id, ["checks"], () => ({ checks: [id] }));
    watch("list", ["checks", "people"], (rows) => ({ people: [`shown by ${String(rows)}`] }));
    await vi.advanceTimersByTimeAsync(0);
    asked.length = 0;
    current().say("ready", "a-1");
  });
  const askedAfter = async (change: object) => {
    current().say("change", "a-2", change);
    await vi.advanceTimersByTimeAsync(1_000);
    return asked;
  };

  test("the change of a row that is not shown is asked for by the list alone, as it may come into it", async () => {
    expect(await askedAfter({ table: "checks", ids: ["another"] })).toEqual(["list"]);
  });

  test("the change of one that is shown asks for it, and for none of the other 49", async () => {
    expect(await askedAfter({ table: "checks", ids: ["check 7"] })).toEqual(["check 7", "list"]);
  });

  test("changes that follow each other are asked for together", async () => {
    for (const id of ["check 1", "another", "check 2"])
      current().say("change", "a-2", { table: "checks", ids: [id] });
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.toSorted()).toEqual(["check 1", "check 2", "list"]);
  });

  test("of a table of which only the shown rows count, the list asks for nothing", async () => {
    expect(await askedAfter({ table: "people", ids: ["somebody"] })).toEqual(["people"]);
  });

  test("where nobody says which rows, all are asked for", async () => {
    expect(await askedAfter({ table: "checks" })).toHaveLength(51);
  });

  test("rows that are named do not narrow what was said without names", async () => {
    current().say("change", "a-2", { table: "checks" });
    expect(await askedAfter({ table: "checks", ids: ["check 7"] })).toHaveLength(51);
  });
});

test("asks for all again when anything may have changed", async () => {
  current().say("reset", "b-9");
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["people", "teams"]);
});

test("holds no connection while nobody sees the page, and goes on where it was", () => {
  current().say("change", "a-7", { table: "x" });
  setVisible(false);
  expect(current().readyState).toBe(Stream.CLOSED);
  setVisible(true);
  expect(Stream.made.map(({ url }) => url)).toEqual(["/api/events?ago=0", "/api/events?since=a-7"]);
});

test("what changes while nobody sees the page is asked for when somebody does", async () => {
  current().say("ready", "a-1");
  current().say("change", "a-2", { table: "teams" });
  setVisible(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
  setVisible(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["teams"]);
});

test("leaves it to the browser to come again, and does so itself when the browser has given up", () => {
  current().say("ready", "a-1");
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

  test("the first is told how long the page has been there, as nothing was heard of what changed since", async () => {
    await vi.advanceTimersByTimeAsync(1_500);
    current().fail(true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(current().url).toBe("/api/events?ago=3500");
    // Broken off before it said anything: the browser would come again with the same age.
    const silent = current();
    silent.fail(false);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(silent.readyState).toBe(Stream.CLOSED);
    expect(current().url).toBe("/api/events?ago=7500");
  });

  test("a moment without one, as at the end of every stream, is no reason to ask for anything", async () => {
    current().say("ready", "a-1");
    for (let minute = 0; minute < 30; minute += 1) {
      await vi.advanceTimersByTimeAsync(59_000);
      current().fail(false);
      await vi.advanceTimersByTimeAsync(1_000);
      current().say("ready", "a-1");
    }
    expect(asked).toEqual([]);
  });

  test("a stream that the server should have ended long ago is given up for a new one", async () => {
    current().say("change", "a-3", { table: "other" });
    await vi.advanceTimersByTimeAsync(89_000);
    expect(Stream.made).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(Stream.made.map(({ url }) => url)).toEqual([
      "/api/events?ago=0",
      "/api/events?since=a-3",
    ]);
    expect(Stream.made[0]?.readyState).toBe(Stream.CLOSED);
  });
});

test("a table that changes all the time is asked for one round after the other, what takes long less often", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answer = promise;
  for (let turn = 1; turn <= 100; turn += 1) {
    current().say("change", `a-${turn}`, { table: "teams" });
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(asked).toEqual(["teams"]);
  resolve();
  await vi.advanceTimersByTimeAsync(3_999);
  expect(asked).toEqual(["teams"]);
  // What changed during the first round is in the second.
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual(["teams", "teams"]);
});

test("an answer that does not come holds no other one up", async () => {
  answer = new Promise(() => undefined);
  current().say("change", "a-1", { table: "teams" });
  await vi.advanceTimersByTimeAsync(0);
  answer = undefined;
  for (const id of ["a-2", "a-3"]) {
    current().say("change", id, { table: "people" });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(asked).toEqual(["teams", "people", "people"]);
});

test("what changes while a first answer is under way is asked for again, as it may be older", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answer = promise;
  watch("late", ["late"], () => ({ late: ["1"] }));
  await vi.advanceTimersByTimeAsync(0);
  current().say("change", "a-2", { table: "late", ids: ["1"] });
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["late"]);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["late", "late"]);
});

test("what cannot be answered for a while is asked for again", async () => {
  answer = Promise.reject(new ApiError("busy", { status: 503, request: "GET x" }));
  answer.catch(() => undefined);
  current().say("change", "a-1", { table: "teams" });
  await vi.advanceTimersByTimeAsync(0);
  answer = undefined;
  expect(asked).toEqual(["teams"]);
  current().say("ready", "a-1");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["teams", "teams"]);
});

test("stopped, it says and asks nothing more", async () => {
  current().say("change", "a-2", { table: "teams" });
  stop();
  await vi.advanceTimersByTimeAsync(10 * fallbackPollMs);
  expect(asked).toEqual([]);
  expect(current().readyState).toBe(Stream.CLOSED);
});

test("loads the page anew when somebody else has signed in, as what is shown was another's", () => {
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => undefined);
  current().say("ready", "a-1");
  current().say("ready", "a-1");
  current().say("reset", "b-1");
  expect(reload).not.toHaveBeenCalled();
  current().say("ready", "b-1", { person: "p2" });
  expect(reload).toHaveBeenCalledOnce();
});
