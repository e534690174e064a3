import { secretPlaceholder } from "@mainstay/contract";
import { expect, test } from "vitest";
import { whyNotOpened, writtenSecrets } from "./written-secrets.ts";

test("a password is known with whom it belongs to, and as an address holds it", () => {
  const secrets = writtenSecrets(
    { connection: "postgres://ann:p%40ss@db/shop", auth: { username: { value: "bob" } } },
    [{ path: "connection#password", value: "p%40ss" }],
  );
  const login = (user: string) => Buffer.from(`${user}:p@ss`).toString("base64");
  expect(secrets).toEqual(expect.arrayContaining(["p%40ss", "p@ss", login("ann"), login("bob")]));
});

test("a token is known as it is sent: the password of somebody without a name", () => {
  const places = [{ path: "personalAccessToken", value: "sesame" }];
  const sent = Buffer.from(":sesame").toString("base64");
  expect(writtenSecrets({}, places)).toEqual(expect.arrayContaining(["sesame", sent]));
});

test("a placeholder is no value", () => {
  const places = [{ path: "auth.password", value: secretPlaceholder }];
  expect(whyNotOpened([])).toBeUndefined();
  expect(whyNotOpened([{ path: "auth.password", value: "sesame" }])).toBeUndefined();
  expect(whyNotOpened(places)).toMatch(/^The value of auth\.password is a placeholder/);
  expect(whyNotOpened(places, "The key is not there.")).toBe("The key is not there.");
});
