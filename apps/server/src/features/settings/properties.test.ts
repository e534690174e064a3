import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Actor } from "#platform/context.ts";
import {
  type IdentityServer,
  signInAsProgram,
  startIdentityServer,
} from "../identity/testing/identity-server.ts";
import { properties } from "./tables.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
  await server.createPerson("viewer@example.org");
});
afterAll(() => server.stop());

describe("the list", () => {
  test("has what is in force, for whoever is signed in", async () => {
    await server.db.raw(
      `insert into properties (name, value, deleted_at, created_by)
       values ('logs.disable', 'true', null, (select id from people where email = 'viewer@example.org')),
              ('agents.disable', '', null, null), ('old', 'x', now(), null)`,
    );
    const token = await signInAsProgram(server, "viewer@example.org");
    const reply = await fetch(`${server.url}/api/properties`, {
      headers: { "x-session-token": token },
    });
    const row = await fetch(`${server.url}/api/db/properties?name=eq.logs.disable`, {
      headers: { "x-session-token": token },
    });
    const [{ created_at, updated_at }] = (await row.json()) as [Record<string, string>];
    const times = { created_at, updated_at };
    expect(await reply.json()).toEqual([
      {
        name: "agents.disable",
        value: "",
        source: "db",
        type: "",
        description: "Agents",
        created_by: null,
        ...times,
      },
      {
        name: "logs.disable",
        value: "true",
        source: "db",
        type: "",
        description: "Logs, and the log backends",
        created_by: {
          id: expect.any(String) as string,
          name: expect.any(String) as string,
          avatar: null,
        },
        ...times,
      },
    ]);
  });

  test("is not for strangers", async () => {
    expect((await fetch(`${server.url}/api/properties`)).status).toBe(401);
  });

  test("is open where there is no signing in", async () => {
    const open = await startIdentityServer(
      { checkerOnly: true },
      { kind: "anonymous", readOnly: true, resources: ["canaries"] },
    );
    try {
      await open.createPerson("maker@example.org");
      await open.db.raw(
        "insert into properties (name, value, created_by) values ('a', 'b', (select id from people where email = 'maker@example.org'))",
      );
      const reply = await fetch(`${open.url}/api/properties`);
      expect(reply.status).toBe(200);
      // Who made it is nobody's business who is not signed in.
      expect(await reply.json()).toMatchObject([{ name: "a", value: "b", created_by: null }]);
    } finally {
      await open.stop();
    }
  });
});

describe("the calls of the console", () => {
  const call = async (email: string, method: string, path: string, body?: object) => {
    const reply = await fetch(`${server.url}/api/db/properties${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        prefer: "return=representation",
        "x-session-token": await signInAsProgram(server, email),
      },
      body: body && JSON.stringify(body),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      rows: (/^[[{]/.test(text) ? JSON.parse(text) : text) as Record<string, unknown>[],
    };
  };

  test("add, read, edit and delete a flag", async () => {
    const { id } = await server.createPerson("editor@example.org", "editor");
    const added = await call("editor@example.org", "POST", "", {
      name: "health.disable",
      value: "true",
      created_by: id,
    });
    expect(added).toMatchObject({
      status: 201,
      rows: [{ name: "health.disable", value: "true", created_by: id }],
    });
    const opened = await call(
      "viewer@example.org",
      "GET",
      "?select=*,created_by(id,name,avatar)&name=eq.health.disable&value=eq.true",
    );
    expect(opened).toMatchObject({
      status: 200,
      rows: [{ created_by: { id, name: "Ada Lovelace" } }],
    });
    // The whole fetched row goes back, edited.
    const edited = await call("editor@example.org", "PATCH", "?name=eq.health.disable", {
      ...added.rows[0],
      value: "false",
    });
    expect(edited).toMatchObject({ status: 200, rows: [{ value: "false" }] });
    const deleted = await call("editor@example.org", "DELETE", "?name=eq.health.disable");
    expect(deleted).toMatchObject({ status: 200, rows: [{ name: "health.disable" }] });
    expect((await call("viewer@example.org", "GET", "?name=eq.health.disable")).rows).toEqual([]);
  });

  test("a name that was deleted by a date is free again; one that is there is not", async () => {
    const flag = { name: "again.disable", value: "true" };
    const made = async () => (await call("editor@example.org", "POST", "", flag)).status;
    expect([await made(), await made()]).toEqual([201, 409]);
    const gone = { deleted_at: "now()" };
    await call("editor@example.org", "PATCH", "?name=eq.again.disable", gone);
    expect(await made()).toBe(201);
    const [now] = (await call("editor@example.org", "GET", "?name=eq.again.disable")).rows;
    expect(now).toMatchObject({ deleted_at: null, value: "true" });
  });

  test("write nothing over what was changed since it was read", async () => {
    await call("editor@example.org", "POST", "", { name: "stale.disable", value: "true" });
    const read = async () =>
      (await call("editor@example.org", "GET", "?name=eq.stale.disable")).rows[0]!;
    const seen = (await read())["updated_at"] as string;
    const write = (value: string) =>
      call(
        "editor@example.org",
        "PATCH",
        `?name=eq.stale.disable&updated_at=eq.${encodeURIComponent(seen)}`,
        { value },
      );
    expect((await write("first")).rows).toHaveLength(1);
    expect((await write("second")).rows).toEqual([]);
    expect(await read()).toMatchObject({ value: "first" });
  });

  test("are refused to a viewer when they change something, and to anybody when they make no sense", async () => {
    const flag = { name: "x.disable", value: "true" };
    expect((await call("viewer@example.org", "POST", "", flag)).status).toBe(403);
    expect((await call("viewer@example.org", "DELETE", "?name=eq.logs.disable")).status).toBe(403);
    const refused = await call("editor@example.org", "POST", "", { name: "", value: "true" });
    expect(refused).toMatchObject({
      status: 400,
      rows: { message: "please provide all details" },
    });
  });
});

describe("a write", () => {
  const ada: Actor = {
    kind: "person",
    id: "ada",
    name: "Ada",
    email: null,
    roles: ["admin"],
    sessionId: "s",
  };
  const write = (row: Record<string, unknown>, actor: Actor = ada) =>
    server.ctx.tx((tx) =>
      properties.beforeWrite!({
        verb: "insert",
        rows: [row],
        context: { ctx: server.ctx.as(actor), tx, body: "", query: "" },
      }),
    );

  test("is its author's, whatever the body says", async () => {
    expect(await write({ name: "a", value: "b", created_by: "grace" })).toEqual([
      { name: "a", value: "b", created_by: "ada" },
    ]);
    expect(await write({ name: "a", value: "b", deleted_at: "now()" }, { kind: "system" })).toEqual(
      [{ name: "a", value: "b", deleted_at: "now()", created_by: null }],
    );
  });

  test.each<[row: Record<string, unknown>, path: string, message: string]>([
    [{ name: "", value: "x" }, "name", "please provide all details"],
    [{ name: "  ", value: "x" }, "name", "please provide all details"],
    [{ name: null, value: "x" }, "name", "please provide all details"],
    [{ value: "x" }, "name", "please provide all details"],
    [{ name: "x" }, "value", "please provide all details"],
    [{ name: "x", value: null }, "value", "please provide all details"],
    [{ name: "x", value: "" }, "value", "please provide all details"],
    [{ name: "x".repeat(257), value: "x" }, "name", "1 to 256"],
    [{ name: 1, value: "x" }, "name", "must be a text"],
    [{ name: "x", value: { a: 1 } }, "value", "must be a text"],
    [{ name: "x", value: "x".repeat(70_000) }, "value", "must be a text"],
  ])("of %j is refused", async (row, path, message) => {
    await expect(write(row)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(message),
      issues: [{ path }],
    });
  });

  test("moves the time of the last change, and only when something changed", async () => {
    const at = async (statement: string) =>
      ((await server.db.raw(`${statement} returning updated_at`)).rows[0] as { updated_at: Date })
        .updated_at;
    const first = await at(
      "insert into properties (name, value, updated_at) values ('touched', 'a', '2020-01-01Z')",
    );
    expect(await at("update properties set value = 'a' where name = 'touched'")).toEqual(first);
    expect(
      (await at("update properties set value = 'b' where name = 'touched'")).getTime(),
    ).toBeGreaterThan(first.getTime());
  });
});
