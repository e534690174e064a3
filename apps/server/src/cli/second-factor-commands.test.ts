// Takes long: the program is started on a cluster of its own, and asked by other processes.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { urlOf, createTestDatabase } from "@mainstay/testkit";
import {
  Configuration,
  FrontendApi,
  type SettingsFlow,
  type UpdateSettingsFlowBody,
} from "@ory/kratos-client";
import { Secret, TOTP } from "otpauth";
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";
import { endMainstays, mainstay, makeHome, startMainstay } from "./testing/mainstay.ts";

/** The command line of somebody with a second factor, and of an administrator who has lost theirs. */

const who = { email: "admin@local", password: "correct-horse-battery" };

let home: ReturnType<typeof makeHome>;
let dataDir: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeEach(async () => {
  home = makeHome();
  dataDir = `${home.directory}-data`;
  database = await createTestDatabase({ connection: inject("cluster") }, inject("template"));
});
afterEach(async () => {
  await endMainstays();
  await database.drop();
  home.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

async function serve(): Promise<string> {
  const server = startMainstay(["serve"], {
    ...home.env,
    MAINSTAY_DATA_DIR: dataDir,
    DATABASE_URL: urlOf(database.owner),
    ADMIN_PASSWORD: who.password,
    SELF_CHECKS: "false",
    PORT: "0",
  });
  const address = (await server.says(/is running at (http:\S+)/))[1]!;
  await vi.waitFor(() => expect(existsSync(join(dataDir, "server.json"))).toBe(true), {
    timeout: 20_000,
  });
  return address;
}

const codeOf = (secret: string, steps: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

interface TextNode {
  id?: string;
  text?: { text: string; context?: { secrets?: { text: string }[] } };
}
const textNode = (flow: SettingsFlow, id: string) =>
  flow.ui.nodes
    .map((node) => node.attributes as unknown as TextNode)
    .find((attributes) => attributes.id === id)!.text!;

/** An app and backup codes, set up by a program. */
async function addSecondFactors(address: string): Promise<{ secret: string; backup: string[] }> {
  const client = new FrontendApi(
    new Configuration({ basePath: `${address}/api/.ory`, baseOptions: { timeout: 20_000 } }),
  );
  const { data: login } = await client.createNativeLoginFlow();
  const { data: signedIn } = await client.updateLoginFlow({
    flow: login.id,
    updateLoginFlowBody: {
      method: "password",
      identifier: who.email,
      password: who.password,
    },
  });
  const xSessionToken = signedIn.session_token!;
  const { data: flow } = await client.createNativeSettingsFlow({ xSessionToken });
  const change = async (updateSettingsFlowBody: UpdateSettingsFlowBody) =>
    (await client.updateSettingsFlow({ flow: flow.id, xSessionToken, updateSettingsFlowBody }))
      .data;
  const { text: secret } = textNode(flow, "totp_secret_key");
  await change({ method: "totp", totp_code: codeOf(secret, 0) });
  const made = await change({ method: "lookup_secret", lookup_secret_regenerate: true });
  await change({ method: "lookup_secret", lookup_secret_confirm: true });
  const backup = textNode(made, "lookup_secret_codes").context!.secrets!.map(({ text }) => text);
  return { secret, backup };
}

// Each command is a process of its own, and there are several.
const patient = { timeout: 120_000 };

test("login asks for the code of the app or a backup code", patient, async () => {
  const address = await serve();
  const { secret, backup } = await addSecondFactors(address);
  const env = { ...home.env, MAINSTAY_SERVER: address };
  const login = (...more: string[]) =>
    mainstay(["login", "--email", who.email, "--password", who.password, ...more], env);

  const without = await login();
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringContaining("No code was given. Type it, or pass it with --code."),
  ]);
  const wrong = await login("--code", "000000");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^The code is wrong/)]);

  const good = await login("--code", codeOf(secret, 1));
  expect(good).toMatchObject({ code: 0, stdout: `Signed in to ${address} as ${who.email}.` });
  expect((await mainstay(["get", "canaries"], env)).code).toBe(0);
  expect((await login("--code", backup[0]!)).code).toBe(0);
  expect((await login("--code", backup[0]!)).code).toBe(1);
});

test(
  "who has the server's machine lets in again an administrator who has lost everything",
  patient,
  async () => {
    const address = await serve();
    await addSecondFactors(address);
    const local = { ...home.env, MAINSTAY_DATA_DIR: dataDir };
    const nobody = await mainstay(["reset-second-factor", "nobody@local"], local);
    expect(nobody).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is nobody with the e-mail address nobody@local.",
    });
    const reset = await mainstay(["reset-second-factor", who.email], local);
    expect(reset).toEqual({
      code: 0,
      stdout: `${who.email} has no second factor any more (removed: lookup_secret, totp) and was signed out everywhere.`,
      stderr: "",
    });
    const env = { ...home.env, MAINSTAY_SERVER: address };
    const login = await mainstay(["login", "--email", who.email, "--password", who.password], env);
    expect(login.code).toBe(0);
    // The session of the command line on this machine is not among those that were ended.
    const again = await mainstay(["reset-second-factor", who.email.toUpperCase()], local);
    expect(again.stdout).toBe(`${who.email} has no second factor.`);
    const disguised = await mainstay(["reset-second-factor", `\u200b${who.email}`], local);
    expect(disguised).toMatchObject({ code: 1, stdout: "" });
    expect(disguised.stderr).toContain("is no e-mail address");
  },
);
