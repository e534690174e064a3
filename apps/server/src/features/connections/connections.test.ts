import { connectionTypes } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { ConnectionMissing } from "./connection.ts";
import { connectionFinder } from "./connection-finder.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const returned = { prefer: "return=representation" };
const post = (row: object) => app.admin.post("/api/db/connections", row, returned);
const patch = (id: string, row: object) =>
  app.admin.patch(`/api/db/connections?id=eq.${id}`, row, returned);
const finder = () => app.app.ctx.service(connectionFinder);
/** The announcement of a change may still be on its way. */
const find = (reference: string, namespace = "default") => {
  finder().forget();
  return finder().find(reference, { namespace });
};
let made = 0;
const freshName = () => `c-${(made += 1)}`;
const pg = (more: object = {}) => ({
  type: "postgres",
  name: freshName(),
  url: "postgres://$(username):$(password)@db.example.com:5432/orders",
  username: "ann",
  password: "swordfish",
  source: "UI",
  ...more,
});

describe("rows", () => {
  test("a form's row is stored, and its secrets come out nowhere but where they are used", async () => {
    const { status, json, text } = await post(
      pg({ properties: { apiKey: "herring", region: "eu" } }),
    );
    expect([status, json]).toEqual([
      201,
      [
        expect.objectContaining({
          namespace: "default",
          username: "ann",
          password: "***",
          properties: { apiKey: "********", region: "eu" },
          insecure_tls: false,
          source: "UI",
          created_by: expect.any(String),
        }),
      ],
    ]);
    expect(text).not.toMatch(/swordfish|herring|sealed|kept_in/);
    const raw = await app.db.rows(sql`select * from connections where id = ${json[0].id}`);
    expect(JSON.stringify(raw)).not.toMatch(/swordfish|herring/);
    const { json: details } = await app.admin.get(`/api/db/connection_details?id=eq.${json[0].id}`);
    expect(details).toMatchObject([{ username: "***", password: "***", certificate: "***" }]);
    expect(details[0]).not.toHaveProperty("url");
    expect(await find(json[0].id)).toMatchObject({
      url: "postgres://ann:swordfish@db.example.com:5432/orders",
      username: "ann",
      password: "swordfish",
      properties: { apiKey: "herring", region: "eu" },
      insecureTls: false,
    });
  });

  test.each(["***", "********"])(
    "%s keeps what is stored, and a part of a row the rest",
    async (kept) => {
      const { json } = await post(pg());
      const { id } = json[0];
      expect(
        (await patch(id, { ...pg(), name: json[0].name, username: kept, password: kept })).status,
      ).toBe(200);
      expect(await find(id)).toMatchObject({ username: "ann", password: "swordfish" });
      expect((await patch(id, { username: "bob" })).json[0]).toMatchObject({ password: "***" });
      expect((await patch(id, { password: "marlin" })).text).not.toContain("marlin");
      expect(await find(id)).toMatchObject({ username: "bob", password: "marlin" });
      expect((await post({ ...pg(), password: kept })).json.error).toContain("no stored value");
      expect((await post({ ...pg(), username: kept })).json.error).toContain("no stored value");
    },
  );

  test.each([
    ["the host", { url: "postgres://$(username):$(password)@evil.example.com:5432/orders" }],
    ["the port", { url: "postgres://$(username):$(password)@db.example.com:5433/orders" }],
    ["the type", { type: "mysql" }],
    ["trust in any certificate", { insecure_tls: true }],
  ])("a stored secret does not go elsewhere with %s", async (_, change) => {
    const { json } = await post(pg());
    const moved = await patch(json[0].id, { ...change, password: "***" });
    expect([moved.status, moved.text]).toEqual([
      400,
      expect.stringContaining("write the value itself again"),
    ]);
    const silent = await patch(json[0].id, change);
    expect(silent.status).toBe(400);
    expect((await patch(json[0].id, { ...change, password: "again" })).status).toBe(200);
    expect((await patch(json[0].id, { url: json[0].url })).status).toBe(
      "url" in change ? 400 : 200,
    );
  });

  test("nor with a property or the name that its address is templated with", async () => {
    const { json } = await post(
      pg({
        url: "https://$(properties.where)/$(name)",
        type: "http",
        properties: { where: "a.example.com" },
      }),
    );
    const [{ id }] = json;
    expect((await patch(id, { properties: { where: "evil.example.com" } })).status).toBe(400);
    expect((await patch(id, { name: "evil" })).status).toBe(400);
    expect(
      (await app.admin.patch(`/api/db/connections?name=eq.${json[0].name}`, { name: "evil" }))
        .status,
    ).toBe(400);
    expect((await patch(id, { name: "evil", password: "again" })).status).toBe(200);
  });

  test("the channel of a message says nothing of where its token goes, the host does", async () => {
    const { json } = await post({
      type: "mattermost",
      name: freshName(),
      username: "bot",
      password: "tok-en-1",
      url: "mattermost://bot@chat.example.com/$(password)/alerts",
      properties: { host: "chat.example.com", channel: "alerts" },
    });
    const to = (host: string, channel: string) =>
      patch(json[0].id, {
        url: `mattermost://bot@${host}/$(password)/${channel}`,
        properties: { host, channel },
      });
    expect((await to("chat.example.com", "news")).status).toBe(200);
    expect((await to("evil.example.com", "news")).status).toBe(400);
  });

  test("what stands twice is stored once", async () => {
    const { json, text } = await post({
      type: "ifttt",
      name: freshName(),
      username: "web-hook-key",
      url: "ifttt://web-hook-key",
    });
    expect([json[0].url, json[0].username]).toEqual(["ifttt://$(username)", "***"]);
    expect(text).not.toContain("web-hook-key");
    expect((await find(json[0].id)).url).toBe("ifttt://web-hook-key");
  });

  test("keys that one form sends beside the columns are properties", async () => {
    const { status, json } = await post({
      type: "restic",
      name: freshName(),
      url: "s3:https://s3.example.com/backups",
      password: "repo-password",
      awsConnectionName: "",
      accessKey: "AKIA",
      secretKey: "s3-secret-key",
    });
    expect([status, json[0].properties]).toEqual([
      201,
      { awsConnectionName: "", accessKey: "AKIA", secretKey: "********" },
    ]);
    expect((await find(json[0].id)).properties.secretKey).toBe("s3-secret-key");
    expect((await post({ ...pg(), somethingElse: 1 })).status).toBe(400);
  });

  test.each([
    [{ type: "postgress" }, "type", /is no type of connection/],
    [{ type: undefined }, "type", /missing/],
    [{ name: undefined }, "name", /missing|text/],
    [{ password: "secret://only-a-name" }, "password", /both are needed/],
    [{ url: "secret:///key" }, "url", /both are needed/],
    [{ properties: { token: "configmap://a/" } }, "properties.token", /both are needed/],
    [{ properties: { port: "99999" } }, "properties.port", /no port/],
    [{ properties: "x" }, "properties", /mapping/],
    [{ url: "x".repeat(9_000) }, "url", /8192/],
  ])("%o is refused with its place", async (change, path, message) => {
    const { status, json } = await post(pg(change));
    expect([status, json.issues?.[0]?.path, json.issues?.[0]?.message]).toEqual([
      400,
      path,
      expect.stringMatching(message),
    ]);
  });

  test("two of one name are refused, and a deleted one makes room", async () => {
    const row = pg();
    const { json } = await post(row);
    expect((await post(row)).status).toBe(409);
    expect((await patch(json[0].id, { deleted_at: "now" })).status).toBe(200);
    expect((await post(row)).status).toBe(201);
  });

  test("administrators write, editors read, and nobody else either", async () => {
    const { json } = await post(pg());
    const path = `/api/db/connections?id=eq.${json[0].id}`;
    const editor = await createPerson(app, "editor");
    expect((await editor.get(path)).json[0]).toMatchObject({ password: "***" });
    expect((await editor.patch(path, { username: "x" })).status).toBe(403);
    for (const role of ["commander", "responder", "viewer"] as const) {
      const person = await createPerson(app, role);
      for (const name of ["connections", "connections_list", "connection_details"])
        expect([role, (await person.get(`/api/db/${name}`)).status]).toEqual([role, 403]);
    }
    expect((await app.nobody.get(path)).status).toBe(401);
  });

  test("the views tell notifications from the rest", async () => {
    const { json } = await post({
      type: "slack",
      name: freshName(),
      url: "slack://$(password)@#x",
      username: "#x",
      password: "xoxb-1234",
    });
    const { json: found } = await app.admin.get(`/api/db/connections_list?id=eq.${json[0].id}`);
    expect(found).toEqual([
      expect.objectContaining({ type: "slack", category: "notification", name: json[0].name }),
    ]);
  });

  test("every type can be stored with every field of its form, and shows no secret of it", async () => {
    for (const { type, fields, composeUrl } of connectionTypes) {
      const row: Record<string, unknown> & { properties: Record<string, string> } = {
        type,
        name: freshName(),
        properties: {},
      };
      for (const { key, secret, input, default: preset } of fields) {
        const text = secret
          ? `tell-${key}-tale`
          : (preset ?? (input === "number" ? "443" : "plain"));
        if (key === "insecure_tls") row.insecure_tls = true;
        else if (key.startsWith("properties.")) row.properties[key.slice(11)] = text;
        else row[key] = text;
      }
      if (composeUrl) row.url = composeUrl(row);
      const reply = await post(row);
      expect([type, reply.status, reply.text]).toEqual([
        type,
        201,
        expect.not.stringContaining("-tale"),
      ]);
      const opened = await find(reply.json[0].id);
      const secrets = fields.filter(({ secret }) => secret).length;
      const { url: _, ...rest } = opened;
      const again = type === "slackwebhook" ? opened : rest;
      expect([type, JSON.stringify(again).match(/-tale/g)?.length ?? 0]).toEqual([type, secrets]);
    }
  });
});

describe("references", () => {
  test("mean a connection in each of their forms", async () => {
    const name = freshName();
    const { json } = await post(pg({ name, namespace: "shop" }));
    for (const [reference, namespace] of [
      [`connection://shop/${name}`, "default"],
      [`connection://${name}`, "shop"],
      [`connection://postgres/shop/${name}`, "default"],
      [`connection://postgres/${name}`, "shop"],
      [json[0].id, "default"],
    ])
      expect((await find(reference, namespace)).id).toBe(json[0].id);
    for (const [reference, namespace] of [
      [`connection://${name}`, "default"],
      [`connection://mysql/shop/${name}x`, "default"],
      ["connection://", "shop"],
      ["connection://a/b/c/d", "shop"],
      ["00000000-0000-0000-0000-000000000001", "shop"],
      [name, "shop"],
    ])
      await expect(find(reference!, namespace)).rejects.toThrow(ConnectionMissing);
    await patch(json[0].id, { deleted_at: "now" });
    const deleted = `The connection shop/${name} was deleted at ${new Date().getUTCFullYear()}-`;
    await expect(find(json[0].id)).rejects.toThrow(deleted);
    await expect(find(`connection://shop/${name}`)).rejects.toThrow(deleted);
    await expect(find("connection://shop/never")).rejects.toThrow(
      'There is no connection "connection://shop/never": make it, or name another.',
    );
  });

  test("an address is a connection without a name, with whoever logs in", async () => {
    expect(await find("http://ann:s%40me@example.com/x", "shop")).toEqual({
      name: "",
      namespace: "shop",
      type: "",
      url: "http://ann:s%40me@example.com/x",
      username: "ann",
      password: "s@me",
      insecureTls: false,
      properties: {},
    });
  });

  test("a missing one is named without a password that stands in it", async () => {
    await expect(find("connection://a/b/c/ann:swordfish@d")).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("swordfish") }),
    );
  });

  test.each([
    [
      "https://$(username):$(password)@h/$(name)?d=$(domain)",
      "https://a%40corp.example:p%2F%20w@h/NAME?d=corp.example",
    ],
    [
      "https://{{.username}}@h/{{ .namespace }}/{{.properties.region}}",
      "https://a%40corp.example@h/default/eu",
    ],
    [
      "https://h/{{ .properties.region | toUpper }}/$(properties.region)/$(.type)",
      "https://h/EU/eu/http",
    ],
    ["https://h/$(name)/$(properties.none)", "https://h/NAME/"],
    ["https://h/{{ .missing }}", "https://h/<no value>"],
  ])("%s is rendered", async (url, rendered) => {
    const name = freshName();
    await post({
      type: "http",
      name,
      url,
      username: "a@corp.example",
      password: "p/ w",
      properties: { region: "eu", greeting: "for $(username)" },
    });
    const found = await find(`connection://${name}`);
    expect(found.url).toBe(rendered.replace("NAME", name));
    expect(found.properties.greeting).toBe("for a%40corp.example");
  });

  test("a name that is nobody's is a mistake in $( )", async () => {
    const { json } = await post({ type: "http", name: freshName(), url: "https://h/$(missing)" });
    await expect(find(json[0].id)).rejects.toThrow(/missing/);
  });

  test("what was found is kept until the row changes", async () => {
    const { json } = await post(pg());
    const ask = () => finder().find(json[0].id, { namespace: "default" });
    const first = await find(json[0].id);
    expect(await ask()).toBe(first);
    await patch(json[0].id, { username: "bob" });
    await expect.poll(async () => (await ask()).username).toBe("bob");
  });
});

describe("documents", () => {
  const yaml = { "content-type": "application/yaml" };
  const document = (name: string, spec: string) =>
    `apiVersion: mission-control.flanksource.com/v1\nkind: Connection\nmetadata: { name: ${name}, namespace: shop, labels: { team: a } }\nspec:\n${spec}`;
  const apply = (text: string, query = "") => app.admin.post(`/api/documents${query}`, text, yaml);
  const get = async (name: string) =>
    (await app.admin.get(`/api/documents/connection/shop/${name}?output=json`)).json;

  test.each([
    [
      "postgres",
      "  postgres:\n    host: { value: db }\n    database: { value: orders }\n    username: { valueFrom: { secretKeyRef: { name: s, key: u } } }\n    password: { value: swordfish }\n",
      {
        type: "postgres",
        url: "postgres://$(username):$(password)@$(properties.host)/$(properties.database)",
        username: "secret://s/u",
        password: "***",
        properties: { host: "db", database: "orders" },
      },
    ],
    [
      "http",
      "  http:\n    url: https://api.example.com\n    bearer: { value: swordfish }\n    insecureTLS: true\n    oauth: { clientID: { value: id }, clientSecret: { value: swordfish }, scope: [a, b], tokenURL: https://login }\n",
      {
        type: "http",
        url: "https://api.example.com",
        insecure_tls: true,
        properties: {
          bearer: "********",
          clientID: "id",
          clientSecret: "********",
          scopes: "a,b",
          tokenURL: "https://login",
        },
      },
    ],
    [
      "s3",
      "  s3: { bucket: b, region: eu, usePathStyle: true, accessKey: { value: AKIA }, secretKey: { value: swordfish } }\n",
      {
        type: "s3",
        username: "AKIA",
        password: "***",
        properties: { bucket: "b", region: "eu", usePathStyle: "true" },
      },
    ],
    [
      "smtp",
      "  smtp: { host: mail.example.com, username: { value: u }, password: { value: swordfish }, fromAddress: a@b.c, auth: plain, toAddresses: [x@y.z] }\n",
      {
        type: "email",
        url: "smtp://$(username):$(password)@mail.example.com:587/?UseStartTLS=false&Encryption=Auto&Auth=Plain",
        properties: {
          host: "mail.example.com",
          port: "587",
          from: "a@b.c",
          to: "x@y.z",
          authMethod: "Plain",
          encryptionMethod: "Auto",
        },
      },
    ],
    [
      "flat",
      "  type: ldap\n  url: { value: 'ldap://dir:389' }\n  username: { value: cn=x }\n  password: { value: swordfish }\n",
      { type: "ldap", url: "ldap://dir:389", username: "cn=x", password: "***" },
    ],
  ])("a document with %s becomes a row and comes back the same", async (name, spec, row) => {
    const text = document(name, spec);
    const { status, json } = await apply(text);
    expect([status, json.documents?.[0]?.outcome]).toEqual([200, "created"]);
    const { json: rows } = await app.admin.get(
      `/api/db/connections?name=eq.${name}&namespace=eq.shop`,
    );
    expect(rows).toEqual([expect.objectContaining({ ...row, source: "ConfigFile" })]);
    const shown = await get(name);
    expect(JSON.stringify(shown)).not.toContain("swordfish");
    expect(Object.keys(shown.spec)[0]).toBe(name === "flat" ? "type" : name);
    const again = await apply(JSON.stringify(shown));
    expect([again.text, again.json.documents[0].outcome]).toEqual([
      expect.any(String),
      "unchanged",
    ]);
    expect((await apply(text)).json.documents[0].outcome).toBe("unchanged");
    const found = await find(rows[0].id).catch((error: Error) => error.message);
    if (name === "postgres") expect(found).toMatch(/secret/i);
    else expect(JSON.stringify(found)).toContain("swordfish");
  });

  test("what is wrong has its place in the text", async () => {
    const reply = await apply(document("bad", "  type: postgress\n  url: { value: x }\n"));
    expect(reply.json.issues).toEqual([
      expect.objectContaining({
        path: "spec.type",
        line: 5,
        message: expect.stringContaining("no type"),
      }),
    ]);
  });

  test("is pruned, compared and deleted as any other", async () => {
    const one = document("one", "  type: http\n  url: { value: 'https://a' }\n");
    expect((await apply(one, "?source=prune")).status).toBe(200);
    const dry = await apply(one.replace("https://a", "https://b"), "?source=prune&dryRun=true");
    expect(dry.json.documents[0]).toMatchObject({ outcome: "updated" });
    const two = await apply(one.replace("name: one", "name: two"), "?source=prune&prune=team=a");
    expect(
      two.json.documents.map(({ name, outcome }: Record<string, string>) => `${name} ${outcome}`),
    ).toEqual(["two created", "one deleted"]);
    expect((await app.admin.delete("/api/documents/connection/shop/two")).status).toBe(200);
  });

  test("is found by search and written down in the audit, without its secrets", async () => {
    await apply(
      document(
        "sought-after",
        "  http: { url: https://a, username: { value: u }, password: { value: swordfish } }\n",
      ),
    );
    const found = await app.admin.post("/api/resources/search", {
      search: "sought-after",
      connections: [{ search: "sought-after" }],
    });
    expect(found.text).not.toContain("swordfish");
    const audit = await app.admin.get("/api/db/audit_entries?table_name=eq.connections");
    expect(audit.text).toContain("shop/sought-after");
    expect(audit.text).not.toContain("swordfish");
  });
});
