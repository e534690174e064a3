import { expect, test } from "vitest";
import { connectionType, connectionTypes, fieldsOf } from "./connection-types.ts";
import type { ConnectionValues } from "./connection-type.ts";

const offered = (kind: string) =>
  connectionTypes.filter((one) => one.kind === kind && !one.hidden).map(({ type }) => type);

test("what may be picked is what the product names", () => {
  expect(offered("connection").toSorted()).toEqual(
    "aws azure azure_devops dynatrace elasticsearch gcs github gitlab google_cloud http kubernetes ldap mongo mysql postgres prometheus redis restic s3 sftp smb sql_server windows".split(
      " ",
    ),
  );
  expect(offered("notification").toSorted()).toEqual(
    "discord email folder generic_webhook git google_chat ifttt matrix mattermost ntfy opsgenie pushbullet pushover rocketchat slack teams telegram zulip_chat".split(
      " ",
    ),
  );
});

test("each type is said once and each of its fields once", () => {
  const types = connectionTypes.map(({ type }) => type);
  expect(types).toEqual([...new Set(types)]);
  for (const { type, help } of connectionTypes) {
    const keys = fieldsOf(type).map(({ key }) => key);
    expect([type, keys]).toEqual([type, [...new Set(keys)]]);
    expect(help).toMatch(/^[A-Z].*\.$/);
  }
});

test("passwords and certificates are secret in every type, and nothing that has a default is", () => {
  const wrong = connectionTypes.flatMap(({ type, fields }) =>
    fields
      .filter(
        ({ key, secret, default: preset }) =>
          (/^(password|certificate)$/.test(key) && !secret) || (secret && preset !== undefined),
      )
      .map(({ key }) => `${type}.${key}`),
  );
  expect(wrong).toEqual([]);
});

const row: ConnectionValues = {
  username: "ann",
  password: "never-written",
  insecure_tls: false,
  properties: {
    host: "h.example",
    port: "99",
    encryptionMethod: "Auto",
    authMethod: "Unknown",
    webhook: "AAA",
    channel: "alerts",
    topic: "news",
    targets: "one/two",
    user: "bot",
    group: "g",
    tenant: "t",
    altID: "never-written",
    groupOwner: "o",
    contentType: "application/json",
    key: "message",
    titleKey: "title",
    requestMethod: "POST",
  },
};

test.each([
  ["discord", "discord://$(password)@ann"],
  [
    "email",
    "smtp://$(username):$(password)@h.example:99/?UseStartTLS=false&Encryption=Auto&Auth=Unknown",
  ],
  [
    "google_chat",
    "googlechat://chat.googleapis.com/v1/spaces/AAA/messages?key=$(username)&token=$(password)",
  ],
  ["ifttt", "ifttt://$(username)"],
  ["mattermost", "mattermost://ann@h.example/$(password)/alerts"],
  ["matrix", "matrix://ann:$(password)@h.example/?DisableTLS=false"],
  ["ntfy", "ntfy://ann:$(password)@h.example/news?Scheme=https"],
  ["opsgenie", "opsgenie://h.example:99/$(password)"],
  ["pushbullet", "pushbullet://$(password)/one/two"],
  ["pushover", "pushover://:$(password)@$(username)/"],
  ["rocketchat", "rocketchat://bot@h.example:99/$(username)/$(password)/alerts"],
  ["slack", "slack://$(password)@ann"],
  ["teams", "teams://g@t/$(properties.altID)/o?host=h.example"],
  ["telegram", "telegram://$(password)@telegram/?Chats=ann"],
  ["zulip_chat", "zulip://$(username):$(password)@h.example/"],
  [
    "generic_webhook",
    "generic+https://hooks.example/x?ContentType=application%2Fjson&MessageKey=message&TitleKey=title&RequestMethod=POST&DisableTLS=false",
  ],
])("the address of %s is composed of what the form holds", (type, address) => {
  const values = type === "generic_webhook" ? { ...row, username: "https://hooks.example/x" } : row;
  const composed = connectionType(type)!.composeUrl!(values);
  expect(composed).toBe(address);
  const elsewhere = connectionType(type)!.composeUrl!({ ...row, username: "secret://a/b" });
  expect(elsewhere).not.toContain("secret://");
});

test("nothing secret is written out in an address", () => {
  for (const { type, composeUrl } of connectionTypes)
    expect([type, composeUrl?.(row) ?? ""]).toEqual([type, expect.not.stringContaining("never-")]);
});

test("a share may need the domain of the user, and the name of who asks", () => {
  const keys = fieldsOf("smb").map(({ key }) => key);
  expect(keys).toEqual(expect.arrayContaining(["properties.domain", "properties.workstation"]));
});
