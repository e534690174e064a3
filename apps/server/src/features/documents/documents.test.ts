import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { client, startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";

let app: TestApp;
let viewer: TestPerson;
beforeAll(async () => {
  // Without a worker nothing is run: these tests are about what is stored.
  app = await startTestApp({ role: "api" });
  viewer = await createPerson(app, "viewer");
});
afterAll(() => app.stop());

let made = 0;
const freshName = () => `sheet-${++made}`;
const canary = (
  name: string,
  more: { url?: string; labels?: string; uid?: string } = {},
) => `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
  namespace: shop
${more.uid ? `  uid: ${more.uid}\n` : ""}${more.labels ? `  labels: { ${more.labels} }\n` : ""}spec:
  http:
    - name: front
      url: ${more.url ?? "https://example.org"}
`;
const yaml = { "content-type": "application/yaml" };
const post = (text: string, query = "", headers: Record<string, string> = yaml) =>
  app.admin.post(`/api/documents${query}`, text, headers);
const count = async () =>
  (await app.db.first<{ n: number }>(
    sql`select count(*) as n from canaries where deleted_at is null`,
  ))!.n;

describe("ten documents with a bad one in the middle store none", () => {
  const names = Array.from({ length: 10 }, (_, index) => `ten-${index}`);
  const texts = names.map((name, index) => canary(name, index === 4 ? { url: "nowhere" } : {}));

  test("as text, with the place of what is wrong", async () => {
    const before = await count();
    const reply = await post(texts.join("---\n"));
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([
      expect.objectContaining({ path: "spec.http.0.url", line: 49, column: 12 }),
    ]);
    expect(await count()).toBe(before);
  });

  test("as rows of the data API", async () => {
    const before = await count();
    const rows = names.map((name, index) => ({
      name,
      spec: { http: [{ name: "front", url: index === 4 ? "nowhere" : "https://example.org" }] },
    }));
    const reply = await app.admin.post("/api/db/canaries", rows);
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([
      expect.objectContaining({ path: "4.spec.http.0.url", line: 1 }),
    ]);
    expect(await count()).toBe(before);
  });

  test("and when it is only the database that finds it bad", async () => {
    const before = await count();
    const secret = `${canary("ten-secret")}      password: "********"\n`;
    const reply = await post([...texts.slice(0, 4), secret, ...texts.slice(5)].join("---\n"));
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([
      expect.objectContaining({
        path: "spec.http.0.password",
        message: expect.stringMatching(/no stored value/),
      }),
    ]);
    expect(await count()).toBe(before);
  });

  test("while ten good ones are all there", async () => {
    const before = await count();
    const reply = await post(names.map((name) => canary(name)).join("---\n"));
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.dryRun).toBe(false);
    expect(
      reply.json.documents.map(({ name, outcome }: { name: string; outcome: string }) => [
        name,
        outcome,
      ]),
    ).toEqual(names.map((name) => [name, "created"]));
    expect(await count()).toBe(before + 10);
  });
});

describe("a dry run with bad documents", () => {
  const [first, bad, sealed, taken, last] = Array.from({ length: 5 }, () => freshName()) as [
    string,
    string,
    string,
    string,
    string,
  ];

  test("tells what would become of the others, and what is wrong", async () => {
    await app.admin.post("/api/db/canaries", { name: taken, namespace: "shop", spec: { tcp: [] } });
    const [row] = await app.db.rows<{ id: string }>(
      sql`select id from canaries where name = ${taken}`,
    );
    await post(canary(last));
    const before = await count();
    const texts = [
      canary(first),
      canary(bad, { url: "nowhere" }),
      `${canary(sealed)}      password: "********"\n`,
      canary(taken, { uid: row!.id }),
      canary(last, { url: "https://example.com" }),
      canary(first, { url: "https://example.com" }),
    ];
    const reply = await post(texts.join("---\n"), "?dryRun=true");
    expect(reply.status).toBe(400);
    expect(reply.json.issues.map(({ path }: { path: string }) => path)).toEqual([
      "spec.http.0.url",
      "spec.http.0.password",
      "metadata.uid",
      "metadata.name",
    ]);
    expect(reply.json.documents).toMatchObject([
      { name: first, outcome: "created", after: expect.stringContaining(first) },
      { name: last, outcome: "updated", changes: [{ path: "spec.http.0.url" }] },
    ]);
    expect(await count()).toBe(before);
    const saved = await post(texts.join("---\n"));
    expect([saved.status, saved.json.documents]).toEqual([400, undefined]);
  });

  test("says of nothing that it would be pruned", async () => {
    const label = "team: half";
    await post(canary(sealed, { labels: label }), "?source=half");
    const reply = await post(
      [canary(first, { labels: label }), canary(bad, { url: "nowhere" })].join("---\n"),
      "?source=half&dryRun=true&prune=team%3Dhalf",
    );
    expect(reply.json.documents).toMatchObject([{ name: first, outcome: "created" }]);
  });

  test("is an ordinary refusal where none is good, or somebody may not write", async () => {
    const reply = await post(canary(bad, { url: "nowhere" }), "?dryRun=true");
    expect([reply.status, reply.json.documents]).toEqual([400, undefined]);
    const refused = await viewer.post(
      "/api/documents?dryRun=true",
      [canary(first), canary(bad, { url: "nowhere" })].join("---\n"),
      yaml,
    );
    expect([refused.status, refused.json.documents]).toEqual([403, undefined]);
  });
});

test("JSON is taken as it was sent, with places in it", async () => {
  const document = {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: freshName() },
    spec: { tcp: [{ name: "a", endpoint: "nowhere" }] },
  };
  const json = { "content-type": "application/json" };
  const refused = await post(JSON.stringify(document, undefined, 2), "", json);
  expect(refused.status).toBe(400);
  expect(refused.json.issues).toEqual([
    expect.objectContaining({ path: "spec.tcp.0.endpoint", line: 11, column: 21 }),
  ]);
  document.spec.tcp[0]!.endpoint = "localhost:1";
  expect((await post(JSON.stringify(document), "", json)).status).toBe(200);
});

test("the address before is an alias of the same", async () => {
  const reply = await app.admin.post("/api/canary/documents", { text: canary(freshName()) });
  expect(reply.json.canaries).toMatchObject([{ kind: "Canary", outcome: "created" }]);
});

test.each([
  ["twice", 2, 200, "updated"],
  ["time and again", 9, 503, undefined],
])("what has to give way to others %s is tried again", async (_, times, status, outcome) => {
  const name = freshName();
  const { id } = (await post(canary(name))).json.documents[0];
  await app.owner.raw(`
    create sequence collisions;
    grant usage on sequence collisions to public;
    create function collide() returns trigger language plpgsql as $$ begin
      if nextval('collisions') <= ${times} then raise 'deadlock detected' using errcode = '40P01'; end if;
      return new;
    end $$;
    create trigger collide before update on checks for each row when (new.canary_id = '${id}') execute function collide()`);
  try {
    const reply = await post(canary(name, { url: "https://example.net" }));
    expect([reply.status, reply.json.documents?.[0].outcome]).toEqual([status, outcome]);
    if (status === 503) expect(reply.json.error).toMatch(/had to give way/);
  } finally {
    await app.owner.raw("drop function collide cascade; drop sequence collisions");
  }
  const { spec } = (await app.admin.get(`/api/db/canaries?id=eq.${id}`)).json[0];
  expect(spec.http[0].url).toBe(`https://example.${status === 200 ? "net" : "org"}`);
});

describe("a dry run", () => {
  test("says what would be, value by value and as text, and stores nothing", async () => {
    const [old, fresh, same] = [freshName(), freshName(), freshName()];
    await post([canary(old), canary(same)].join("---\n"));
    const before = await count();
    const changed = canary(old, { url: "https://example.com", labels: "team: red" });
    const reply = await post([changed, canary(fresh), canary(same)].join("---\n"), "?dryRun=true");
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.dryRun).toBe(true);
    const [first, second, third] = reply.json.documents;
    expect(first).toMatchObject({
      name: old,
      outcome: "updated",
      changes: [
        { path: "metadata.labels", change: "added" },
        { path: "spec.http.0.url", change: "changed" },
      ],
      before: expect.stringContaining("url: https://example.org"),
      after: expect.stringContaining("url: https://example.com"),
    });
    expect(second).toMatchObject({ name: fresh, outcome: "created", changes: [] });
    expect([second.id, second.before]).toEqual([undefined, undefined]);
    expect(third).toEqual({
      kind: "Canary",
      namespace: "shop",
      name: same,
      outcome: "unchanged",
      id: expect.any(String),
      held: [],
    });
    expect(await count()).toBe(before);
    const [row] = (await app.admin.get(`/api/db/canaries?name=eq.${old}&select=spec`)).json;
    expect(row.spec.http[0].url).toBe("https://example.org");
    expect((await post(changed)).json.documents[0].changes).toBeUndefined();
  });

  test("tells that a secret is written, and neither what it is nor whether it was guessed", async () => {
    const name = freshName();
    const withPassword = (password: string) => `${canary(name)}      password: ${password}\n`;
    await post(withPassword("swordfish-one"));
    const [wrong, right] = [
      await post(withPassword("swordfish-two"), "?dryRun=true"),
      await post(withPassword("swordfish-one"), "?dryRun=true"),
    ];
    expect(right.text).toBe(wrong.text);
    expect(right.json.documents[0]).toMatchObject({
      outcome: "updated",
      changes: [{ path: "spec.http[name=front].password", change: "changed", secret: true }],
    });
    expect(right.text).not.toContain("swordfish");
    expect((await post(withPassword('"********"'), "?dryRun=true")).json.documents[0].outcome).toBe(
      "unchanged",
    );
  });

  test("refuses what saving would refuse", async () => {
    const name = freshName();
    const reply = await post(
      `${canary(name)}${canary(name).replace(/^/, "---\n")}`,
      "?dryRun=true",
    );
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(/already the document at line 1/);
  });
});

test("whether a secret was guessed shows in no refusal of what follows it", async () => {
  const editor = await createPerson(app, "editor");
  const name = freshName();
  const withPassword = (password: string) =>
    `${canary(name)}      password: ${password}\n  exec:\n    - { name: disk, script: df }\n`;
  await post(withPassword("swordfish-one"));
  for (const query of ["", "?dryRun=true"]) {
    const [wrong, right] = [
      await editor.post(`/api/documents${query}`, withPassword("swordfish-two"), yaml),
      await editor.post(`/api/documents${query}`, withPassword("swordfish-one"), yaml),
    ];
    expect([right.status, right.text]).toEqual([403, wrong.text]);
  }
  const again = await editor.post("/api/documents", withPassword('"********"'), yaml);
  expect(again.json.documents).toMatchObject([{ outcome: "unchanged" }]);
});

describe("a row that is kept elsewhere", () => {
  const elsewhere = /canary shop\/\S+ is kept in (?:the console|git): change it there/;
  const rowOf = async (id: string) =>
    (await app.admin.get(`/api/db/canaries?id=eq.${id}`)).json[0] as Record<string, unknown>;
  async function kept(source: string) {
    const name = freshName();
    const [{ id }] = (await post(canary(name), `?source=${source}`)).json.documents;
    const changed = canary(name, { uid: id, url: "https://example.com" });
    return { id, name, changed, before: await rowOf(id) };
  }

  test.each([
    ["the console", "UI", "?source=git"],
    ["a file", "git", "?source=UI"],
    ["a file", "git", ""],
    ["a file, in a dry run", "git", "?source=UI&dryRun=true"],
  ])("is not changed by its uid from another place: %s", async (_, source, query) => {
    const { id, changed, before } = await kept(source);
    const reply = await post(`${canary(freshName())}---\n${changed}`, query);
    expect(reply.status).toBe(409);
    expect(reply.json.issues).toEqual([
      {
        path: "metadata.uid",
        message: expect.stringMatching(elsewhere),
        line: 16,
        column: 8,
      },
    ]);
    expect(await rowOf(id)).toEqual(before);
    const again = await post(changed, `?source=${source}`);
    expect(again.json.documents).toMatchObject([{ id, outcome: "updated" }]);
  });

  test("nor by the address before, and by the name there is one of its own", async () => {
    const { id, name, changed, before } = await kept("git");
    const reply = await app.admin.post("/api/canary/documents", { text: changed });
    expect([reply.status, reply.json.error]).toEqual([409, expect.stringMatching(elsewhere)]);
    const beside = {
      path: "metadata.name",
      message: `A canary shop/${name} is kept in git already: this is another one beside it.`,
      line: expect.any(Number),
      column: expect.any(Number),
    };
    for (const query of ["?dryRun=true", ""]) {
      const other = await post(canary(name), query);
      expect(other.json.documents).toMatchObject([{ outcome: "created" }]);
      expect(other.json.documents[0].id).not.toBe(id);
      expect(other.json.notices).toEqual([beside]);
    }
    expect((await post(canary(name))).json).toMatchObject({
      documents: [{ outcome: "unchanged" }],
      notices: [],
    });
    expect(await rowOf(id)).toEqual(before);
  });

  test("nor as a row of the data API, unless its place is named; it is deleted by anybody", async () => {
    const { id, before } = await kept("git");
    const { spec, source } = before;
    const path = `/api/db/canaries?id=eq.${id}`;
    const changed = { ...(spec as object), interval: 77 };
    for (const change of [
      { spec: changed },
      { labels: { a: "b" } },
      { spec: changed, source: "UI" },
      { spec: changed, source: "other" },
    ]) {
      const reply = await app.admin.patch(path, change);
      expect([reply.status, reply.json.message], JSON.stringify(change)).toEqual([
        409,
        expect.stringContaining("kept in git"),
      ]);
    }
    expect(await rowOf(id)).toEqual(before);
    expect((await app.admin.patch(path, { spec: changed, source })).status).toBe(204);
    expect((await rowOf(id)).spec).toEqual(changed);
    expect((await app.admin.patch(path, { deleted_at: "now" })).status).toBe(204);
    expect((await rowOf(id)).deleted_at).not.toBeNull();
  });

  test("is kept, once deleted, where it is applied again", async () => {
    const { id, changed } = await kept("UI");
    await app.admin.delete(`/api/documents/canary/${id}`);
    const reply = await post(changed, "?source=git");
    expect(reply.json.documents).toMatchObject([{ id, outcome: "created" }]);
    expect(await rowOf(id)).toMatchObject({ source: "git", deleted_at: null });
  });

  test("a name of the same place that is taken already is a conflict", async () => {
    const { id } = await kept("git");
    const taken = await kept("git");
    const reply = await post(canary(taken.name, { uid: id }), "?source=git");
    expect([reply.status, reply.json.error]).toEqual([409, expect.stringContaining(taken.name)]);
  });
});

describe("pruning", () => {
  const labels = (team: string) => ({ labels: `team: ${team}` });
  const names = async () =>
    (
      await app.db.rows<{ name: string }>(sql`
        select name from canaries where source = 'prune-test' and deleted_at is null order by name`)
    ).map(({ name }) => name);

  test("deletes what the selector selects, the source holds and the text does not", async () => {
    const text = [
      canary("p-kept", labels("prune")),
      canary("p-gone", labels("prune")),
      canary("p-other", labels("else")),
    ].join("---\n");
    await post(text, "?source=prune-test");
    await post(canary("p-gone", labels("prune")), "?source=somewhere-else");
    const query = "?source=prune-test&prune=team%3Dprune";
    const next = canary("p-kept", labels("prune"));

    const dry = await post(next, `${query}&dryRun=true`);
    expect(dry.json.documents).toMatchObject([
      { name: "p-kept", outcome: "unchanged" },
      { name: "p-gone", outcome: "deleted", before: expect.stringContaining("p-gone") },
    ]);
    expect(await names()).toEqual(["p-gone", "p-kept", "p-other"]);

    const bad = await post(`${next}---\n${canary("p-new", { url: "nowhere" })}`, query);
    expect(bad.status).toBe(400);
    expect(await names()).toEqual(["p-gone", "p-kept", "p-other"]);

    const reply = await post(next, query);
    expect(reply.json.documents).toMatchObject([{ outcome: "unchanged" }, { outcome: "deleted" }]);
    expect(await names()).toEqual(["p-kept", "p-other"]);
    const elsewhere = await app.admin.get("/api/documents/canary/p-gone?source=somewhere-else");
    expect(elsewhere.status).toBe(200);
    // Its checks have gone with it.
    const checks = await app.db.rows(sql`
      select from checks k join canaries c on c.id = k.canary_id
       where c.name = 'p-gone' and c.source = 'prune-test' and k.deleted_at is null`);
    expect(checks).toEqual([]);
  });

  test("takes of the kinds that are named alone, with the right to each, and shows what was written", async () => {
    const connection = `# Of the shop.
apiVersion: mission-control.flanksource.com/v1
kind: Connection
metadata: { name: p-db, labels: { team: kinds } }
spec: { postgres: { url: "postgres://db.example.org/shop" } }
`;
    await post(`${connection}---\n${canary("p-stays", labels("kinds"))}`, "?source=prune-test");
    const next = canary("p-new", labels("kinds"));
    const query = "?source=prune-test&prune=team%3Dkinds&kinds=connection";
    // Who may write health checks may not for that delete connections.
    const editor = await createPerson(app, "editor");
    const refused = await editor.post(`/api/documents${query}`, next, yaml);
    expect([refused.status, refused.json.error]).toEqual([403, expect.any(String)]);
    expect((await app.admin.get("/api/documents/connection/p-db")).status).toBe(200);

    const reply = await post(next, `${query}&dryRun=true`);
    expect(reply.json.documents).toMatchObject([
      { name: "p-new", outcome: "created" },
      { name: "p-db", outcome: "deleted", before: expect.stringMatching(/^# Of the shop\./) },
    ]);
    expect((await post(next, query)).json.documents).toHaveLength(2);
    expect(await names()).toEqual(expect.arrayContaining(["p-new", "p-stays"]));
    expect((await app.admin.get("/api/documents/connection/p-db")).status).toBe(404);
  });

  test.each([
    ["an empty selector", "?prune=", /would select everything/],
    ["a selector that cannot be read", "?prune=a%20in", /cannot be read/],
    ["kinds without a selector", "?kinds=canary", /without it/],
  ])("refuses %s", async (_, query, message) => {
    const reply = await post(canary(freshName()), query);
    expect([reply.status, reply.json.error]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe("reading", () => {
  test("lists, finds by id, name or namespace, and exports what can be applied", async () => {
    const name = freshName();
    const [{ id }] = (await post(canary(name, { labels: "team: blue" }))).json.documents;
    const listed = await app.admin.get("/api/documents/canaries?namespace=shop&labels=team%3Dblue");
    expect(listed.json.documents).toMatchObject([
      {
        id,
        source: "a file, with mainstay apply",
        document: { kind: "Canary", metadata: { uid: id, name } },
      },
    ]);
    for (const path of [
      `canary/${id}`,
      `Canary/${name}`,
      `canaries/shop/${name}`,
      `canary/${name}?namespace=shop`,
    ])
      expect((await app.admin.get(`/api/documents/${path}`)).json.id, path).toBe(id);
    const text = await app.admin.get(`/api/documents/canary/${id}?output=yaml`);
    expect(text.headers.get("content-type")).toMatch(/^application\/yaml/);
    expect((await post(text.text)).json.documents).toMatchObject([{ id, outcome: "unchanged" }]);
    const json = await app.admin.get(`/api/documents/canary/${id}?output=json`);
    expect((await post(JSON.stringify(json.json))).json.documents[0].outcome).toBe("unchanged");
    const source = encodeURIComponent("a file, with mainstay apply");
    const all = await app.admin.get(
      `/api/documents/canary?namespace=shop&source=${source}&output=yaml`,
    );
    expect(
      (await post(all.text, "?dryRun=true")).json.documents.every(
        ({ outcome }: { outcome: string }) => outcome === "unchanged",
      ),
    ).toBe(true);
  });

  test("keeps secrets to itself", async () => {
    const name = freshName();
    await post(`${canary(name)}      password: swordfish-three\n`);
    for (const output of ["", "?output=yaml", "?output=json"]) {
      const { text } = await app.admin.get(`/api/documents/canary/shop/${name}${output}`);
      expect(text).toContain("********");
      expect(text).not.toMatch(/swordfish|sealed/);
    }
  });

  test("says which kinds there are, and of what is not there what is missing", async () => {
    const { kinds } = (await viewer.get("/api/documents")).json;
    expect(kinds).toContainEqual({
      kind: "Canary",
      name: "canary",
      plural: "canaries",
      apiVersions: ["canaries.flanksource.com/v1"],
      writable: false,
    });
    expect((await app.admin.get("/api/documents/teapot")).status).toBe(404);
    const gone = await app.admin.get("/api/documents/canary/shop/nobody");
    expect([gone.status, gone.json.error]).toEqual([404, "canary shop/nobody was not found."]);
  });
});

test("deleting takes what the document defines along; what could mean several means none", async () => {
  const name = freshName();
  await post(canary(name));
  await post(canary(name), "?source=UI");
  const several = await app.admin.delete(`/api/documents/canary/shop/${name}`);
  expect([several.status, several.json.error]).toEqual([409, expect.stringMatching(/several/)]);
  const one = await app.admin.delete(`/api/documents/canary/shop/${name}?source=UI`);
  expect(one.json).toMatchObject({ name, outcome: "deleted" });
  const other = await app.admin.delete(`/api/documents/canary/shop/${name}`);
  expect(other.status).toBe(200);
  expect((await app.admin.delete(`/api/documents/canary/shop/${name}`)).status).toBe(404);
  const left = await app.db.rows(sql`
    select from checks k join canaries c on c.id = k.canary_id where c.name = ${name} and k.deleted_at is null`);
  expect(left).toEqual([]);
});

test("whoever may not write reads; nobody does neither", async () => {
  const name = freshName();
  await post(canary(name));
  expect((await viewer.get(`/api/documents/canary/shop/${name}`)).status).toBe(200);
  for (const query of ["", "?dryRun=true"])
    expect((await viewer.post(`/api/documents${query}`, canary(name), yaml)).status).toBe(403);
  expect((await viewer.delete(`/api/documents/canary/shop/${name}`)).status).toBe(403);
  const nobody = client(app.address);
  expect((await nobody.post("/api/documents", canary(name), yaml)).status).toBe(401);
  expect((await nobody.get("/api/documents/canary")).status).toBe(401);
});

test("what reaches into the server's machine needs a right of its own, in a dry run as well", async () => {
  const editor = await createPerson(app, "editor");
  const text = canary(freshName()).replace(
    / {2}http:[^]*/,
    "  exec:\n    - { name: disk, script: df }\n",
  );
  for (const query of ["", "?dryRun=true"]) {
    const reply = await editor.post(`/api/documents${query}`, text, yaml);
    expect(reply.status).toBe(403);
    expect(reply.json.issues).toMatchObject([{ path: "spec.exec.0", line: 8 }]);
  }
});

test("and where what was sent is no JSON, there is no place in it to name", async () => {
  const editor = await createPerson(app, "editor");
  const name = freshName();
  await post(
    canary(name).replace(/ {2}http:[^]*/, "  exec:\n    - { name: disk, script: df }\n"),
    "?source=UI",
  );
  for (const [type, body] of [
    ["application/x-www-form-urlencoded", "name=other"],
    ["text/csv", "name\nother"],
  ] as const) {
    const reply = await editor.patch(`/api/db/canaries?name=eq.${name}`, body, {
      "content-type": type,
    });
    expect([type, reply.status, reply.json.message]).toEqual([
      type,
      403,
      expect.stringContaining("CODE_ROLES"),
    ]);
  }
});

test("the changes are in the audit log, under the name of who made them, and a dry run is not", async () => {
  const name = freshName();
  const editor = await createPerson(app, "editor");
  await editor.post("/api/documents?dryRun=true", canary(name), yaml);
  await editor.post("/api/documents", canary(name), yaml);
  const log = await app.db.rows<{ verb: string }>(sql`
    select verb from audit_log where table_name = 'canaries' and after ->> 'name' = ${name}`);
  expect(log).toHaveLength(1);
});

test("a list is of those ids that are asked for, and of no text that is none", async () => {
  const [one, , three] = (await post([1, 2, 3].map(() => canary(freshName())).join("---\n"))).json
    .documents as { id: string }[];
  const listed = (ids: string) => app.admin.get(`/api/documents/canary?ids=${ids}`);
  const reply = await listed(`${three!.id},${one!.id}`);
  expect(reply.json.documents.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    [one!.id, three!.id].toSorted(),
  );
  expect((await listed("one")).status).toBe(400);
  expect((await listed(Array(101).fill(one!.id).join())).status).toBe(400);
});
