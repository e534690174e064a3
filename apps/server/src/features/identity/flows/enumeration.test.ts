import pg from "pg";
import { verify } from "@node-rs/argon2";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Kind, messageIds, Walker } from "../testing/flows.ts";
import { type IdentityServer, startIdentityServer } from "../testing/identity-server.ts";

/**
 * Whoever asks for a code must not learn whether there is an account: not by what is said, nor by the work that is
 * done before it is said. Jobs only wait here, so that every statement is the request's own.
 */

// The real library, watched.
vi.mock("@node-rs/argon2", { spy: true });

let server: IdentityServer;
beforeAll(async () => {
  // What is asked of the database now and then, whether its connection lives, would stand among a request's statements.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  server = await startIdentityServer(
    { smtpUrl: "smtp://127.0.0.1:1", signInByCode: true, registration: "open" },
    undefined,
    { works: false },
  );
});
afterAll(async () => {
  await server.stop();
  vi.useRealTimers();
});

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
      const statementsOf = (somebody as [number, string, number[], string[]])[3];
      expect(statementsOf.length).toBeGreaterThan(3);
      expect(statementsOf.filter(isNewJob)).toHaveLength(1);
    } finally {
      statements.mockRestore();
    }
  },
);

test("a password costs the same for somebody, nobody, somebody deactivated and somebody without one", async () => {
  await server.createPerson("known@example.org");
  const off = await server.createPerson("known-off@example.org");
  await server.db.raw("update identities set state = 'inactive' where id = $1", [off.id]);
  const bare = await server.createPerson("known-bare@example.org");
  await server.db.raw("delete from identity_credentials where identity_id = $1", [bare.id]);
  const statements = vi.spyOn(pg.Client.prototype, "query");
  try {
    const work: unknown[] = [];
    for (const name of ["warm", "known", "unknown", "known-off", "known-bare"]) {
      const walker = new Walker(server);
      const { body: flow } = await walker.begin("login");
      statements.mockClear();
      vi.mocked(verify).mockClear();
      const { status, body } = await walker.send("login", flow, {
        method: "password",
        identifier: `${name}@example.org`,
        password: "wrong",
      });
      const texts = statements.mock.calls.map(([statement]) => textOf(statement as unknown));
      const hashes = vi.mocked(verify).mock.calls.map(([hashed]) => String(hashed).slice(0, 30));
      work.push([status, messageIds(body), texts.filter(isOfRequest), hashes]);
    }
    const [, somebody, ...others] = work;
    expect((somebody as unknown[])[3]).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=/)]);
    for (const other of others) expect(other).toEqual(somebody);
  } finally {
    statements.mockRestore();
  }
});

const textOf = (statement: unknown): string =>
  typeof statement === "string" ? statement : ((statement as { text?: string }).text ?? "");
/** The queue looks after itself meanwhile; what a request asks of it is to take a job. */
const isOfRequest = (text: string) =>
  /pgboss/i.test(text) ? isNewJob(text) : !/advisory|listen/i.test(text);
const isNewJob = (text: string) => /insert into pgboss\.job/i.test(text);
