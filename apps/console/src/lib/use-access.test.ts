import { describe, expect, test } from "vitest";
import type { Role } from "@mainstay/contract/permissions.ts";
import { accessOf, type Session } from "./use-access.ts";

const session = (roles: Role[], about: Session["about"] = {}): Session => ({
  person: null,
  roles,
  properties: [],
  about,
});

describe("with roles", () => {
  test.each<[Role[], "read" | "write", "canaries" | "connections", boolean]>([
    [["viewer"], "read", "canaries", true],
    [["viewer"], "write", "canaries", false],
    [[], "read", "canaries", true],
    [[], "write", "canaries", false],
    [["editor"], "write", "canaries", true],
    [["editor"], "write", "connections", false],
    [["viewer", "admin"], "write", "connections", true],
  ])("%j may %s %s: %s", (roles, action, resource, expected) => {
    expect(accessOf(session(roles)).may(action, resource)).toBe(expected);
  });

  test("only a viewer may not run a check", () => {
    const run: Role[] = ["admin", "editor", "commander", "responder"];
    expect(accessOf(session(["responder"])).hasRole(run)).toBe(true);
    expect(accessOf(session([])).hasRole(run)).toBe(false);
  });
});

describe("in checker-only mode", () => {
  test("canaries can be read, and written unless it is read-only", () => {
    const writable = accessOf(session([], { checkerOnly: true }));
    const readOnly = accessOf(session([], { checkerOnly: true, readOnly: true }));
    expect([
      writable.may("read", "canaries"),
      writable.may("write", "canaries"),
      writable.hasRole(["admin"]),
    ]).toEqual([true, true, true]);
    expect([
      readOnly.may("read", "canaries"),
      readOnly.may("write", "canaries"),
      readOnly.hasRole(["admin"]),
    ]).toEqual([true, false, false]);
    expect(writable.may("read", "agents")).toBe(false);
    expect([writable.isOn("health"), writable.isOn("settings")]).toEqual([true, false]);
  });
});

describe("why not", () => {
  test.each<[Role[], "read" | "write", "canaries" | "connections", string | undefined]>([
    [["editor"], "write", "canaries", undefined],
    [["viewer"], "write", "canaries", "Needs the role admin or editor. Yours: viewer."],
    [[], "read", "connections", "Needs the role admin or editor. Yours: viewer."],
    [
      ["commander", "responder"],
      "write",
      "connections",
      "Needs the role admin. Yours: commander and responder.",
    ],
  ])("%j, %s %s: %s", (roles, action, resource, reason) => {
    expect(accessOf(session(roles)).whyNot(action, resource)).toBe(reason);
  });

  test("code on the server is for administrators, and for whom the server names", () => {
    const by = (roles: Role[], codeRoles?: Role[]) =>
      accessOf({ ...session(roles), ...(codeRoles && { codeRoles }) }).whyNot(
        "write",
        "server_code",
      );
    expect(by(["admin"])).toBeUndefined();
    expect(by(["editor"])).toBe("Needs the role admin. Yours: editor.");
    expect(by(["editor"], ["admin", "editor"])).toBeUndefined();
    expect(by(["responder"], ["admin", "editor"])).toBe(
      "Needs the role admin or editor. Yours: responder.",
    );
    expect(accessOf(session([], { checkerOnly: true })).whyNot("write", "server_code")).toBe(
      "Nobody may on a server without accounts.",
    );
  });

  test("a server that is read-only says so, whoever asks", () => {
    const { whyNot, whyNotRole } = accessOf(session(["admin"], { readOnly: true }));
    expect(whyNot("write", "canaries")).toBe("This server is read-only.");
    expect(whyNotRole(["admin"])).toBe("This server is read-only.");
    expect(whyNot("read", "canaries")).toBeUndefined();
  });
});
