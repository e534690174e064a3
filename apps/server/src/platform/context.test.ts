import { type Action, type Resource, resources, type Role } from "@mainstay/contract";
import { describe, expect, test } from "vitest";
import { type Actor, actorCan as judged, createCtx } from "./context.ts";
import { systemClock } from "./clock.ts";
import { readConfig } from "../settings.ts";
import type { Database } from "./db/database.ts";
import { createLog } from "./log.ts";
import { defineService } from "./service.ts";

const person = (...given: Role[]): Actor => ({
  kind: "person",
  id: "p",
  name: "P",
  email: null,
  roles: given,
  sessionId: "s",
});
const anonymous = (fields: Partial<Extract<Actor, { kind: "anonymous" }>> = {}): Actor => ({
  kind: "anonymous",
  readOnly: true,
  resources: [],
  ...fields,
});
const config = readConfig({}, {});
const actorCan = (actor: Actor, resource: Resource, action: Action) =>
  judged(actor, config, resource, action);
const ctxOf = (actor: Actor) =>
  createCtx({
    actor,
    config,
    // Nothing here asks it.
    db: {} as Database,
    clock: systemClock,
    log: createLog("silent"),
    signal: new AbortController().signal,
    toTx: () => {
      throw new Error("no transactions here");
    },
  });

describe("who may", () => {
  test("the program itself may everything, nobody nothing", () => {
    for (const resource of resources)
      for (const action of ["read", "write"] as const) {
        expect(actorCan({ kind: "system" }, resource, action)).toBe(true);
        expect(actorCan(anonymous(), resource, action)).toBe(false);
      }
  });

  test("several roles add up", () => {
    for (const resource of resources) {
      expect(actorCan(person("viewer"), resource, "write")).toBe(false);
      expect(actorCan(person("viewer", "admin"), resource, "write")).toBe(true);
    }
  });

  test("without signing in: what is open may be read, and written only when that is open too", () => {
    const reader = anonymous({ resources: ["canaries"] });
    const writer = anonymous({ resources: ["canaries"], readOnly: false });
    expect(actorCan(reader, "canaries", "read")).toBe(true);
    expect(actorCan(reader, "canaries", "write")).toBe(false);
    expect(actorCan(writer, "canaries", "write")).toBe(true);
    expect(actorCan(writer, "connections", "read")).toBe(false);
  });
});

test.each([
  [anonymous(), "unauthenticated"],
  [anonymous({ resources: ["canaries"] }), "forbidden"],
  [person("viewer"), "forbidden"],
])("a refusal says whether signing in would help (%#)", (actor, code) => {
  expect(() => ctxOf(actor).require("canaries", "write")).toThrow(
    expect.objectContaining({ code }),
  );
});

test("a service is made once for a program, whoever asks and whatever database they have", () => {
  let made = 0;
  const counter = defineService("counter", ({ db }) => ({ db, number: (made += 1) }));
  const program = ctxOf({ kind: "system" });
  expect(made).toBe(0);
  const bound = program.with({ db: {} as Database });
  const first = bound.service(counter);
  // It stands on the program's own parts, not on a transaction that ends.
  expect(first.db).toBe(program.db);
  for (const ctx of [program, bound, bound.as(person("viewer")), program.as(anonymous())])
    expect(ctx.service(counter)).toBe(first);
  expect(ctxOf({ kind: "system" }).service(counter).number).toBe(2);
});

test("on another's behalf is another's rights, and the first stays as it was", () => {
  const viewer = ctxOf(person("viewer"));
  const system = viewer.as({ kind: "system" });
  expect([viewer.can("rbac", "write"), system.can("rbac", "write")]).toEqual([false, true]);
});
