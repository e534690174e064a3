import { expect, test } from "vitest";
import type { FastifyRequest } from "fastify";
import type { Ctx } from "../context.ts";
import { createSingleFlight } from "../single-flight.ts";
import { createShares } from "./shares.ts";

const limits = { waiting: 10, longestWaitMs: 60_000 };
const share = () =>
  createShares({
    asker: { ...limits, atOnce: 2 },
    everybody: { ...limits, atOnce: 2 },
    budget: { mostMs: 100, perMinuteMs: 100, askers: 10 },
  });
const askedBy = (id: string, signal = new AbortController().signal) => ({
  ctx: { actor: { kind: "person", id }, signal } as unknown as Ctx,
  request: {} as FastifyRequest,
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("what is answered together takes one turn, is paid by the first, and ends with nobody", async () => {
  const take = share();
  const once = createSingleFlight<number>();
  const works: PromiseWithResolvers<number>[] = [];
  const gone = new AbortController();
  const ask = (id: string, signal?: AbortSignal) =>
    take<number>({ ...askedBy(id, signal), together: (work) => once("groups", work) }, (spent) => {
      spent(10_000);
      works.push(Promise.withResolvers());
      return works.at(-1)!.promise;
    });

  const answers = [ask("Ada", gone.signal), ...["Bob", "Cleo", "Dan"].map((id) => ask(id))];
  await settled();
  expect(works).toHaveLength(1);
  // One of the two places that everybody has is free.
  expect(await take(askedBy("Eve"), () => Promise.resolve("another answer"))).toBe(
    "another answer",
  );
  gone.abort(new Error("gone"));
  works[0]!.resolve(1);
  await settled();
  expect(works).toHaveLength(2);
  works[1]!.resolve(2);
  expect(await Promise.all(answers)).toEqual([1, 2, 2, 2]);

  // Cleo has paid for nothing, Ada and Bob for theirs.
  for (const id of ["Ada", "Bob"])
    await expect(ask(id)).rejects.toThrow("too much of the database's time");
  const last = ask("Cleo");
  await settled();
  works[2]!.resolve(3);
  expect(await last).toBe(3);
});
