import { randomBytes } from "node:crypto";
import type {
  LoginFlow,
  SettingsFlow,
  UiNode,
  UpdateLoginFlowBody,
  UpdateSettingsFlowBody,
} from "@ory/kratos-client";
import { Secret, TOTP } from "otpauth";
import type { Config } from "#platform/config.ts";
import {
  CookieJar,
  csrfTokenOf,
  type IdentityServer,
  signInAsBrowser,
  startIdentityServer,
} from "./identity-server.ts";
import {
  createAuthenticatorDevice,
  type CreationOptions,
  type RequestOptions,
} from "./software-authenticator.ts";

/** What a browser does with second factors and passkeys, through the official client. */

/** Where the pages under test believe to be: authenticators sign for names, not for numbers. */
export const ORIGIN = "http://localhost:3100";

export const startFactorServer = (given: Partial<Config> = {}): Promise<IdentityServer> =>
  startIdentityServer({
    publicUrl: ORIGIN,
    encryptionKey: randomBytes(32).toString("base64"),
    ...given,
  });

let people = 0;

/** Somebody of their own for each test, signed in with the password. */
export async function someone(server: IdentityServer) {
  people += 1;
  const email = `person-${people}@example.org`;
  const { id } = await server.createPerson(email);
  return { id, email, jar: await signInAsBrowser(server, email) };
}

/** The same, with an authenticator app linked a while ago. */
export async function someoneWithApp(server: IdentityServer) {
  const person = await someone(server);
  const secret = await linkApp(server, person.jar);
  server.advance(60_000);
  return { ...person, secret };
}

/** The same as `someone`, with a device whose key is known. */
export async function someoneWithKey(server: IdentityServer, kind: "webauthn" | "passkey") {
  const person = await someone(server);
  const device = createDevice();
  const { status, data } = await addKey(server, person.jar, { device, kind });
  if (status !== 200) throw new Error(`the key was not added: ${JSON.stringify(data.ui)}`);
  return { ...person, device };
}

export const createDevice = (algorithm?: "ES256" | "EdDSA") =>
  createAuthenticatorDevice({ origin: ORIGIN, ...(algorithm ? { algorithm } : {}) });

interface FlowLike {
  ui: { nodes: UiNode[] };
}

/** The part of a node that tests look at, by the name of its field or its id. */
export function attributesOf(flow: FlowLike, name: string): Record<string, unknown> | undefined {
  const all = flow.ui.nodes.map((node) => node.attributes as unknown as Record<string, unknown>);
  return all.find((attributes) => attributes.name === name || attributes.id === name);
}

export const namesOf = ({ ui }: FlowLike, group: string): string[] =>
  ui.nodes
    .filter((node) => node.group === group)
    .map((node) => {
      const { name, id } = node.attributes as unknown as Record<string, string>;
      return name ?? id!;
    });

/** Numbers of all messages of a form and its fields. */
export const messageIds = (flow: {
  ui: { nodes: UiNode[]; messages?: { id: number }[] };
}): number[] =>
  [...(flow.ui.messages ?? []), ...flow.ui.nodes.flatMap((node) => node.messages)].map(
    ({ id }) => id,
  );

export async function openSettings(
  { client }: IdentityServer,
  jar: CookieJar,
): Promise<SettingsFlow> {
  const { data, status } = jar.keep(
    await client.createBrowserSettingsFlow({ cookie: jar.toString() }),
  );
  if (status !== 200) throw new Error(`settings did not open: ${JSON.stringify(data)}`);
  return data;
}

export async function changeSettings(
  { client }: IdentityServer,
  jar: CookieJar,
  flow: SettingsFlow,
  body: UpdateSettingsFlowBody,
) {
  return jar.keep(
    await client.updateSettingsFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateSettingsFlowBody: { ...body, csrf_token: csrfTokenOf(flow) } as UpdateSettingsFlowBody,
    }),
  );
}

export async function openStepUp({ client }: IdentityServer, jar: CookieJar): Promise<LoginFlow> {
  const { data, status } = jar.keep(
    await client.createBrowserLoginFlow({ aal: "aal2", cookie: jar.toString() }),
  );
  if (status !== 200) throw new Error(`the second step did not open: ${JSON.stringify(data)}`);
  return data;
}

export async function submitLogin(
  { client }: IdentityServer,
  jar: CookieJar,
  flow: LoginFlow,
  body: UpdateLoginFlowBody,
) {
  return jar.keep(
    await client.updateLoginFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateLoginFlowBody: { ...body, csrf_token: csrfTokenOf(flow) },
    }),
  );
}

export const whoami = ({ client }: IdentityServer, jar: CookieJar) =>
  client.toSession({ cookie: jar.toString() });

/** The code that an app shows now, or some steps away. */
export function codeOf({ ctx }: IdentityServer, secret: string, steps = 0): string {
  const timestamp = ctx.clock.now().getTime() + steps * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** Links an authenticator app; what is given back is its secret. */
export async function linkApp(server: IdentityServer, jar: CookieJar): Promise<string> {
  const flow = await openSettings(server, jar);
  const shown = attributesOf(flow, "totp_secret_key")!.text as { text: string };
  const { status, data } = await changeSettings(server, jar, flow, {
    method: "totp",
    totp_code: codeOf(server, shown.text),
  });
  if (status !== 200) throw new Error(`the app was not linked: ${JSON.stringify(data.ui)}`);
  return shown.text;
}

/** Makes and confirms backup codes. */
export async function keepBackupCodes(server: IdentityServer, jar: CookieJar): Promise<string[]> {
  const flow = await openSettings(server, jar);
  const made = await changeSettings(server, jar, flow, {
    method: "lookup_secret",
    lookup_secret_regenerate: true,
  });
  const codes = shownCodes(made.data);
  const { status } = await changeSettings(server, jar, flow, {
    method: "lookup_secret",
    lookup_secret_confirm: true,
  });
  if (status !== 200) throw new Error("the codes were not confirmed");
  return codes.map(({ text }) => text);
}

export function shownCodes(flow: FlowLike): { id: number; text: string }[] {
  const { text } = attributesOf(flow, "lookup_secret_codes") as {
    text: { context: { secrets: { id: number; text: string }[] } };
  };
  return text.context.secrets;
}

const publicKeyIn = (text: unknown): unknown =>
  (JSON.parse(text as string) as { publicKey: unknown }).publicKey;

export const registrationOptionsOf = (flow: FlowLike, kind: "webauthn" | "passkey") =>
  publicKeyIn(
    attributesOf(flow, kind === "webauthn" ? "webauthn_register_trigger" : "passkey_create_data")!
      .value,
  ) as CreationOptions;

export const requestOptionsOf = (flow: FlowLike, kind: "webauthn" | "passkey") =>
  publicKeyIn(
    attributesOf(flow, kind === "webauthn" ? "webauthn_login_trigger" : "passkey_challenge")!.value,
  ) as RequestOptions;

export type Device = ReturnType<typeof createDevice>;

export async function addKey(
  server: IdentityServer,
  jar: CookieJar,
  { device, kind, name }: { device: Device; kind: "webauthn" | "passkey"; name?: string },
) {
  const flow = await openSettings(server, jar);
  const answer = device.create(registrationOptionsOf(flow, kind));
  return await changeSettings(
    server,
    jar,
    flow,
    kind === "webauthn"
      ? {
          method: "webauthn",
          webauthn_register: answer,
          ...(name ? { webauthn_register_displayname: name } : {}),
        }
      : { method: "passkey", passkey_settings_register: answer },
  );
}

export async function openLogin({ client }: IdentityServer, jar = new CookieJar()) {
  const { data: flow } = jar.keep(await client.createBrowserLoginFlow({ cookie: jar.toString() }));
  return { jar, flow };
}

export const sendPasskey = (
  server: IdentityServer,
  jar: CookieJar,
  flow: LoginFlow,
  answer: string,
) => submitLogin(server, jar, flow, { method: "passkey", passkey_login: answer });

export async function signInWithPasskey(server: IdentityServer, device: Device, given?: CookieJar) {
  const { jar, flow } = await openLogin(server, given);
  const answer = await sendPasskey(
    server,
    jar,
    flow,
    device.get(requestOptionsOf(flow, "passkey")),
  );
  return { jar, flow, answer };
}

export { signInAsBrowser };
