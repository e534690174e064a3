import { expect, test } from "vitest";
import { createShares } from "./data-api-shares.ts";

const { signal } = new AbortController();
const ordinary = { of: "read", isCostly: false } as const;
const costly = { of: "read", isCostly: true } as const;

/** Work that begins and does not end before it is told to. */
function working() {
  const begun: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const work = (who: string) => () => {
    begun.push(who);
    return ended;
  };
  return { begun, end, work };
}

test("one has two reads, two writes and one costly request at once, and all together four of those", async () => {
  const shares = createShares();
  const { begun, end, work } = working();
  const all: Promise<void>[] = [];
  for (const who of ["a", "b", "c", "d", "e", "f"])
    for (const need of [costly, costly, ordinary, ordinary, { ...ordinary, of: "write" as const }])
      all.push(shares.inTurn(who, need, work(`${who} ${need.of} ${need.isCostly}`), signal));
  await new Promise(setImmediate);
  const of = (text: string) => begun.filter((one) => one.includes(text));
  expect(of("read true")).toEqual(["a read true", "b read true", "c read true", "d read true"]);
  // The costly one holds one of each one's two places, also of those who wait for it.
  expect(of("read false")).toHaveLength(6);
  expect(of("write")).toHaveLength(6);
  end();
  await Promise.all(all);
  expect(begun).toHaveLength(all.length);
});

test("whoever has spent his time of the database is refused, also with what waits already", async () => {
  const shares = createShares();
  const { end, work } = working();
  const running = [1, 2].map(() => shares.inTurn("a", ordinary, work("a"), signal));
  const waiting = shares.inTurn("a", ordinary, work("a"), signal);
  shares.spend("a", 30_000);
  const refused = {
    status: 429,
    headers: { "retry-after": expect.stringMatching(/^3\d$/) as string },
  };
  await expect(shares.inTurn("a", ordinary, work("a"), signal)).rejects.toMatchObject(refused);
  end();
  await Promise.all(running);
  await expect(waiting).rejects.toMatchObject(refused);
  expect(await shares.inTurn("b", costly, () => Promise.resolve("others go on"), signal)).toBe(
    "others go on",
  );
});
