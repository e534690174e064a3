import type * as argon2 from "@node-rs/argon2";
import { hash, verify } from "@node-rs/argon2";
import type { LoginFlow } from "@ory/kratos-client";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  beginLogin,
  csrfTokenOf,
  type IdentityServer,
  type Sent,
  sendLogin,
  startIdentityServer,
} from "../testing/identity-server.ts";

// The real library, watched.
vi.mock("@node-rs/argon2", { spy: true });

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer({ publicUrl: "https://mainstay.example.org" });
  await server.createPerson("ada@example.org", "editor");
});
afterAll(() => server.stop());
beforeEach(() => {
  vi.mocked(verify).mockReset();
});

const begin = () => beginLogin(server);
const send = (sent: Sent) => sendLogin(server, sent);
const messageOf = (body: Record<string, unknown>) => (body.ui as LoginFlow["ui"]).messages![0]!;

describe("many attempts", () => {
  test("are slowed down for their account and address only; the password is not even looked at", async () => {
    await server.createPerson("grace@example.org");
    await server.createPerson("alan@example.org");
    const { jar, flow } = await begin();
    const attempt = (fields: object) =>
      send({
        flow: flow.id,
        cookie: jar.toString(),
        fields: { csrf_token: csrfTokenOf(flow), identifier: "grace@example.org", ...fields },
      });
    const tried = await Promise.all(
      Array.from({ length: 200 }, () => attempt({ password: "wrong" })),
    );
    expect(tried.every(({ status }) => status === 400)).toBe(true);
    expect(tried.filter(({ body }) => messageOf(body).id === 4000006)).toHaveLength(10);
    expect(verify).toHaveBeenCalledTimes(10);
    const slowed = tried.find(({ body }) => messageOf(body).id === 4000001)!;
    expect(Number(slowed.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(messageOf(slowed.body).text).toMatch(
      /^Too many failed attempts to sign in\. Try again in \d+ seconds\.$/,
    );
    // Even the right password waits here, but another account does not.
    expect((await attempt({})).status).toBe(400);
    expect((await attempt({ identifier: "alan@example.org" })).status).toBe(200);
  });

  test("are worked off two at a time, and what does not fit in the queue is told to come back", async () => {
    const own = await startIdentityServer();
    const { verify: real } =
      await vi.importActual<Pick<typeof argon2, "verify">>("@node-rs/argon2");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    vi.mocked(verify).mockImplementation(async (...given) => {
      most = Math.max(most, (running += 1));
      await released;
      return await real(...given).finally(() => (running -= 1));
    });
    try {
      const { data: flow } = await own.client.createNativeLoginFlow({});
      const answered: LoginFlow[] = [];
      const tries = Array.from({ length: 90 }, async (_, index) => {
        const { data } = await own.client.updateLoginFlow({
          flow: flow.id,
          updateLoginFlowBody: {
            method: "password",
            identifier: `person${index}@example.org`,
            password: "x",
          },
        });
        answered.push(data as unknown as LoginFlow);
      });
      await vi.waitFor(() => expect(answered).toHaveLength(90 - 2 - 64), { timeout: 10_000 });
      expect(answered.every(({ ui }) => ui.messages![0]!.id === 4000001)).toBe(true);
      release();
      await Promise.all(tries);
      expect(answered.filter(({ ui }) => ui.messages![0]!.id === 4000006)).toHaveLength(66);
      expect(most).toBe(2);
    } finally {
      release();
      await own.stop();
    }
  });

  test("of starting a flow end in a clear refusal", async () => {
    const own = await startIdentityServer();
    try {
      const begun = await Promise.all(
        Array.from({ length: 330 }, () => own.client.createNativeLoginFlow({})),
      );
      const refused = begun.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThanOrEqual(30);
      expect(refused[0]!.data).toMatchObject({ error: { code: 429, status: "Too Many Requests" } });
      expect(Number(refused[0]!.headers["retry-after"])).toBeGreaterThan(0);
    } finally {
      await own.stop();
    }
  });

  test("of choosing a password are not even hashed", async () => {
    const own = await startIdentityServer({ registration: "open" });
    try {
      await own.createPerson("ada@example.org");
      vi.mocked(hash).mockClear();
      const statuses = await Promise.all(
        Array.from({ length: 130 }, async (_value, index) => {
          const { data: flow } = await own.client.createNativeRegistrationFlow({});
          const { status, headers } = await own.client.updateRegistrationFlow({
            flow: flow.id,
            updateRegistrationFlowBody: {
              method: "password",
              password: "seven green bottles",
              // Taken, so that nobody is made.
              traits: { email: "ada@example.org", name: { first: `${index}`, last: "x" } },
            },
          });
          return [status, headers["retry-after"] === undefined] as const;
        }),
      );
      expect(statuses.every(([status]) => status === 400)).toBe(true);
      expect(vi.mocked(hash).mock.calls.length).toBeLessThanOrEqual(105);
      expect(statuses.filter(([, isFree]) => !isFree).length).toBeGreaterThanOrEqual(25);
    } finally {
      await own.stop();
    }
  });
});
