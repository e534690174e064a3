import { expect, test } from "vitest";
import { historyCodec } from "./history-view.ts";

const back = (raw: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(historyCodec.format(historyCodec.parse(raw))).filter(([, value]) => value),
  );

test.each([
  [{}],
  [{ historyStatus: "unhealthy", historyDuration: "1.5s", historyPage: "3" }],
  [{ historyStatus: "unknown", historySize: "100", historySort: "duration.desc" }],
])("%j is read and written alike", (raw) => {
  expect(back(raw as Record<string, string>)).toEqual(raw);
});

test.each([
  [{ historyStatus: "bad" }],
  [{ historyPage: "-2" }],
  [{ historyPage: "1e" }],
  [{ historySize: "7" }],
  [{ historySort: "message.desc" }],
  [{ historyDuration: "All" }],
])("%j means nothing", (raw) => {
  expect(back(raw as unknown as Record<string, string>)).toEqual({});
});

test("a duration that is none stays to be mended, and finds all", () => {
  expect(historyCodec.parse({ historyDuration: "2m" }).duration).toBe("2m");
});
