import { describe, expect, test } from "vitest";
import { logsCodec, sourceOf, usualRange } from "./logs-view.ts";

const parse = (raw: Record<string, string>) => logsCodec.parse(raw);
const written = (raw: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(logsCodec.format(parse(raw))).filter(([, value]) => value !== undefined),
  );

describe("the address of the logs", () => {
  test("is empty for what is shown at first", () => {
    expect(parse({}).timeRange).toEqual(usualRange);
    expect(written({})).toEqual({});
    expect(written({ start: "now-1h" })).toEqual({});
  });

  test.each([
    { start: "2h" },
    { start: "yesterday" },
    { start: "now-2h", end: "now-1h" },
    { start: "2026-01-01T00:00:00.000Z", end: "2026-01-02T00:00:00.000Z" },
    { topologyId: "c1", logsSelector: "pods", query: "level>=warn x" },
    { backend: "loki", line: "17-2", selected: "17-2 18-1", dedupe: "true", live: "true" },
  ])("keeps $start $end $topologyId $backend", (raw) => {
    expect(written(raw as unknown as Record<string, string>)).toEqual(raw);
  });

  test("takes what cannot be read as if it were not there", () => {
    expect(parse({ start: "soon", end: "later" }).timeRange).toEqual(usualRange);
    expect(parse({ selected: "a  a b" }).selected).toEqual(["a", "b"]);
  });

  test("a selector is only one of a component", () => {
    expect(sourceOf({ component: "", selector: "pods", backend: "" })).toEqual({});
    expect(sourceOf({ component: "c", selector: "pods", backend: "" })).toEqual({
      id: "c",
      name: "pods",
    });
  });
});
