import { expect, test } from "vitest";
import {
  findLookupSecret,
  hashLookupSecrets,
  LOOKUP_SECRETS,
  makeLookupSecrets,
} from "./lookup-secrets.ts";

test("a set is twelve different codes, none in the next set", () => {
  const secrets = makeLookupSecrets();
  expect(new Set([...secrets, ...makeLookupSecrets()]).size).toBe(2 * LOOKUP_SECRETS);
  for (const secret of secrets)
    expect(secret).toMatch(/^[a-hj-km-np-z2-9]{5}-[a-hj-km-np-z2-9]{5}$/);
});

test("what is kept says nothing of the codes, and two sets of the same codes differ", async () => {
  const secrets = makeLookupSecrets();
  const [one, other] = await Promise.all([hashLookupSecrets(secrets), hashLookupSecrets(secrets)]);
  const kept = JSON.stringify(one);
  for (const secret of secrets) {
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain(secret.replace("-", ""));
  }
  expect(one.salt).not.toBe(other.salt);
  expect(one.secrets[0]!.hash).not.toBe(other.secrets[0]!.hash);
});

test("a code is found however it was copied, and nothing else is", async () => {
  const secrets = makeLookupSecrets();
  const set = await hashLookupSecrets(secrets);
  const third = secrets[2]!;
  expect(await findLookupSecret(set, third)).toBe(2);
  expect(await findLookupSecret(set, ` ${third.toUpperCase().replace("-", " ")} `)).toBe(2);
  expect(await findLookupSecret(set, secrets[11]!.replace("-", ""))).toBe(11);
  expect(await findLookupSecret(set, makeLookupSecrets()[0]!)).toBeUndefined();
  for (const nothing of ["", third.slice(1), `${third}a`, "💥".repeat(5), set.secrets[2]!.hash]) {
    expect(await findLookupSecret(set, nothing)).toBeUndefined();
  }
});
