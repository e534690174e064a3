// Takes long: two thousand attempts are made, before a release ten thousand.
import { verify } from "@node-rs/argon2";
import { amount } from "@mainstay/testkit/sample.ts";
import { expect, test, vi } from "vitest";
import { PASSWORD, startIdentityServer } from "../testing/identity-server.ts";

// The real library, watched.
vi.mock("@node-rs/argon2", { spy: true });

const ATTEMPTS = amount(10_000, 2_000);
const AT_ONCE = 100;

test(
  "thousands of attempts from one network look at a hundred passwords and keep nobody else out",
  { timeout: 240_000 },
  async () => {
    const server = await startIdentityServer({ trustProxy: ["127.0.0.1"] });
    try {
      await server.createPerson("ada@example.org");
      const attempt = async (from: string, flow: string, fields: object) => {
        const reply = await fetch(`${server.url}/api/.ory/self-service/login?flow=${flow}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": from },
          body: JSON.stringify({ method: "password", ...fields }),
        });
        const { ui } = (await reply.json()) as { ui?: { messages: { id: number }[] } };
        return `${reply.status} ${ui?.messages[0]!.id ?? ""}`;
      };
      const begin = async () => (await server.client.createNativeLoginFlow({})).data.id;
      const flow = await begin();
      // The library does not answer faster than it can; what is counted is who gets to it.
      vi.mocked(verify).mockClear();
      const said: Record<string, number> = {};
      for (let sent = 0; sent < ATTEMPTS; sent += AT_ONCE) {
        const wave = Array.from({ length: AT_ONCE }, (_, n) => {
          // Half at one account, half at a new one each; all from the addresses of one network.
          const identifier = n % 2 === 0 ? "ada@example.org" : `guess-${sent + n}@example.org`;
          const from = `2001:db8::${(sent + n).toString(16)}`;
          return attempt(from, flow, { identifier, password: `guess ${sent + n}` });
        });
        for (const answer of await Promise.all(wave)) said[answer] = (said[answer] ?? 0) + 1;
        // While it goes on, the person signs in from elsewhere.
        if (sent === ATTEMPTS / 2) {
          const own = { identifier: "ada@example.org", password: PASSWORD };
          expect(await attempt("198.51.100.7", await begin(), own)).toBe("200 ");
        }
      }
      // Wrong, too often, or too many at this moment: nothing else, and no failure.
      expect(Object.keys(said).filter((answer) => !/^400 40000(06|01)$/.test(answer))).toEqual([]);
      expect(Object.values(said).reduce((sum, count) => sum + count)).toBe(ATTEMPTS);
      // A hundred at first, one every six seconds after; those turned away at the door cost nothing.
      expect(vi.mocked(verify).mock.calls.length).toBeGreaterThan(20);
      expect(vi.mocked(verify).mock.calls.length).toBeLessThan(150);
    } finally {
      await server.stop();
    }
  },
);
