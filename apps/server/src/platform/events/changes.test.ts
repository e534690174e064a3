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
