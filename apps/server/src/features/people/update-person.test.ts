import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { edit, rolesOf, stateOf } from "./testing/users.ts";

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin", { first: "Admin", last: "Istrator" });
});
afterAll(() => app.stop());

test("somebody and an administrator who save the same profile at once wait for each other", async () => {
  const person = await createPerson(app, "viewer");
  const flow = await person.get("/api/.ory/self-service/settings/api");
  const blocker = await app.db.connect();
  try {
    await blocker.query("begin");
    await blocker.query("select from identities where id = $1 for update", [person.id]);
    const waiting = (count: number) =>
      vi.waitFor(async () => {
        const found = await app.db.first(sql`
          select count(*)::int as count from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`);
        expect(found).toEqual({ count });
      });
    const own = person.post(`/api/.ory/self-service/settings?flow=${flow.json.id}`, {
      method: "profile",
      traits: { email: person.email, name: { first: "Augusta", last: "Byron" } },
    });
    await waiting(1);
    const administrators = admin.post("/api/people/update", edit(person, { lastName: "King" }));
    await waiting(2);
    await blocker.query("commit");
    const replies = await Promise.all([own, administrators]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  } finally {
    await blocker.end();
  }
  expect((await person.get("/api/auth/whoami")).json.payload.user.name).toBe("Ada King");
});

describe("editing", () => {
  test("changes names, address, role and state", async () => {
    const person = await createPerson(app, ["viewer", "commander"]);
    const email = `countess-${person.id}@example.org`;
    const reply = await admin.post(
      "/api/people/update",
      edit(person, { lastName: "King", email, role: "editor", active: true }),
    );
    expect([reply.status, reply.json]).toEqual([
      200,
      { email, name: { first: "Ada", last: "King" } },
    ]);
    expect(await rolesOf(app, person.id)).toEqual(["editor"]);
    expect((await person.get("/api/auth/whoami")).json.payload).toMatchObject({
      user: { name: "Ada King", email },
      roles: ["editor"],
    });
    const shown = await admin.get(`/api/db/identities?id=eq.${person.id}&select=traits,state`);
    expect(shown.json).toEqual([
      { traits: { email, name: { first: "Ada", last: "King" } }, state: "active" },
    ]);
    expect((await admin.post("/api/people/update", edit(person, { active: false }))).status).toBe(
      200,
    );
    expect((await person.get("/api/auth/whoami")).status).toBe(401);
    expect(await rolesOf(app, person.id)).toEqual(["editor"]);
  });

  test("comes as a form, too", async () => {
    const person = await createPerson(app, "viewer");
    const form = new URLSearchParams(
      edit(person, { active: "false", role: "responder" }),
    ).toString();
    const reply = await admin.request("POST", "/api/people/update", form, {
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(reply.status, reply.text).toBe(200);
    expect(await stateOf(app, person.id)).toMatchObject({ state: "inactive" });
    expect(await rolesOf(app, person.id)).toEqual(["responder"]);
  });

  test.each([
    ["Łukasz", "Żółć"],
    ["नरेन्द्र", "कुमार"],
    ["محمد", "الفارسي"],
    ["שָׁלוֹם", "כהן"],
    ["小明", "王"],
    ["ひらがな", "カタカナ"],
    ["สมชาย", "ใจดี"],
    ["Zoë", "O'Connor-Smith"],
    ["👩‍👩‍👧‍👦", "𝒥𝑜𝒽𝓃"],
    ["Robert'); DROP TABLE people;--", "<script>alert(1)</script>"],
    ["  spaced  ", "\u00e9".normalize("NFD")],
  ])("keeps the name %s %s", async (firstName, lastName) => {
    const person = await createPerson(app);
    const reply = await admin.post("/api/people/update", edit(person, { firstName, lastName }));
    expect(reply.status, reply.text).toBe(200);
    const [first, last] = [firstName.trim(), lastName.normalize("NFC")];
    expect(reply.json.name).toEqual({ first, last });
    expect((await admin.get(`/api/db/people?id=eq.${person.id}`)).json[0].name).toBe(
      `${first} ${last}`,
    );
  });

  test("takes an empty last name, as the first administrator has", async () => {
    const person = await createPerson(app);
    const reply = await admin.post("/api/people/update", edit(person, { lastName: "" }));
    expect([reply.status, reply.json.name.last]).toEqual([200, ""]);
  });

  test.each<[changes: object, message: string]>([
    [{ firstName: undefined }, "Please provide valid first name"],
    [{ firstName: "  " }, "Please provide valid first name"],
    [{ firstName: 7 }, "Please provide valid first name"],
    [{ firstName: "x".repeat(101) }, "Please provide valid first name"],
    [{ firstName: "a\0b" }, "Please provide valid first name"],
    [{ firstName: "a\ud800b" }, "Please provide valid first name"],
    [{ firstName: "Ada\u202egnirts" }, "Please provide valid first name"],
    [{ firstName: "\u2066Ada" }, "Please provide valid first name"],
    [{ firstName: "\u200b\u200d" }, "Please provide valid first name"],
    [{ lastName: undefined }, "Please provide valid last name"],
    [{ lastName: " " }, "Please provide valid last name"],
    [{ lastName: "two\nlines" }, "Please provide valid last name"],
    [{ lastName: "x".repeat(60_000) }, "Please provide valid last name"],
    [{ email: "" }, "Please provide valid email"],
    [{ email: "nobody" }, "Entered value does not match email format"],
    [{ email: "a b@example.org" }, "Entered value does not match email format"],
    [{ email: `${"x".repeat(400)}@example.org` }, "Entered value does not match email format"],
    [{ role: "owner" }, "Please select any role"],
    [{ role: "" }, "Please select any role"],
    [{ active: "maybe" }, "active must be true or false."],
  ])("%# is refused with its text", async (changes, message) => {
    const person = await createPerson(app, "viewer");
    const reply = await admin.post("/api/people/update", edit(person, changes));
    expect([reply.status, reply.json.error]).toEqual([400, message]);
    expect(await rolesOf(app, person.id)).toEqual(["viewer"]);
  });

  test("is for oneself, too, as long as the role stays", async () => {
    const self = await createPerson(app, ["admin", "viewer"]);
    const reply = await self.post(
      "/api/people/update",
      edit(self, { lastName: "King", role: "admin", active: true }),
    );
    expect([reply.status, await rolesOf(app, self.id)]).toEqual([200, ["admin"]]);
    expect((await self.get("/api/auth/whoami")).json.payload.user.name).toBe("Ada King");
  });

  test("does not give one address to two, however it is written", async () => {
    const [one, other] = [await createPerson(app), await createPerson(app)];
    const email = one.email.toUpperCase();
    const reply = await admin.post("/api/people/update", edit(other, { email, role: "editor" }));
    expect([reply.status, reply.json.error]).toEqual([
      409,
      `Another user has the e-mail address ${one.email}.`,
    ]);
    expect(await rolesOf(app, other.id)).toEqual(["viewer"]);
    // Nor that of somebody who signs in elsewhere.
    const elsewhere = `${crypto.randomUUID()}@example.org`;
    await app.db.run(sql`insert into people (name, email) values ('Ada', ${elsewhere})`);
    const second = await admin.post("/api/people/update", edit(other, { email: elsewhere }));
    expect([second.status, second.json.error]).toEqual([
      409,
      `Another user has the e-mail address ${elsewhere}.`,
    ]);
    // Writing one's own differently is fine.
    expect((await admin.post("/api/people/update", edit(one, { email }))).status).toBe(200);
  });

  describe("by somebody who began before another was done", () => {
    const seen = (person: TestPerson, changes: object = {}) => ({
      firstName: person.name.split(" ")[0],
      lastName: person.name.split(" ").slice(1).join(" "),
      email: person.email,
      active: true,
      roles: ["viewer"],
      ...changes,
    });

    test.each<[what: string, meanwhile: (person: TestPerson) => Promise<unknown>]>([
      [
        "the name",
        (person) => admin.post("/api/people/update", edit(person, { lastName: "Byron" })),
      ],
      ["the roles", ({ id }) => admin.post(`/api/rbac/${id}/update_role`, { roles: ["editor"] })],
      ["the state", ({ id }) => admin.post(`/api/auth/${id}/update_state`, { state: "inactive" })],
    ])("is refused when %s has changed, and done once it was seen", async (_, meanwhile) => {
      const person = await createPerson(app, "viewer");
      await meanwhile(person);
      const late = edit(person, { firstName: "Late", role: "commander", seen: seen(person) });
      const reply = await admin.post("/api/people/update", late);
      expect([reply.status, reply.json.error]).toEqual([
        409,
        "Somebody else has changed this user since you began to edit.",
      ]);
      expect(await rolesOf(app, person.id)).not.toContain("commander");
      const [now] = (await admin.get(`/api/db/identities?id=eq.${person.id}&select=traits,state`))
        .json;
      const again = await admin.post("/api/people/update", {
        ...late,
        seen: seen(person, {
          firstName: now.traits.name.first,
          lastName: now.traits.name.last,
          active: now.state === "active",
          roles: await rolesOf(app, person.id),
        }),
      });
      expect([again.status, await rolesOf(app, person.id)]).toEqual([200, ["commander"]]);
    });

    test("is done when nothing has, whatever the order of the roles", async () => {
      const person = await createPerson(app, ["commander", "editor"]);
      const reply = await admin.post(
        "/api/people/update",
        edit(person, { seen: seen(person, { roles: ["editor", "commander"] }) }),
      );
      expect(reply.status, reply.text).toBe(200);
      const nobody = await createPerson(app);
      const same = await admin.post("/api/people/update", edit(nobody, { seen: seen(nobody) }));
      expect(same.status, same.text).toBe(200);
    });

    test.each([{ seen: [] }, { seen: "x" }])("%j is refused", async (changes) => {
      const person = await createPerson(app);
      expect((await admin.post("/api/people/update", edit(person, changes))).status).toBe(400);
    });
  });

  test("what is larger than any user is not read", async () => {
    const reply = await admin.post("/api/people/update", { firstName: "x".repeat(70_000) });
    expect(reply.status).toBe(413);
  });
});

test("a person who signs in elsewhere is renamed and deactivated there", async () => {
  const person = (await app.db.first<{ id: string }>(
    sql`insert into people (name, email, external_id) values ('Else', 'else@where', 'user_2') returning id`,
  ))!;
  for (const reply of [
    await admin.post("/api/people/update", {
      ...edit({ ...admin, ...person }),
      email: "new@where",
    }),
    await admin.post(`/api/auth/${person.id}/update_state`, { state: "inactive" }),
  ])
    expect([reply.status, reply.json.error]).toEqual([
      409,
      "This user signs in with another identity service. Change the name, the address or the state there.",
    ]);
  const reply = await admin.post(`/api/rbac/${person.id}/update_role`, { roles: ["editor"] });
  expect([reply.status, await rolesOf(app, person.id)]).toEqual([200, ["editor"]]);
});
