import { describe, expect, test } from "vitest";
import { ApiError } from "#lib/api-error.ts";
import {
  flowBody,
  type Flow,
  type InputNode,
  isFlow,
  withoutMessages,
  hasMessages,
} from "./flow.ts";
import { flowFailure } from "./flow-failure.ts";

const input = (name: string, type: string, value?: string): InputNode => ({
  group: "default",
  type: "input",
  attributes: { node_type: "input", name, type, ...(value === undefined ? {} : { value }) },
  messages: name === "password" ? [{ id: 1, text: "wrong", type: "error" }] : [],
  meta: {},
});

const submit = input("method", "submit", "password");
const flow: Flow = {
  id: "f1",
  ui: {
    action: "/self-service/login?flow=f1",
    method: "POST",
    messages: [],
    nodes: [
      input("csrf_token", "hidden", "t0"),
      input("identifier", "text"),
      input("password", "password"),
      submit,
    ],
  },
};

test("the body holds every field and the pressed button", () => {
  expect(flowBody(flow, { identifier: "a@b", password: "x" }, { pressed: submit })).toEqual({
    csrf_token: "t0",
    identifier: "a@b",
    password: "x",
    method: "password",
  });
});

test("without the button its name is not sent", () => {
  expect(flowBody(flow, {})).toEqual({ csrf_token: "t0", identifier: "", password: "" });
});

test("what was typed into another step, or stands in a hidden field, stays out", () => {
  expect(flowBody(flow, { identifier: "a@b", code: "123456", csrf_token: "forged" })).toEqual({
    csrf_token: "t0",
    identifier: "a@b",
    password: "",
  });
});

test("of a flow of many groups only those asked for are sent, and what a script found", () => {
  const many: Flow = {
    ...flow,
    ui: { ...flow.ui, nodes: [...flow.ui.nodes, { ...input("totp_code", "text"), group: "totp" }] },
  };
  expect(
    flowBody(many, { totp_code: "1" }, { groups: ["totp"], found: { method: "totp" } }),
  ).toEqual({
    totp_code: "1",
    method: "totp",
  });
});

test("messages can be taken away", () => {
  expect(hasMessages(flow)).toBe(true);
  expect(hasMessages(withoutMessages(flow))).toBe(false);
});

test.each([
  [flow, true],
  [null, false],
  [{ id: "x" }, false],
  [{ id: "x", ui: { nodes: "no" } }, false],
])("%# is a flow: %s", (body, expected) => {
  expect(isFlow(body)).toBe(expected);
});

describe("a refusal", () => {
  const refusal = (status: number, id?: string, redirect?: string) =>
    new ApiError("no", {
      status,
      request: "GET /x",
      body: { error: id ? { id } : {}, ...(redirect ? { redirect_browser_to: redirect } : {}) },
    });

  test.each([
    [refusal(403, "session_inactive"), { kind: "go", to: "/login?return_to=%2Fh" }],
    [refusal(401, "session_aal1_required"), { kind: "go", to: "/login?return_to=%2F" }],
    [refusal(403, "session_aal2_required", "https://id/x"), { kind: "leave", to: "https://id/x" }],
    [
      refusal(403, "session_aal2_required", "javascript:x"),
      { kind: "go", to: "/login?aal=aal2&return_to=%2Fh" },
    ],
    [refusal(400, "session_already_available"), { kind: "go", to: "/" }],
    [
      refusal(403, "session_refresh_required"),
      { kind: "go", to: "/login?refresh=true&return_to=%2Fh" },
    ],
    [
      refusal(403, "session_refresh_required", "https://id/x"),
      { kind: "leave", to: "https://id/x" },
    ],
    [refusal(422, "browser_location_change_required", "/x"), { kind: "leave", to: "/x" }],
    [
      refusal(410, "self_service_flow_expired"),
      { kind: "restart", message: "Your interaction expired, please fill out the form again." },
    ],
    [
      refusal(403, "security_csrf_violation"),
      {
        kind: "restart",
        message: "A security violation was detected, please fill out the form again.",
      },
    ],
    [
      refusal(400, "self_service_flow_return_to_forbidden"),
      { kind: "restart", message: "The return_to address is not allowed." },
    ],
    [refusal(400, "security_identity_mismatch"), { kind: "restart" }],
    [refusal(410), { kind: "restart" }],
    [refusal(500), { kind: "show", message: "no" }],
    [new TypeError("boom"), { kind: "show", message: "boom" }],
  ])("%#", (error, expected) => {
    expect(flowFailure(error, "/h")).toEqual(expected);
  });

  test("a second step with nobody to take it begins with the first, and goes where it would have led", () => {
    const error = refusal(401, "session_aal1_required");
    expect(flowFailure(error, "/login?aal=aal2&return_to=%2Fhealth%3Fa%3Db")).toEqual({
      kind: "go",
      to: "/login?return_to=%2Fhealth%3Fa%3Db",
    });
    expect(flowFailure(error, "/login?aal=aal2&return_to=%2F%2Fevil.example")).toEqual({
      kind: "go",
      to: "/login?return_to=%2F",
    });
  });
});
