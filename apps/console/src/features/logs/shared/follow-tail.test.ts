// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followTail, hiddenMs } from "./follow-tail.ts";

class Stream extends EventTarget {
  static all: Stream[] = [];
  isClosed = false;
  readonly address: string;
  constructor(address: string) {
    super();
    this.address = address;
    Stream.all.push(this);
  }
  close() {
    this.isClosed = true;
  }
  say(name: string, data: unknown = {}, lastEventId = "") {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId }));
  }
}

let said: unknown[];
let stop: () => void;
const latest = () => Stream.all.at(-1)!;
const setSeen = (state: string) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Stream);
  Stream.all = [];
  said = [];
  setSeen("visible");
  stop = followTail("/api/logs/tail?query=x", {
    onState: ({ kind }) => said.push(kind),
    onLines: (lines) => said.push(lines.map(({ id }) => id)),
    onSkipped: (count) => said.push(count),
    onNotices: (notices) => said.push(notices),
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("tells lines, what was left out, and what backends say", () => {
  latest().say("lines", { lines: [{ id: "a" }, { id: "b" }] });
  latest().say("skipped", { count: 7 });
  latest().say("notice", { notices: ["n"], sources: [{ name: "loki", error: "no" }] });
  expect(said).toEqual(["connecting", "live", ["a", "b"], 7, ["n", "loki: no"]]);
});

test("goes on where it was when it comes again, so that nothing is missed", () => {
  const { length } = Stream.all;
  latest().say("here", {}, "7~2026-01-01T00:00:00.000Z");
  latest().say("lines", { lines: [{ id: "a" }] }, "8~2026-01-01T00:00:01.000Z");
  latest().say("error");
  vi.advanceTimersByTime(1000);
  expect(Stream.all.slice(length - 1).map(({ address }) => address)).toEqual([
    "/api/logs/tail?query=x",
    "/api/logs/tail?query=x&since=8~2026-01-01T00%3A00%3A01.000Z",
  ]);
});

test("comes again after a break, each time later, until it is heard", () => {
  const waits: number[] = [];
  for (let times = 0; times < 7; times += 1) {
    const before = Stream.all.length;
    latest().say("error");
    expect(latest().isClosed).toBe(true);
    let waited = 0;
    while (Stream.all.length === before) {
      vi.advanceTimersByTime(1000);
      waited += 1000;
    }
    waits.push(waited);
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  latest().say("open");
  latest().say("error");
  const before = Stream.all.length;
  vi.advanceTimersByTime(1000);
  expect(Stream.all.length).toBe(before + 1);
});

test("ends when nobody has looked for long, and when the page is left", () => {
  setSeen("hidden");
  vi.advanceTimersByTime(hiddenMs - 1);
  setSeen("visible");
  vi.advanceTimersByTime(hiddenMs);
  expect(latest().isClosed).toBe(false);
  setSeen("hidden");
  vi.advanceTimersByTime(hiddenMs);
  expect([latest().isClosed, said.at(-1)]).toEqual([true, "ended"]);
  stop();
  expect(Stream.all).toHaveLength(1);
});
