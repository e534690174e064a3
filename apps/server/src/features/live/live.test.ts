import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";

/** `GET /api/events` over the wire, on a database of its own. */

let app: TestApp;
let token: string;
let session: { token: string; revoke(): Promise<void> };

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  session = await app.app.createLocalSession();
  ({ token } = session);
});
afterAll(async () => {
  await session.revoke();
  await app.stop();
});

interface Heard {
  id?: string;
  event?: string;
  data?: unknown;
}

interface Stream {
  status: number;
  type: string | undefined;
  heard: Heard[];
  ended: Promise<void>;
  close(): void;
}

function listen(
  headers: Record<string, string> = { "x-session-token": token },
  search = "",
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const asked = request(`${app.address}/api/events${search}`, { headers }, (reply) => {
      const heard: Heard[] = [];
      const ended = Promise.withResolvers<void>();
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (chunk: string) => {
        const parts = (text + chunk).split("\n\n");
        text = parts.pop() ?? "";
        for (const part of parts) {
          const fields = Object.fromEntries(
            part
              .split("\n")
              .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
          );
          if (fields["event"])
            heard.push({ ...fields, data: JSON.parse(fields["data"] ?? "null") as unknown });
        }
      });
      reply.once("close", () => ended.resolve());
      resolve({
        status: reply.statusCode ?? 0,
        type: reply.headers["content-type"],
        heard,
        ended: ended.promise,
        close: () => asked.destroy(),
      });
    });
    asked.once("error", reject);
    asked.end();
  });
}

const everyChange = ({ heard }: Stream) =>
  heard
    .filter(({ event }) => event === "change")
    .map(
      ({ data }) => data as { table: string; ids?: string[]; verb?: string; columns?: string[] },
    );
/** Whatever somebody changes is in the audit log, too. */
const changes = (stream: Stream) =>
  everyChange(stream).filter(({ table }) => table !== "audit_entries");
/** Somebody whose coming has been told: their own stream would end with it. */
async function createSettled(role: "editor" | "viewer"): Promise<TestPerson> {
  const witness = await listen();
  const person = await createPerson(app, role);
  await vi.waitFor(
    () =>
      expect(
        changes(witness).some(
          ({ table, ids }) => table === "people_roles" && ids?.includes(person.id),
        ),
      ).toBe(true),
    5_000,
  );
  witness.close();
  return person;
}
/** What is told of a property that was made. */
const made = (name: string) => ({ table: "properties", ids: [name], verb: "insert" });
const saved = (name: string) => app.admin.post("/api/db/properties", { name, value: "1" });

describe("the stream of changes", () => {
  test("says what has changed, with the ids, once it is committed", async () => {
    const stream = await listen();
    expect([stream.status, stream.type]).toEqual([200, "text/event-stream; charset=utf-8"]);
    await saved("one");
    await vi.waitFor(() => expect(changes(stream)).toEqual([made("one")]), 5_000);
    await app.db.raw("begin; insert into properties (name, value) values ('undone', ''); rollback");
    await app.db.raw(
      "update properties set value = '2'; delete from properties where name = 'one'",
    );
    await vi.waitFor(
      () =>
        expect(changes(stream).slice(1)).toEqual([
          { table: "properties", ids: ["one"], verb: "update", columns: ["updated_at", "value"] },
          { table: "properties", ids: ["one"], verb: "delete" },
        ]),
      5_000,
    );
    expect(JSON.stringify(changes(stream))).not.toContain("undone");
    stream.close();
  });

  test("says nothing of what is as it was, and of a row with another name that both have changed", async () => {
    const stream = await listen();
    await app.db.raw("insert into properties (name, value) values ('same', '1')");
    await vi.waitFor(() => expect(changes(stream)).toEqual([made("same")]), 5_000);
    await app.db.raw(
      "update properties set value = value, updated_at = updated_at where name = 'same'",
    );
    await app.db.raw("update people set last_login = now()");
    await app.db.raw("update properties set name = 'renamed' where name = 'same'");
    await vi.waitFor(() => expect(changes(stream).length).toBeGreaterThan(1), 5_000);
    const [, renamed, ...more] = changes(stream);
    expect({ ...renamed, ids: renamed?.ids?.toSorted() }).toEqual({
      table: "properties",
      ids: ["renamed", "same"],
    });
    expect(more).toEqual([]);
    stream.close();
  });

  test("names no column that nobody outside knows", async () => {
    const somebody = await createSettled("viewer");
    const stream = await listen();
    await app.db.raw("update people set phone = '1', name = 'Somebody' where id = $1", [
      somebody.id,
    ]);
    await vi.waitFor(
      () =>
        expect(changes(stream)).toEqual([
          { table: "people", ids: [somebody.id], verb: "update", columns: ["name"] },
        ]),
      5_000,
    );
    stream.close();
  });

  test("tells who loses a role that somebody else gets", async () => {
    const [one, other] = [await createSettled("viewer"), await createSettled("editor")];
    const stream = await listen();
    await app.db.raw("update casbin_rule set v0 = $1 where v0 = $2", [one.id, other.id]);
    await vi.waitFor(() => expect(changes(stream)).toHaveLength(1), 5_000);
    expect(changes(stream)[0]?.ids?.toSorted()).toEqual([one.id, other.id].toSorted());
    expect(changes(stream)[0]?.verb).toBeUndefined();
    stream.close();
  });

  test("tells nobody whose roles have changed but who may see them", async () => {
    const viewer = await createSettled("viewer");
    const editor = await createSettled("editor");
    const streams = await Promise.all(
      [viewer, editor].map((person) => listen({ "x-session-token": person.token })),
    );
    const other = await createPerson(app, "commander");
    await saved("after the role");
    for (const stream of streams)
      await vi.waitFor(() => expect(changes(stream)).toContainEqual(made("after the role")), 5_000);
    const told = streams.map((stream) =>
      changes(stream).some(({ table, ids }) => table === "people_roles" && ids?.includes(other.id)),
    );
    expect(told).toEqual([false, true]);
    for (const stream of streams) stream.close();
  });

  test("goes on where it was left", async () => {
    const first = await listen();
    await saved("seen");
    await vi.waitFor(() => expect(changes(first)).toHaveLength(1), 5_000);
    const last = first.heard.at(-1)!.id!;
    first.close();
    await first.ended;
    const witness = await listen();
    await saved("missed");
    await vi.waitFor(() => expect(changes(witness)).toHaveLength(1), 5_000);
    witness.close();
    const second = await listen({ "x-session-token": token, "last-event-id": last });
    await vi.waitFor(() => expect(changes(second)).toEqual([made("missed")]), 5_000);
    // So that a client knows that it is heard and nothing holds the stream up.
    await vi.waitFor(
      () =>
        expect(second.heard.at(-1)).toMatchObject({ event: "ready", id: second.heard.at(-2)?.id }),
      5_000,
    );
    second.close();
  });

  test("tells who has heard nothing yet what was told since the page is there", async () => {
    const since = performance.now();
    const witness = await listen();
    await saved("before the stream");
    await vi.waitFor(
      () => expect(changes(witness)).toContainEqual(made("before the stream")),
      5_000,
    );
    witness.close();
    const open = async (ago: string) => {
      const stream = await listen({ "x-session-token": token }, `?ago=${ago}`);
      await vi.waitFor(() => expect(stream.heard.at(-1)?.event).toBe("ready"), 5_000);
      stream.close();
      return stream.heard;
    };
    expect(await open(String(Math.ceil(performance.now() - since)))).toContainEqual(
      expect.objectContaining({ data: made("before the stream") }),
    );
    expect(await open("0")).toEqual([expect.objectContaining({ event: "ready" })]);
  });

  test.for(["nothing-1", "x", "deadbeef0000-99999999", "-1"])(
    "from a place that is not remembered (%s) everything is to be read again",
    async (last) => {
      const stream = await listen({ "x-session-token": token, "last-event-id": last });
      await vi.waitFor(
        () => expect(stream.heard.map(({ event }) => event)).toEqual(["reset"]),
        5_000,
      );
      stream.close();
    },
  );

  test("names no rows when they are many", async () => {
    const stream = await listen();
    await app.db.raw(
      "insert into properties (name, value) select 'many ' || i, '' from generate_series(1, 500) i",
    );
    await vi.waitFor(() => expect(changes(stream)).toEqual([{ table: "properties" }]), 5_000);
    await app.db.raw("update properties set value = 'x' where name like 'many %'");
    await vi.waitFor(() => expect(changes(stream)).toHaveLength(2), 5_000);
    await app.db.raw(
      "insert into properties (name, value) select repeat(i::text, 250), '' from generate_series(100, 140) i",
    );
    await vi.waitFor(() => expect(changes(stream)).toHaveLength(3), 5_000);
    expect(changes(stream).slice(1)).toEqual([{ table: "properties" }, { table: "properties" }]);
    stream.close();
  });

  test("tells nobody what he may not read", async () => {
    const somebody = await createSettled("viewer");
    const admin = await listen();
    const { rows } = await app.db.raw("select id from people where name = 'Admin'");
    const [{ id }] = rows as [{ id: string }];
    await app.db.raw("update casbin_rule set v1 = 'viewer' where v0 = $1", [id]);
    // His own roles have changed: the stream ends, so that he is asked anew who he is.
    await admin.ended;
    const viewer = await listen();
    await app.db.raw("update identities set updated_at = now() where false");
    await app.db.raw("update identities set updated_at = now() where id = $1", [somebody.id]);
    await saved("x").then(({ status }) => expect(status).toBe(403));
    await app.db.raw("insert into properties (name, value) values ('after', '')");
    await vi.waitFor(() => expect(changes(viewer)).toEqual([made("after")]), 5_000);
    viewer.close();
    await app.db.raw("update casbin_rule set v1 = 'admin' where v0 = $1", [id]);
  });

  test("tells of tokens only to whom they belong, and to who looks after them", async () => {
    const [owner, other] = [await createSettled("viewer"), await createSettled("viewer")];
    const streams = await Promise.all(
      [owner.token, other.token, token].map((own) => listen({ "x-session-token": own })),
    );
    expect((await owner.post("/api/auth/tokens", { name: "x" })).status).toBe(201);
    await app.db.raw("insert into properties (name, value) values ('after tokens', '')");
    const mark = made("after tokens");
    await vi.waitFor(() => {
      for (const stream of streams) expect(changes(stream)).toContainEqual(mark);
    }, 5_000);
    const tokensOf = { table: "access_tokens", ids: [owner.id] };
    expect(
      streams.map((stream) => changes(stream).filter(({ table }) => table !== "properties")),
    ).toEqual([[tokensOf], [], [tokensOf]]);
    for (const stream of streams) stream.close();
  });

  test("tells administrators alone what was written in the audit log", async () => {
    const editor = await createSettled("editor");
    const [admins, editors] = [await listen(), await listen({ "x-session-token": editor.token })];
    await saved("audited");
    await vi.waitFor(() => {
      expect(everyChange(admins).map(({ table }) => table)).toContain("audit_entries");
      expect(changes(editors)).toHaveLength(1);
    }, 5_000);
    const entry = everyChange(admins).find(({ table }) => table === "audit_entries");
    expect(entry).toEqual({ table: "audit_entries", ids: [expect.any(String)], verb: "insert" });
    expect(everyChange(editors)).toEqual(changes(editors));
    for (const stream of [admins, editors]) stream.close();
  });

  test("says who is listening, for a page that was another's", async () => {
    const viewer = await createSettled("viewer");
    const stream = await listen({ "x-session-token": viewer.token });
    await vi.waitFor(() => expect(stream.heard).not.toEqual([]), 5_000);
    expect(stream.heard[0]).toMatchObject({ event: "ready", data: { person: viewer.id } });
    stream.close();
  });

  test("is not for strangers", async () => {
    expect((await app.nobody.get("/api/events")).status).toBe(401);
  });

  test("is limited for each person, and a closed one makes room", async () => {
    const streams = await Promise.all(Array.from({ length: 32 }, () => listen()));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200));
    expect((await listen()).status).toBe(429);
    for (const stream of streams) stream.close();
    await vi.waitFor(async () => {
      const again = await listen();
      again.close();
      expect(again.status).toBe(200);
    }, 5_000);
  });

  test("ends when the server stops", async () => {
    const stopping = await startTestApp({ role: "api" });
    const of = await stopping.app.createLocalSession();
    const reply = await fetch(`${stopping.address}/api/events`, {
      headers: { "x-session-token": of.token },
    });
    const text = reply.text();
    await stopping.stop();
    expect(await text).toContain("event: ready");
  });
});
