import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

const limits = { atOnce: 2, waiting: 64, longestWaitMs: 60_000 };

/** Work that ends when it is told to. */
function held() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { end, work: () => ended };
}

test("so much runs at once, the rest waits in its order, more is refused", async () => {
  const turns = createTurns({ ...limits, waiting: 2 });
  const jobs = [held(), held(), held(), held()];
  const begun: number[] = [];
  const done = jobs.map(({ work }, index) =>
    turns.take("a", () => {
      begun.push(index);
      return work();
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  await expect(turns.take("a", () => Promise.resolve())).rejects.toMatchObject({
    status: 429,
    headers: { "retry-after": "1" },
  });
  jobs[1]?.end();
  await done[1];
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of jobs) end();
  await Promise.all(done);
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(await turns.take("a", () => Promise.resolve("free again"))).toBe("free again");
});

test("nobody waits for another's work, and a failure gives the place back", async () => {
  const turns = createTurns({ ...limits, atOnce: 1, waiting: 0 });
  const long = held();
  const busy = turns.take("a", long.work);
  expect(await turns.take("b", () => Promise.resolve(1))).toBe(1);
  await expect(turns.take("b", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await turns.take("b", () => Promise.resolve(2))).toBe(2);
  long.end();
  await busy;
});

test("who waits too long is refused, and who has gone does not wait", async () => {
  const turns = createTurns({ ...limits, atOnce: 1, longestWaitMs: 20 });
  const long = held();
  const busy = turns.take("a", long.work);
  const gone = new AbortController();
  const leaving = turns.take("a", () => Promise.resolve(), gone.signal);
  gone.abort(new Error("gone"));
  await expect(leaving).rejects.toThrow("gone");
  await expect(turns.take("a", () => Promise.resolve())).rejects.toMatchObject({ status: 429 });
  long.end();
  await busy;
  expect(await turns.take("a", () => Promise.resolve("free again"))).toBe("free again");
});
