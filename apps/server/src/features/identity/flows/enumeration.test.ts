import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Kind, messageIds, Walker } from "../testing/flows.ts";
import { type IdentityServer, startIdentityServer } from "../testing/identity-server.ts";

/**
 * Whoever asks for a code must not learn whether there is an account: not by what is said, nor by the work that is
 * done before it is said. Jobs only wait here, so that every statement is the request's own.
 */

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer(
    { smtpUrl: "smtp://127.0.0.1:1", signInByCode: true, registration: "open" },
    undefined,
    { works: false },
  );
});
afterAll(() => server.stop());

const sent: Record<string, (email: string) => Record<string, unknown>> = {
  login: (email) => ({ method: "code", identifier: email }),
  recovery: (email) => ({ method: "code", email }),
  verification: (email) => ({ method: "code", email }),
  registration: (email) => ({
    method: "password",
    password: "seven green bottles",
    traits: { email, name: { first: "Grace", last: "Hopper" } },
  }),
};

test.each(Object.keys(sent) as Kind[])(
  "%s does the same for somebody, nobody and somebody who is deactivated",
  async (kind) => {
    await server.createPerson(`${kind}@example.org`);
    const off = await server.createPerson(`${kind}-off@example.org`);
    await server.db.raw("update identities set state = 'inactive' where id = $1", [off.id]);
    const statements = vi.spyOn(pg.Client.prototype, "query");
    try {
      const work: unknown[] = [];
      const addresses = [
        `${kind}@example.org`,
        `${kind}-no@example.org`,
        `${kind}-off@example.org`,
      ];
      // The first one of all looks up what is remembered afterwards.
      for (const email of [`${kind}-warm@example.org`, ...addresses]) {
        const walker = new Walker(server);
        const { body: flow } = await walker.begin(kind);
        statements.mockClear();
        const { status, body } = await walker.send(kind, flow, sent[kind]!(email));
        const texts = statements.mock.calls.map(([statement]) => textOf(statement as unknown));
        const wrong = await walker.send(kind, body, { method: "code", code: "123456" });
        work.push([
          status,
          body.state,
          messageIds(body),
          texts.filter(isOfRequest),
          messageIds(wrong.body),
        ]);
      }
      const [, somebody, nobody, deactivated] = work;
      expect(nobody).toEqual(somebody);
      expect(deactivated).toEqual(somebody);
      expect((somebody as [number, string, number[], string[]])[3].length).toBeGreaterThan(3);
    } finally {
      statements.mockRestore();
    }
  },
);

const textOf = (statement: unknown): string =>
  typeof statement === "string" ? statement : ((statement as { text?: string }).text ?? "");
/** The queue looks after itself meanwhile. */
const isOfRequest = (text: string) =>
  !/pgboss\.(queue|version|schedule)|advisory|listen/i.test(text);
