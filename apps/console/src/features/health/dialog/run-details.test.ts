import { expect, test } from "vitest";
import { readHttpDetails } from "./run-details.ts";

test("what an http run keeps", () => {
  expect(
    readHttpDetails({
      code: 503,
      reason: "Come back later",
      headers: { "x-b": "2", "x-a": "1" },
      timings: { transfer: 1, dns: 2, firstByte: 30.5 },
      content: "x".repeat(5_000),
      sslAge: -1,
    }),
  ).toEqual({
    status: "503 Come back later",
    address: undefined,
    headers: [
      ["x-a", "1"],
      ["x-b", "2"],
    ],
    timings: [
      ["dns", 2],
      ["firstByte", 30.5],
      ["transfer", 1],
    ],
    endedIn: undefined,
    content: "x".repeat(4_096),
    isWholeContent: false,
    certificateLeftMs: -1,
  });
});

test("what is not as it should be is left out", () => {
  const odd = { code: "x", headers: [1], timings: { dns: "1" }, endedIn: "lunch", content: 7 };
  expect(readHttpDetails(odd)).toMatchObject({
    status: undefined,
    headers: [],
    timings: [],
    endedIn: undefined,
    content: "",
  });
});
