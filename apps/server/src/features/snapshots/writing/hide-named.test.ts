import { expect, test } from "vitest";
import { hideInText } from "./hide-named.ts";

test.each([
  ["password: hunter2", "password: ********"],
  ['{"apiKey":"hunter2","a":1}', '{"apiKey":********,"a":1}'],
  ["export DB_PASSWORD='a b' X=1", "export DB_PASSWORD=********"],
  ["run with DB_PASSWORD='a b' X=1", "run with DB_PASSWORD=******** X=1"],
  ["sent Bearer abcdefgh to it", "sent Bearer ******** to it"],
  ["Authorization: Bearer abcdefgh", "Authorization: ********"],
  ["GET https://ann:hunter2@db:5432/shop", "GET https://ann:********@db:5432/shop"],
  ["GET https://db/?token=abc&page=2", "GET https://db/?token=********&page=2"],
  ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest", "********\nrest"],
  ["image: docker.io/shop:1.2@sha256:abc", "image: docker.io/shop:1.2@sha256:abc"],
  ['said {\\"password\\":\\"a b\\",\\"n\\":1}', 'said {\\"password\\":********,\\"n\\":1}'],
  ["+  password: correct horse battery\n   replicas: 3", "+  password: ********\n   replicas: 3"],
  ["ran tool --password=abc -v", "ran tool --password=******** -v"],
  ["1password: abc", "1password: ********"],
  ["db.main-password=abc", "db.main-password=********"],
  ['  "apiKey": "abc",\n  "a": 1', '  "apiKey": ********\n  "a": 1'],
  ["secretName: web-tls", "secretName: web-tls"],
  ["the token has expired", "the token has expired"],
])("%s", (text, expected) => {
  expect(hideInText(text)).toBe(expected);
});

// One that takes a way for each character would run into the limit of a test.
test("no text is too much", () => {
  const most = 200_000;
  for (const sign of [
    "a",
    "a:",
    "a=",
    '"',
    "-----BEGIN PRIVATE KEY",
    "a://",
    " ",
    "a://b:",
    "Basic ",
  ]) {
    const text = sign.repeat(most / sign.length);
    expect(hideInText(text).length).toBeLessThanOrEqual(text.length);
  }
});
