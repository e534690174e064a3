import { expect, test } from "vitest";
import { createSingleFlight } from "./single-flight.ts";

/** Counts how often it is worked, and ends each when it is told to. */
function counted() {
  const works: PromiseWithResolvers<number>[] = [];
  return {
    works,
    work() {
      works.push(Promise.withResolvers());
      return works.at(-1)!.promise;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("who asks while it is being answered shares an answer that is begun afterwards", async () => {
  const ask = createSingleFlight<number>();
  const { works, work } = counted();
  const first = ask("a", work);
  const others = [ask("a", work), ask("a", work), ask("a", work)];
  await settled();
  expect(works).toHaveLength(1);
  works[0]!.resolve(1);
  expect(await first).toBe(1);
  await settled();
  expect(works).toHaveLength(2);

  const late = ask("a", work);
  works[1]!.resolve(2);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  await settled();
  works[2]!.resolve(3);
  expect(await late).toBe(3);

  const fresh = ask("a", work);
  expect(works).toHaveLength(4);
  works[3]!.resolve(4);
  expect(await fresh).toBe(4);
});

test("another question waits for nobody", async () => {
  const ask = createSingleFlight<number>();
  const { works, work } = counted();
  const answers = [ask("a", work), ask("b", work)];
  expect(works).toHaveLength(2);
  works[1]!.resolve(2);
  expect(await answers[1]).toBe(2);
  works[0]!.resolve(1);
  expect(await answers[0]).toBe(1);
});

test("a failure is told to who shares it, and what waits goes on", async () => {
  const ask = createSingleFlight<number>();
  const { works, work } = counted();
  const failing = ask("a", work);
  const next = ask("a", work);
  works[0]!.reject(new Error("gone"));
  await expect(failing).rejects.toThrow("gone");
  await settled();
  works[1]!.resolve(2);
  expect(await next).toBe(2);
  const thrown = ask("a", () => {
    throw new Error("at once");
  });
  await expect(thrown).rejects.toThrow("at once");
  expect(await ask("a", () => Promise.resolve(5))).toBe(5);
});
