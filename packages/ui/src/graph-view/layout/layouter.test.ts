import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLayouter } from "./layouter.ts";
import type { LayoutTask, Positions } from "./task.ts";

/** A worker whose answers are the test's. */
class FakeWorker extends EventTarget {
  static started: FakeWorker[] = [];
  asked: unknown[] = [];
  isEnded = false;
  file: string;
  constructor(address: URL) {
    super();
    this.file = address.pathname.split("/").at(-1) ?? "";
    FakeWorker.started.push(this);
  }
  postMessage(message: unknown) {
    this.asked.push(message);
  }
  terminate() {
    this.isEnded = true;
  }
  answer(data: Positions) {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

beforeEach(() => {
  FakeWorker.started = [];
  vi.stubGlobal("Worker", FakeWorker);
});
afterEach(() => vi.unstubAllGlobals());

const task = (many: number): LayoutTask => ({
  boxes: Array.from({ length: many }, (_, index) => ({ id: `n${index}`, width: 240, height: 80 })),
  links: [],
  direction: "right",
  rankSeparation: 120,
  nodeSeparation: 100,
});
const never = new AbortController().signal;

test("one worker is kept for one layout after the other", async () => {
  const { layOut, close } = createLayouter();
  for (const x of [1, 2]) {
    const laid = layOut(task(1), never);
    FakeWorker.started[0]!.answer([["n0", x, 0]]);
    expect(await laid).toEqual([["n0", x, 0]]);
  }
  expect(FakeWorker.started).toHaveLength(1);
  expect(FakeWorker.started[0]).toMatchObject({ file: "dagre-worker.ts", isEnded: false });
  close();
  expect(FakeWorker.started[0]!.isEnded).toBe(true);
});

test("many boxes are given to the quicker one", async () => {
  const { layOut, close } = createLayouter();
  const controller = new AbortController();
  const laid = layOut(task(301), controller.signal);
  await vi.waitFor(() => expect(FakeWorker.started[0]?.asked.length).toBeGreaterThan(0));
  expect(FakeWorker.started[0]!.file).toBe("elk-worker.ts");
  controller.abort();
  await expect(laid).rejects.toMatchObject({ name: "AbortError" });
  close();
});

test("a layout that is not wanted any more ends with its worker, and the next has another", async () => {
  const { layOut, close } = createLayouter();
  const controller = new AbortController();
  const given = layOut(task(2), controller.signal);
  controller.abort();
  await expect(given).rejects.toMatchObject({ name: "AbortError" });
  expect(FakeWorker.started[0]!.isEnded).toBe(true);
  const next = layOut(task(1), never);
  FakeWorker.started[1]!.answer([["n0", 0, 0]]);
  expect(await next).toEqual([["n0", 0, 0]]);
  const late = new AbortController();
  late.abort();
  await expect(layOut(task(1), late.signal)).rejects.toMatchObject({ name: "AbortError" });
  expect(FakeWorker.started).toHaveLength(2);
  close();
});

test("what goes wrong in a worker is said", async () => {
  const { layOut, close } = createLayouter();
  const failed = layOut(task(1), never);
  FakeWorker.started[0]!.dispatchEvent(
    Object.assign(new Event("error"), { message: "out of memory" }),
  );
  await expect(failed).rejects.toThrow("out of memory");
  expect(FakeWorker.started[0]!.isEnded).toBe(true);
  close();
});
