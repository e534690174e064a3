import { expect, test } from "vitest";
import { createAttemptLimit, createSignInLimits } from "./attempt-limits.ts";

function clock() {
  let at = 0;
  return { now: () => at, advance: (ms: number) => void (at += ms) };
}

test("a bucket gives its burst, then one per refill, and says how long to wait", () => {
  const time = clock();
  const limit = createAttemptLimit({ burst: 3, refillMs: 10_000, now: time.now });
  expect([1, 2, 3].map(() => limit.take("a"))).toEqual([0, 0, 0]);
  expect(limit.take("a")).toBe(10);
  time.advance(4_000);
  expect(limit.take("a")).toBe(6);
  time.advance(6_000);
  expect(limit.take("a")).toBe(0);
  expect(limit.take("a")).toBe(10);
  expect(limit.take("b")).toBe(0);
});

test("what is given back can be taken again, but never more than the burst", () => {
  const limit = createAttemptLimit({ burst: 1, refillMs: 10_000, now: () => 0 });
  expect(limit.take("a")).toBe(0);
  limit.giveBack("a");
  limit.giveBack("a");
  expect(limit.take("a")).toBe(0);
  expect(limit.take("a")).toBeGreaterThan(0);
});

test("it remembers no more keys than it may", () => {
  const limit = createAttemptLimit({ burst: 1, refillMs: 10_000, maxKeys: 10, now: () => 0 });
  limit.take("first");
  for (let index = 0; index < 10; index += 1) limit.take(`key ${index}`);
  expect(limit.take("first")).toBe(0);
  expect(limit.take("key 9")).toBeGreaterThan(0);
});

test("failing from one address does not lock the account for another address", () => {
  const limits = createSignInLimits(() => 0);
  for (let index = 0; index < 10; index += 1)
    expect(limits.take("192.0.2.1", "ada@example.org")).toBe(0);
  expect(limits.take("192.0.2.1", "ADA@example.org")).toBe(30);
  expect(limits.take("192.0.2.2", "ada@example.org")).toBe(0);
  expect(limits.take("192.0.2.1", "grace@example.org")).toBe(0);
});

test("one address is stopped after a hundred accounts, and being stopped for one account does not count", () => {
  const limits = createSignInLimits(() => 0);
  for (let index = 0; index < 10; index += 1) limits.take("192.0.2.1", "ada");
  for (let index = 0; index < 500; index += 1)
    expect(limits.take("192.0.2.1", "ada")).toBeGreaterThan(0);
  for (let index = 0; index < 90; index += 1)
    expect(limits.take("192.0.2.1", `person ${index}`)).toBe(0);
  expect(limits.take("192.0.2.1", "one more")).toBe(6);
});

test("short codes: five guesses from one address, fifty in all, and the right one costs nothing", () => {
  const time = clock();
  const limits = createSignInLimits(time.now);
  for (let index = 0; index < 1000; index += 1) {
    expect(limits.takeGuess("192.0.2.1", "ada")).toBe(0);
    limits.giveGuessBack("192.0.2.1", "ada");
  }
  for (let index = 0; index < 5; index += 1) limits.takeGuess("192.0.2.1", "ada");
  expect(limits.takeGuess("192.0.2.1", "ada")).toBe(30);
  for (let index = 0; index < 45; index += 1)
    expect(limits.takeGuess(`198.51.100.${index}`, "ada")).toBe(0);
  expect(limits.takeGuess("203.0.113.1", "ada")).toBe(300);
  expect(limits.takeGuess("203.0.113.1", "grace")).toBe(0);
  // A day of guessing from everywhere, after the burst.
  let guesses = 0;
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    time.advance(60_000);
    for (let from = 0; from < 20; from += 1)
      if (limits.takeGuess(`10.0.${from}.${minute % 250}`, "ada") === 0) guesses += 1;
  }
  expect(guesses).toBe(288);
});

test("mailed codes: two hundred wrong ones for a mail box, wherever they come from, and the right one costs nothing", () => {
  const time = clock();
  const limits = createSignInLimits(time.now);
  for (let index = 0; index < 1000; index += 1) {
    expect(limits.takeCode("ada@example.org")).toBe(0);
    limits.giveCodeBack("ADA@example.org");
  }
  for (let index = 0; index < 200; index += 1) expect(limits.takeCode("Ada@example.org")).toBe(0);
  expect(limits.takeCode("ada@example.org")).toBe(300);
  expect(limits.takeCode("grace@example.org")).toBe(0);
  time.advance(300_000);
  expect([limits.takeCode("ada@example.org"), limits.takeCode("ada@example.org")]).toEqual([
    0, 300,
  ]);
});

test("mails: five to one account and thirty in all from one address; nobody elsewhere is kept from theirs", () => {
  const limits = createSignInLimits(() => 0);
  for (let index = 0; index < 5; index += 1)
    expect(limits.takeMail("192.0.2.1", "ada@example.org")).toBe(0);
  expect(limits.takeMail("192.0.2.1", "ADA@example.org")).toBe(300);
  expect(limits.takeMail("192.0.2.2", "ada@example.org")).toBe(0);
  for (let index = 0; index < 25; index += 1)
    expect(limits.takeMail("192.0.2.1", `person-${index}@example.org`)).toBe(0);
  expect(limits.takeMail("192.0.2.1", "one-more@example.org")).toBe(60);
  expect(limits.takeMail("192.0.2.2", "one-more@example.org")).toBe(0);
});
