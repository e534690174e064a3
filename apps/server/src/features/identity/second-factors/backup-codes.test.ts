import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CookieJar, IdentityServer } from "../testing/identity-server.ts";
import {
  attributesOf,
  changeSettings,
  keepBackupCodes,
  messageIds,
  namesOf,
  openSettings,
  openStepUp,
  shownCodes,
  signInAsBrowser,
  someone,
  someoneWithApp,
  startFactorServer,
  submitLogin,
  whoami,
} from "../testing/second-factors.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startFactorServer();
});
afterAll(() => server.stop());

describe("backup codes", () => {
  test("are made, confirmed, good for one sign-in each, and shown again with what was used", async () => {
    const { email, jar } = await someone(server);
    const codes = await keepBackupCodes(server, jar);
    expect(new Set(codes).size).toBe(12);

    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    expect(namesOf(flow, "lookup_secret")).toEqual(["lookup_secret", "method"]);
    const done = await submitLogin(server, next, flow, {
      method: "lookup_secret",
      lookup_secret: codes[3]!.toUpperCase(),
    });
    expect(done.status).toBe(200);

    const again = await signInAsBrowser(server, email);
    const replayed = await submitLogin(server, again, await openStepUp(server, again), {
      method: "lookup_secret",
      lookup_secret: codes[3]!,
    });
    expect(replayed.status).toBe(400);
    expect(messageIds(replayed.data as never)).toContain(4000012);

    const settings = await openSettings(server, next);
    expect(namesOf(settings, "lookup_secret")).toEqual([
      "lookup_secret_reveal",
      "lookup_secret_disable",
    ]);
    const revealed = await changeSettings(server, next, settings, {
      method: "lookup_secret",
      lookup_secret_reveal: true,
    });
    expect(revealed.status).toBe(200);
    const shown = shownCodes(revealed.data);
    expect(shown.map(({ id }) => id)).toEqual(
      codes.map((_, index) => (index === 3 ? 1050014 : 1050009)),
    );
    expect(shown[4]!.text).toBe(codes[4]);
    expect(attributesOf(revealed.data, "lookup_secret_codes")!.text).toMatchObject({ id: 1050015 });
  });

  test("count only once they are confirmed", async () => {
    const { email, jar } = await someone(server);
    const flow = await openSettings(server, jar);
    await changeSettings(server, jar, flow, {
      method: "lookup_secret",
      lookup_secret_regenerate: true,
    });
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });

  test("new ones end the old ones", async () => {
    const { email, jar } = await someone(server);
    const old = await keepBackupCodes(server, jar);
    const fresh = await keepBackupCodes2(jar);
    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    const refused = await submitLogin(server, next, flow, {
      method: "lookup_secret",
      lookup_secret: old[0]!,
    });
    expect(refused.status).toBe(400);
    expect(messageIds(refused.data as never)).toContain(4000016);
    const done = await submitLogin(server, next, flow, {
      method: "lookup_secret",
      lookup_secret: fresh[0]!,
    });
    expect(done.status).toBe(200);
  });

  /** Of somebody who has some already: they are revealed first. */
  async function keepBackupCodes2(jar: CookieJar): Promise<string[]> {
    const flow = await openSettings(server, jar);
    const body = { method: "lookup_secret" as const };
    await changeSettings(server, jar, flow, { ...body, lookup_secret_reveal: true });
    const made = await changeSettings(server, jar, flow, {
      ...body,
      lookup_secret_regenerate: true,
    });
    expect(namesOf(made.data, "lookup_secret")).toEqual([
      "lookup_secret_codes",
      "lookup_secret_regenerate",
      "lookup_secret_confirm",
    ]);
    await changeSettings(server, jar, flow, { ...body, lookup_secret_confirm: true });
    return shownCodes(made.data).map(({ text }) => text);
  }

  test("the last one used up is no lock: nobody is asked for what they no longer have", async () => {
    const { email, jar } = await someone(server);
    const codes = await keepBackupCodes(server, jar);
    for (const code of codes) {
      const next = await signInAsBrowser(server, email);
      const done = await submitLogin(server, next, await openStepUp(server, next), {
        method: "lookup_secret",
        lookup_secret: code,
      });
      expect(done.status).toBe(200);
    }
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });

  test("are the way back in for who has lost the app, who may then remove it", async () => {
    const { email, jar } = await someoneWithApp(server);
    const codes = await keepBackupCodes(server, jar);
    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    expect(namesOf(flow, "totp")).toContain("totp_code");
    await submitLogin(server, next, flow, { method: "lookup_secret", lookup_secret: codes[0]! });
    const settings = await openSettings(server, next);
    const done = await changeSettings(server, next, settings, {
      method: "totp",
      totp_unlink: true,
    });
    expect(done.status).toBe(200);
  });

  test("are hashed and encrypted where they are kept, and gone when they are removed", async () => {
    const { id, email, jar } = await someone(server);
    const codes = await keepBackupCodes(server, jar);
    const read = async () =>
      (
        await server.db.pool.query<{ config: string }>(
          "select config::text from identity_credentials where identity_id = $1 and type = 'lookup_secret'",
          [id],
        )
      ).rows[0]?.config;
    const stored = (await read())!;
    for (const code of codes) {
      expect(stored).not.toContain(code);
      expect(stored).not.toContain(code.replace("-", ""));
    }
    const flow = await openSettings(server, jar);
    await changeSettings(server, jar, flow, {
      method: "lookup_secret",
      lookup_secret_disable: true,
    });
    expect(await read()).toBeUndefined();
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });

  test("guesses are counted", async () => {
    const { email, jar } = await someone(server);
    await keepBackupCodes(server, jar);
    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    const waits = [];
    for (let guess = 0; guess < 7; guess += 1) {
      const { headers } = await submitLogin(server, next, flow, {
        method: "lookup_secret",
        lookup_secret: "aaaaa-bbbbb",
      });
      waits.push(headers["retry-after"] !== undefined);
    }
    expect(waits).toEqual([false, false, false, false, false, true, true]);
  });
});
