import { expect, test, vi } from "vitest";
import type { Ctx } from "../context.ts";
import { createLog } from "../log.ts";
import { createChanges, followChanges } from "./changes.ts";
import type { NotificationHandler } from "./listener.ts";

async function followed() {
  let announce: NotificationHandler = () => undefined;
  const changes = await createChanges({
    listener: {
      on: async (_channel, handler) => {
        announce = handler;
        return () => undefined;
      },
      close: async () => undefined,
    },
    log: createLog("silent"),
  });
  const ctx = {} as Ctx;
  const [people, others] = [vi.fn(), vi.fn()];
  followChanges(
    changes,
    [
      { tables: ["people", "identities"], run: people },
      { tables: ["others"], run: others },
    ],
    ctx,
  );
  return {
    ctx,
    people,
    others,
    announce: (change: object) => announce(JSON.stringify(change)),
    say: (table: string) => announce(JSON.stringify({ table, ids: ["1"] })),
    lose: () => announce(undefined),
    changes,
  };
}

test("a feature is told of changes of its tables, and of no others", async () => {
  vi.useFakeTimers();
  try {
    const { ctx, people, others, say, changes } = await followed();
    say("identities");
    say("something");
    vi.runAllTimers();
    expect(people.mock.calls).toEqual([[ctx]]);
    expect(others).not.toHaveBeenCalled();
    changes.close();
  } finally {
    vi.useRealTimers();
  }
});

test("after a gap every feature is told, as anything may have changed", async () => {
  const { people, others, lose } = await followed();
  lose();
  expect([people, others].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test("changes of one kind are told together, of others apart", async () => {
  vi.useFakeTimers();
  try {
    const { announce, changes } = await followed();
    const told: unknown[] = [];
    changes.subscribe(undefined, (event) => {
      if (event.kind === "change") told.push(event.change);
    });
    const update = { table: "t", verb: "update", columns: ["a"] } as const;
    announce({ ...update, ids: ["1"] });
    announce({ table: "t", verb: "insert", ids: ["2"] });
    announce({ ...update, ids: ["3"] });
    vi.runAllTimers();
    expect(told).toEqual([
      { ...update, ids: ["1", "3"] },
      { table: "t", verb: "insert", ids: ["2"] },
    ]);
    changes.close();
  } finally {
    vi.useRealTimers();
  }
});

test("who says how old their knowledge is hears what was told since, or to read again where it is forgotten", async () => {
  vi.useFakeTimers();
  try {
    const { say, lose, changes } = await followed();
    const told = (agoMs: number) => {
      const heard: unknown[] = [];
      changes.subscribe({ agoMs }, (event) =>
        heard.push(event.kind === "change" ? event.change.table : event.kind),
      )();
      return heard;
    };
    vi.advanceTimersByTime(10_000);
    expect(told(11_000)).toEqual(["reset"]);
    say("one");
    vi.advanceTimersByTime(5_000);
    say("two");
    vi.advanceTimersByTime(1_000);
    expect(told(2_000)).toEqual(["two", "ready"]);
    expect(told(9_000)).toEqual(["one", "two", "ready"]);
    for (let more = 0; more < 1_000; more += 1) {
      say("more");
      vi.advanceTimersByTime(200);
    }
    expect(told(1_000_000)).toEqual(["reset"]);
    expect(told(100)).toEqual(["more", "ready"]);
    lose();
    vi.advanceTimersByTime(1_000);
    expect(told(2_000)).toEqual(["reset"]);
    expect(told(500)).toEqual(["ready"]);
    changes.close();
  } finally {
    vi.useRealTimers();
  }
});
