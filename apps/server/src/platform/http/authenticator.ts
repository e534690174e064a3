import type { FastifyRequest } from "fastify";
import type { Actor, Ctx } from "../context.ts";

/**
 * Says who asks: nobody (`undefined`) when the request does not use this way; throws when it does, and wrongly, so that
 * what is presented is never passed over in favour of something else.
 */
export type Authenticator = (request: FastifyRequest) => Promise<Actor | undefined>;

/** A way of saying who asks that a feature brings. */
export interface Authentication {
  name: string;
  /** Where it comes in the order in which they are looked at, whatever feature it is of; each place is taken once. */
  place: number;
  create(ctx: Ctx): Authenticator;
}

/** The ways in the order of their places. */
export function inOrder(ways: readonly Authentication[]): readonly Authentication[] {
  const ordered = ways.toSorted((left, right) => left.place - right.place);
  for (const [index, { name, place }] of ordered.entries())
    if (place === ordered[index + 1]?.place)
      throw new Error(
        `${name} and ${ordered[index + 1]!.name} are both in place ${place}: which of them is asked first?`,
      );
  return ordered;
}

/** Asks them one after the other; the first that knows who it is says so. */
export function createAuthenticator(ctx: Ctx, ways: readonly Authentication[]): Authenticator {
  const authenticators = inOrder(ways).map(({ create }) => create(ctx));
  return async (request) => {
    for (const authenticate of authenticators) {
      const actor = await authenticate(request);
      if (actor) return actor;
    }
    return undefined;
  };
}
