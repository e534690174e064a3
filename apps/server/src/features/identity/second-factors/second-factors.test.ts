import type { RecoveryFlow, UpdateRecoveryFlowBody } from "@ory/kratos-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRecoveryLink } from "../code/recovery-link.ts";
import { CookieJar, csrfTokenOf, type IdentityServer } from "../testing/identity-server.ts";
import {
  addKey,
  changeSettings,
  codeOf,
  createDevice,
  keepBackupCodes,
  linkApp,
  namesOf,
  openSettings,
  openStepUp,
  ORIGIN,
  signInAsBrowser,
  signInWithPasskey,
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

test("without the second step nothing is open: no data, no settings, no writes", async () => {
  const { email } = await someoneWithApp(server);
  const jar = await signInAsBrowser(server, email);
  const cookie = jar.toString();
  for (const path of ["/api/db/people", "/api/auth/whoami"]) {
    const reply = await fetch(`${server.url}${path}`, { headers: { cookie } });
    expect([path, reply.status]).toEqual([path, 401]);
  }
  const write = await fetch(`${server.url}/api/test/write`, {
    method: "POST",
    headers: { cookie },
  });
  expect(write.status).toBe(401);
  const settings = await server.client.createBrowserSettingsFlow({ cookie });
  expect(settings.status).toBe(403);
  expect(settings.data).toMatchObject({ error: { id: "session_aal2_required" } });
});

test("recovering the password does not get around the second step", async () => {
  const { id, secret } = await someoneWithApp(server);
  const { link } = await createRecoveryLink(server.ctx, id);
  const jar = new CookieJar();
  const opened = jar.keep(
    await fetch(link.replace(ORIGIN, server.url), { headers: { accept: "application/json" } }),
  );
  const flow = (await opened.json()) as RecoveryFlow;
  const recovered = jar.keep(
    await server.client.updateRecoveryFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateRecoveryFlowBody: {
        method: "link",
        csrf_token: csrfTokenOf(flow),
      } as UpdateRecoveryFlowBody,
    }),
  );
  expect(recovered.status).toBe(422);
  expect((await whoami(server, jar)).status).toBe(403);
  const refused = await server.client.createBrowserSettingsFlow({ cookie: jar.toString() });
  expect(refused.data).toMatchObject({ error: { id: "session_aal2_required" } });
  const done = await submitLogin(server, jar, await openStepUp(server, jar), {
    method: "totp",
    totp_code: codeOf(server, secret),
  });
  expect(done.status).toBe(200);
  await openSettings(server, jar);
});

describe("a session that is not young", () => {
  test.each([
    ["totp_unlink", { method: "totp", totp_unlink: true }],
    ["totp_code", { method: "totp", totp_code: "123456" }],
    ["lookup_secret_reveal", { method: "lookup_secret", lookup_secret_reveal: true }],
    ["lookup_secret_regenerate", { method: "lookup_secret", lookup_secret_regenerate: true }],
    ["lookup_secret_disable", { method: "lookup_secret", lookup_secret_disable: true }],
    ["webauthn_remove", { method: "webauthn", webauthn_remove: "x" }],
    ["webauthn_register", { method: "webauthn", webauthn_register: "{}" }],
    ["passkey_remove", { method: "passkey", passkey_remove: "x" }],
    ["passkey_settings_register", { method: "passkey", passkey_settings_register: "{}" }],
  ] as const)("has to be confirmed before %s", async (_, body) => {
    const { jar } = await someone(server);
    server.advance(60 * 60_000);
    const flow = await openSettings(server, jar);
    const refused = await changeSettings(server, jar, flow, body);
    expect(refused.status).toBe(403);
    expect(refused.data).toMatchObject({
      error: { id: "session_refresh_required" },
      redirect_browser_to: expect.stringContaining("refresh=true"),
    });
  });

  test("no longer sees the codes that were revealed in time", async () => {
    const { jar } = await someone(server);
    await keepBackupCodes(server, jar);
    const flow = await openSettings(server, jar);
    const revealed = await changeSettings(server, jar, flow, {
      method: "lookup_secret",
      lookup_secret_reveal: true,
    });
    expect(namesOf(revealed.data, "lookup_secret")).toContain("lookup_secret_codes");
    server.advance(30 * 60_000);
    const later = await server.client.getSettingsFlow({ id: flow.id, cookie: jar.toString() });
    expect(later.status).toBe(200);
    expect(namesOf(later.data, "lookup_secret")).toEqual([
      "lookup_secret_reveal",
      "lookup_secret_disable",
    ]);
  });
});

test("what was added and removed is in the audit log, by whom and without secrets", async () => {
  const { id, jar } = await someone(server);
  await addKey(server, jar, { device: createDevice(), kind: "webauthn", name: "Blue key" });
  await linkApp(server, jar);
  const settings = await openSettings(server, jar);
  await changeSettings(server, jar, settings, { method: "totp", totp_unlink: true });
  const { rows } = await server.db.pool.query<Record<string, string>>(
    `select verb, table_name, row_id, actor_id, coalesce(after, before) as what from audit_log
      where row_id = $1 and table_name like 'identity_%' order by id`,
    [id],
  );
  expect(rows).toEqual(
    [
      {
        verb: "insert",
        table_name: "identity_credentials",
        what: { identity_id: id, type: "webauthn" },
      },
      {
        verb: "insert",
        table_name: "identity_keys",
        what: expect.objectContaining({ name: "Blue key", kind: "webauthn", rp_id: "localhost" }),
      },
      {
        verb: "insert",
        table_name: "identity_credentials",
        what: { identity_id: id, type: "totp" },
      },
      {
        verb: "delete",
        table_name: "identity_credentials",
        what: { identity_id: id, type: "totp" },
      },
    ].map((row) => ({ ...row, row_id: id, actor_id: id })),
  );
  expect(JSON.stringify(rows)).not.toMatch(/public_key|credential_id|secret/);
});

describe("an administrator takes the second factors from who has lost them", () => {
  beforeAll(() => server.createPerson("admin@example.org", "admin"));
  const reset = (jar: CookieJar, id: string) =>
    fetch(`${server.url}/api/people/${id}/reset-second-factor`, {
      method: "POST",
      headers: { cookie: jar.toString(), origin: ORIGIN },
    });

  test("all of them; sessions end, the password signs in, and it is written down", async () => {
    const admin = await signInAsBrowser(server, "admin@example.org");
    const { id, email, jar } = await someoneWithApp(server);
    await keepBackupCodes(server, jar);
    await addKey(server, jar, { device: createDevice(), kind: "webauthn" });
    const passkey = createDevice();
    await addKey(server, jar, { device: passkey, kind: "passkey" });
    const reply = await reset(admin, id);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ id, removed: ["lookup_secret", "totp", "webauthn"] });
    expect((await whoami(server, jar)).status).toBe(401);
    const next = await signInAsBrowser(server, email);
    expect((await whoami(server, next)).data.authenticator_assurance_level).toBe("aal1");
    expect((await signInWithPasskey(server, passkey)).answer.status).toBe(200);
    const { rows } = await server.db.pool.query<{ type: string; actor_name: string }>(
      `select before ->> 'type' as type, actor_name from audit_log
        where row_id = $1 and verb = 'delete' and table_name = 'identity_credentials' order by 1`,
      [id],
    );
    expect(rows.map(({ type }) => type)).toEqual(["lookup_secret", "totp", "webauthn"]);
    expect(await (await reset(admin, id)).json()).toEqual({ id, removed: [] });
  });

  test("nobody else may, and nobody unknown can be chosen", async () => {
    const { id, jar } = await someone(server);
    const editor = `editor-${id}@example.org`;
    await server.createPerson(editor, "editor");
    expect((await reset(jar, id)).status).toBe(403);
    expect((await reset(await signInAsBrowser(server, editor), id)).status).toBe(403);
    expect((await reset(new CookieJar(), id)).status).toBe(401);
    const admin = await signInAsBrowser(server, "admin@example.org");
    expect((await reset(admin, "01890a5d-ac96-774b-bcce-b302099a8057")).status).toBe(404);
  });
});
