import { expect, test } from "vitest";
import { createGate, GateFull } from "./gate.ts";

const tick = () => new Promise((resolve) => setImmediate(resolve));

test("so many run, so many wait, the rest is turned away, and places are handed on in order", async () => {
  const gate = createGate({ running: 2, waiting: 2 });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const enter = (id: number) =>
    gate.run(() => {
      begun.push(id);
      return new Promise<number>((resolve) => ends.push(() => resolve(id)));
    });
  const runs = [1, 2, 3, 4].map(enter);
  await expect(enter(5)).rejects.toBeInstanceOf(GateFull);
  expect(begun).toEqual([1, 2]);
  ends[1]!();
  await tick();
  expect(begun).toEqual([1, 2, 3]);
  for (let index = 0; index < 4; index += 1) {
    ends[index]?.();
    await tick();
  }
  expect(await Promise.all(runs)).toEqual([1, 2, 3, 4]);
  const again = enter(6);
  await tick();
  ends.at(-1)!();
  expect(await again).toBe(6);
});

test("failed work gives its place back, and who has gone does not work at all", async () => {
  const gate = createGate({ running: 1, waiting: 1 });
  await expect(gate.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  let worked = false;
  const gone = AbortSignal.abort(new Error("gone"));
  await expect(gate.run(async () => void (worked = true), gone)).rejects.toThrow("gone");
  expect(worked).toBe(false);
  expect(await gate.run(async () => "next")).toBe("next");
});

test("who leaves the line is passed over, and holds no place", async () => {
  const gate = createGate({ running: 1 });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const order: string[] = [];
  const leaving = new AbortController();
  const first = gate.run(() => ended);
  const second = gate.run(async () => void order.push("second"), leaving.signal);
  const third = gate.run(async () => void order.push("third"));
  leaving.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  end();
  await Promise.all([first, third]);
  expect(await gate.run(async () => "next")).toBe("next");
  expect(order).toEqual(["third"]);
});
