import { expect, test } from "vitest";
import { normalAddress } from "#platform/address.ts";
import { weaknessOf } from "./password-strength.ts";

const ada = {
  email: normalAddress("ada.lovelace@example.org")!,
  name: { first: "Ada", last: "Lovelace" },
};

test.each<[string, number | undefined]>([
  ["", 4000032],
  ["1234567", 4000032],
  // Eight signs for people, though more for machines; and seven for people, though more for machines.
  ["ñandúes9", undefined],
  ["👩‍👩‍👧‍👦x", undefined],
  ["ééééééé", 4000032],
  ["x".repeat(1025), 4000033],
  ["é".repeat(600), 4000033],
  ["half \ud800 a sign", 4000004],
  ["password", 4000034],
  ["PASSWORD", 4000034],
  ["Passw0rd", 4000034],
  ["password123!", 4000034],
  ["qwertyuiop", 4000034],
  ["1234567890", 4000034],
  ["trustno1!!!", 4000034],
  ["zzzzzzzzzzzz", 4000034],
  ["abababababab", 4000034],
  ["ada.lovelace@example.org", 4000031],
  ["ADA.LOVELACE", 4000031],
  ["lovelace1", 4000031],
  ["example.org", 4000031],
  ["my-lovelace", 4000031],
  ["Mainstay", 4000034],
  ["mainstay2026!", 4000034],
  ["my cat guards the mainstay", undefined],
  // A long one may well name somebody.
  ["lovelace wrote the first program", undefined],
  ["correct horse battery staple", undefined],
  ["seven green bottles", undefined],
  ["                  ", 4000034],
  ["k7#Wq2!x", undefined],
])("%j", async (password, id) => {
  expect((await weaknessOf(password, ada))?.id).toBe(id);
});

test("somebody of whom nothing is known", async () => {
  expect(await weaknessOf("seven green bottles", {})).toBeUndefined();
  expect(await weaknessOf("seven green bottles", { email: normalAddress("a@b")! })).toBeUndefined();
});
