import { describe, expect, test } from "vitest";
import {
  connectionType,
  connectionTypes,
} from "@mainstay/contract/connections/connection-types.ts";
import { sourcedOf } from "#lib/value-source.ts";
import {
  checkForm,
  type ConnectionContent,
  type ConnectionForm,
  formOf,
  isTypedDraft,
  newForm,
  nothingTyped,
  readForm,
  withoutSecrets,
} from "./connection-form.ts";

const typed = (
  type: string,
  fields: Record<string, string>,
  form = newForm(connectionType(type)!),
): ConnectionForm => ({
  ...form,
  name: "orders",
  fields: {
    ...form.fields,
    ...Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, sourcedOf(text)])),
  },
});

const stored: ConnectionContent = {
  name: "orders",
  namespace: "shop",
  url: "postgres://$(username):$(password)@db.example:5432/orders",
  username: "ann",
  password: "********",
  certificate: null,
  insecure_tls: false,
  properties: { pool: "4" },
};
const postgres = connectionType("postgres")!;

test("what a form asks for goes into columns and properties, all of them texts", () => {
  const redis = connectionType("redis")!;
  const form = typed("redis", { url: " cache:6379 ", insecure_tls: "true" });
  expect(readForm(redis, form, null)).toEqual({
    url: "cache:6379",
    username: "",
    password: "",
    certificate: "",
    insecure_tls: true,
    properties: { db: "0" },
  });
});

test("addresses of services are composed, with the places of secrets in them", () => {
  const telegram = connectionType("telegram")!;
  const form = typed("telegram", { username: "42", password: "hunter2" });
  expect(readForm(telegram, form, null).url).toBe("telegram://$(password)@telegram/?Chats=42");
});

test("what is stored is read back as it was; what no form knows stays", () => {
  const form = formOf(postgres, stored);
  expect(form.kept).toEqual(["password"]);
  expect(form.fields["password"]?.value).toBe("");
  expect(readForm(postgres, form, stored)).toMatchObject({
    url: stored.url,
    username: "ann",
    password: "********",
    properties: { pool: "4" },
  });
});

test("columns that the form does not ask for stay, and an address that says more than is composed", () => {
  const github = connectionType("github")!;
  const hub = { ...stored, url: "https://github.example", username: "bot" };
  const changed = { ...formOf(github, hub), kept: [] };
  expect(
    readForm(
      github,
      { ...changed, fields: { ...changed.fields, password: sourcedOf("new") } },
      hub,
    ),
  ).toMatchObject({ url: "https://github.example", username: "bot", password: "new" });
  const slack = connectionType("slack")!;
  const chat = { ...stored, url: "slack://$(password)@ann?Color=good", properties: null };
  expect(readForm(slack, formOf(slack, chat), chat).url).toBe(chat.url);
  const other = typed("slack", { username: "ben" }, formOf(slack, chat));
  expect(readForm(slack, other, chat).url).toBe("slack://$(password)@ben");
});

describe("what is required", () => {
  test.each(connectionTypes.filter(({ hidden }) => hidden !== true).map((one) => [one.type, one]))(
    "of %s is told field by field",
    (_type, type) => {
      const required = type.fields.filter((field) => field.required && field.default === undefined);
      const errors = checkForm(type, newForm(type), null);
      expect(errors).toEqual(
        Object.fromEntries(
          ["name", ...required.map(({ key }) => key)].map((key) => [key, "This field is required"]),
        ),
      );
    },
  );

  test("of a secret or a config map is name and key", () => {
    const form = typed("postgres", { url: "postgres://db/x", username: "ann" });
    const half = { from: "secret", value: "", name: "creds", key: " " } as const;
    const with_ = (value: ConnectionForm["fields"][string]) => ({
      ...form,
      fields: { ...form.fields, password: value },
    });
    expect(checkForm(postgres, with_(half), null)).toEqual({ password: "This field is required" });
    const whole = with_({ ...half, key: "pw" });
    expect(checkForm(postgres, whole, null)).toEqual({});
    expect(readForm(postgres, whole, null).password).toBe("secret://creds/pw");
  });

  test("of a number is that it is one", () => {
    const smtp = connectionType("email")!;
    expect(checkForm(smtp, typed("email", { "properties.port": "many" }), null)).toEqual({
      "properties.port": "This field must be a number",
    });
  });
});

describe("a stored secret", () => {
  const changed = (fields: Record<string, string>) =>
    checkForm(postgres, typed("postgres", fields, formOf(postgres, stored)), stored);
  test("stays where the rest of the address changes", () => {
    expect(changed({ url: "postgres://$(username):$(password)@db.example:5432/other" })).toEqual(
      {},
    );
    expect(changed({ username: "ben" })).toEqual({});
  });
  test("is asked for again where it would be sent elsewhere", () => {
    expect(changed({ url: "postgres://$(username):$(password)@evil.example/orders" })).toEqual({
      password: expect.stringContaining("The address changed"),
    });
  });
  test("may be written anew for another address", () => {
    const form = typed(
      "postgres",
      { url: "postgres://$(username):$(password)@new.example/orders", password: "pears" },
      { ...formOf(postgres, stored), kept: [] },
    );
    expect(checkForm(postgres, form, stored)).toEqual({});
    expect(readForm(postgres, form, stored).password).toBe("pears");
  });
});

test("a draft holds no secret", () => {
  const draft = withoutSecrets(postgres, {
    name: "x",
    fields: { url: sourcedOf("postgres://db"), password: sourcedOf("pears") },
    replaced: ["password"],
  });
  expect(JSON.stringify(draft)).not.toContain("pears");
  expect(draft).toEqual({ name: "x", fields: { url: sourcedOf("postgres://db") }, replaced: [] });
  expect([draft, nothingTyped].every(isTypedDraft)).toBe(true);
  expect([null, [], { fields: { a: 1 }, replaced: [] }, { fields: {} }].some(isTypedDraft)).toBe(
    false,
  );
});
