import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import type { Actor, Ctx } from "../context.ts";
import { type Authentication, createAuthenticator } from "./authenticator.ts";

const request = {} as FastifyRequest;
const ctx = {} as Ctx;

function way(place: number, says?: Actor | Error) {
  const asked: number[] = [];
  const authentication: Authentication = {
    name: `way ${place}`,
    place,
    create: () => async () => {
      asked.push(place);
      if (says instanceof Error) throw says;
      return says;
    },
  };
  return { authentication, asked };
}

test("who asks is said by the first in the order of the places, whatever order they are brought in", async () => {
  const system: Actor = { kind: "system" };
  const [late, first, none] = [way(30, { ...system }), way(20, system), way(10)];
  const ways = [late, first, none].map(({ authentication }) => authentication);
  expect(await createAuthenticator(ctx, ways)(request)).toBe(system);
  expect([none.asked, first.asked, late.asked]).toEqual([[10], [20], []]);
});

test("what one refuses is not passed over in favour of another", async () => {
  const [refusing, next] = [way(1, new Error("wrong")), way(2, { kind: "system" })];
  const ways = [refusing, next].map(({ authentication }) => authentication);
  await expect(createAuthenticator(ctx, ways)(request)).rejects.toThrow("wrong");
  expect(next.asked).toEqual([]);
});

test("two in one place are refused, as nobody knows which comes first", () => {
  const ways = [way(5), way(5)].map(({ authentication }) => authentication);
  expect(() => createAuthenticator(ctx, ways)).toThrow("way 5 and way 5 are both in place 5");
});
