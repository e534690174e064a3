import { parseOptions, verify } from "@node-rs/argon2";
import { beforeEach, expect, test, vi } from "vitest";
import { hashCost, hashPassword, UNKNOWN, verifyPassword } from "./passwords.ts";

// The real library, watched.
vi.mock("@node-rs/argon2", { spy: true });
beforeEach(() => {
  vi.mocked(verify).mockClear();
});

test("a password fits its own hash only", async () => {
  const hashed = await hashPassword("correct horse");
  expect(hashed).toMatch(/^\$argon2id\$/);
  expect(parseOptions(hashed)).toMatchObject(hashCost);
  expect(await verifyPassword(hashed, "correct horse")).toBe(true);
  expect(await verifyPassword(hashed, "wrong horse")).toBe(false);
});

test("without a hash the same work is done and the answer is no", async () => {
  expect(parseOptions(UNKNOWN)).toMatchObject(hashCost);
  expect(await verifyPassword(undefined, "anything")).toBe(false);
  expect(verify).toHaveBeenCalledExactlyOnceWith(UNKNOWN, "anything");
});
