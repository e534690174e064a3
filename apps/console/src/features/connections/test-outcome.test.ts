import { expect, test } from "vitest";
import { ApiError } from "#lib/api-error.ts";
import { testFailure } from "./test-outcome.ts";

const answer = (status: number, body?: unknown) =>
  testFailure(new ApiError("said", { status, request: "POST", body }));

test.each([
  [400, { error: '{"code":7}' }, { kind: "results", text: '{\n  "code": 7\n}', isJson: true }],
  [400, { error: { code: 7 } }, { kind: "results", text: '{\n  "code": 7\n}', isJson: true }],
  [400, { error: "refused" }, { kind: "results", text: "refused", isJson: false }],
  [404, { error: "7" }, { kind: "results", text: "7", isJson: false }],
  [400, {}, { kind: "results", text: "Testing connection failed!", isJson: false }],
  [
    501,
    { error: "not implemented" },
    { kind: "failed", text: "We currently do not support testing this connection type" },
  ],
  [500, { error: "boom" }, { kind: "failed", text: "Testing connection failed!" }],
  [0, undefined, { kind: "failed", text: "Testing connection failed!" }],
])("%d with %j", (status, body, outcome) => {
  expect(answer(status, body)).toEqual(outcome);
});

test("what is no answer of the server is a failure", () => {
  expect(testFailure(new Error("x"))).toEqual({
    kind: "failed",
    text: "Testing connection failed!",
  });
});
