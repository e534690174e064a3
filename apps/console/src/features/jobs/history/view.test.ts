import { expect, test } from "vitest";
import { addressOf } from "#lib/db.ts";
import { found } from "./queries.ts";
import { jobsCodec, usualOfAll, usualOfOne } from "./view.ts";

const codec = jobsCodec(usualOfAll);
const now = Date.parse("2026-01-03T00:00:00Z");
const asked = (raw: Record<string, string>, of?: { kind: string; id: string }) =>
  [
    ...new URL(addressOf("job_histories", found(codec.parse(raw), of, now)), "http://x")
      .searchParams,
  ]
    .filter(([name]) => name !== "order")
    .map((pair) => pair.join("="));

const since = "created_at=gt.2026-01-01T00:00:00.000Z";

test.each([
  ["nothing", {}, ["status=not.in.(SUCCESS)", since]],
  ["every status", { status: "all" }, [since]],
  ["a status", { status: "FAILED:1" }, ["status=in.(FAILED)", since]],
  [
    "names with signs of the encoding's own",
    { status: "all", name: "a____b||||c:1,d:-1" },
    ['name=in.("a:b,c")', "name=not.in.(d)", since],
  ],
  ["a type", { status: "all", resource_type: "canary:1" }, ["resource_type=in.(canary)", since]],
  [
    "all but a type: jobs without a resource stay",
    { status: "all", resource_type: "canary:-1" },
    [since, "or=(resource_type.is.null,resource_type.not.in.(canary))"],
  ],
  ["a duration", { status: "all", runDuration: "2m" }, ["duration_millis=gte.120000", since]],
  ["a duration that nobody offers", { status: "all", runDuration: "7m" }, [since]],
  [
    "a range that has ended",
    { status: "all", timeRange: "2026-01-01T00:00:00Z..2026-01-02T00:00:00Z" },
    ["created_at=gt.2026-01-01T00:00:00.000Z", "created_at=lt.2026-01-02T00:00:00.000Z"],
  ],
])("of %s the server is asked what it says", (_name, raw, expected) => {
  expect(asked(raw)).toEqual(expected);
});

test("of one resource only its own runs are asked for", () => {
  expect(
    asked({ status: "all", resource_type: "topology:1" }, { kind: "canary", id: "c1" }),
  ).toEqual(["resource_type=eq.canary", "resource_id=eq.c1", since]);
});

test.each([
  ["what is usual is not written", {}, {}],
  ["what is not is", { status: "all", pageSize: "50", timeRange: "1w" }, undefined],
  ["filters keep their encoding", { status: "FAILED:1,RUNNING:-1", name: "a____b:1" }, undefined],
  ["an open run", { job: "j1", sortBy: "duration_millis", sortOrder: "desc" }, undefined],
])("%s", (_name, raw: Record<string, string>, expected) => {
  const written = Object.entries(codec.format(codec.parse(raw))).filter(
    ([, text]) => text !== undefined,
  );
  expect(Object.fromEntries(written)).toEqual(expected ?? raw);
});

test("a page has 150 runs unless the address says otherwise, and one resource's history hides nothing", () => {
  expect(codec.parse({}).pageSize).toBe(150);
  expect(codec.parse({ pageSize: "7" }).pageSize).toBe(150);
  expect(jobsCodec(usualOfOne).parse({}).statuses.size).toBe(0);
});
