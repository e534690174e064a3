// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Flow, FlowNode, InputNode } from "./flows/flow.ts";
import { offerPasskeys, runTrigger } from "./web-authn.ts";

const bytes = (...values: number[]) => new Uint8Array(values).buffer;
const input = (group: string, name: string, type: string, more: object = {}): InputNode => ({
  group,
  type: "input",
  attributes: { node_type: "input", name, type, ...more },
  messages: [],
  meta: {},
});
const flow = (nodes: FlowNode[]): Flow => ({
  id: "f",
  ui: { action: "", method: "POST", nodes },
});

const get = vi.fn<(options: { publicKey: Record<string, unknown> }) => Promise<unknown>>();
const create = vi.fn<(options: { publicKey: Record<string, unknown> }) => Promise<unknown>>();

beforeEach(() => {
  vi.stubGlobal("PublicKeyCredential", () => {});
  Object.defineProperty(navigator, "credentials", { value: { get, create }, configurable: true });
  get.mockReset().mockResolvedValue({
    id: "AQ",
    rawId: bytes(1),
    type: "public-key",
    response: {
      authenticatorData: bytes(2),
      clientDataJSON: bytes(3),
      signature: bytes(251, 255),
      userHandle: null,
    },
  });
  create.mockReset().mockResolvedValue({
    id: "AQ",
    rawId: bytes(1),
    type: "public-key",
    response: { attestationObject: bytes(4), clientDataJSON: bytes(3) },
  });
});
afterEach(() => void vi.unstubAllGlobals());

const request = JSON.stringify({
  publicKey: { challenge: "-_8", allowCredentials: [{ type: "public-key", id: "AQI" }] },
});

test.each<[string, InputNode, InputNode[]]>([
  [
    "in the button's value",
    input("webauthn", "webauthn_login_trigger", "button", { value: request }),
    [input("webauthn", "webauthn_login", "hidden")],
  ],
  [
    "in its onclick",
    input("webauthn", "webauthn_login_trigger", "button", {
      value: "",
      onclick: `window.__oryWebAuthnLogin(${request})`,
    }),
    [input("webauthn", "webauthn_login", "hidden")],
  ],
  [
    "in a hidden field",
    input("webauthn", "webauthn_login_trigger", "button"),
    [
      input("webauthn", "webauthn_challenge", "hidden", { value: request }),
      input("webauthn", "webauthn_login", "hidden"),
    ],
  ],
])("options %s lead to a signature", async (_name, trigger, hidden) => {
  const found = await runTrigger(flow([...hidden, trigger]), trigger, {});
  expect(found.method).toBe("webauthn");
  expect(JSON.parse(String(found.webauthn_login))).toEqual({
    id: "AQ",
    rawId: "AQ",
    type: "public-key",
    response: { authenticatorData: "Ag", clientDataJSON: "Aw", signature: "-_8", userHandle: null },
  });
  const { challenge, allowCredentials } = get.mock.calls[0]![0].publicKey;
  expect([...(challenge as Uint8Array)]).toEqual([251, 255]);
  expect(allowCredentials).toEqual([{ type: "public-key", id: new Uint8Array([1, 2]) }]);
});

test("a passkey at registration is named after the field that the options name", async () => {
  const trigger = input("passkey", "passkey_register_trigger", "button");
  const options = {
    credentialOptions: { publicKey: { challenge: "AQ", user: { id: "AQ", name: "" }, rp: {} } },
    displayNameFieldName: "traits.email",
  };
  const found = await runTrigger(
    flow([
      input("passkey", "passkey_create_data", "hidden", { value: JSON.stringify(options) }),
      input("passkey", "passkey_register", "hidden"),
      trigger,
    ]),
    trigger,
    { "traits.email": "ada@example.com" },
  );
  expect(create.mock.calls[0]![0].publicKey.user).toMatchObject({ displayName: "ada@example.com" });
  expect(JSON.parse(String(found.passkey_register))).toMatchObject({ id: "AQ" });
});

test("a refusal of the browser is said in words", async () => {
  get.mockRejectedValue(new DOMException("x", "NotAllowedError"));
  const trigger = input("webauthn", "webauthn_login_trigger", "button", { value: request });
  await expect(runTrigger(flow([trigger]), trigger, {})).rejects.toThrow("it was cancelled");
});

test("a button without a challenge says so", async () => {
  const trigger = input("webauthn", "webauthn_login_trigger", "button", { value: "x" });
  await expect(runTrigger(flow([trigger]), trigger, {})).rejects.toThrow("sent no challenge");
});

const withOffer = () =>
  flow([
    input("passkey", "passkey_challenge", "hidden", { value: request }),
    input("passkey", "passkey_login", "hidden", {
      value: "",
      onloadTrigger: "oryPasskeyLoginAutocompleteInit",
    }),
    input("passkey", "passkey_login_trigger", "button"),
  ]);
const canOffer = (answer: boolean) =>
  vi.stubGlobal("PublicKeyCredential", {
    isConditionalMediationAvailable: () => Promise.resolve(answer),
  });
const never = new AbortController().signal;

test("passkeys are offered where the address is typed, and the chosen one is sent", async () => {
  canOffer(true);
  const found = await offerPasskeys(withOffer(), never);
  expect(get.mock.lastCall?.[0]).toMatchObject({ mediation: "conditional" });
  expect(found).toEqual({ method: "passkey", passkey_login: expect.stringContaining('"AQ"') });
});

test.each([
  ["the browser cannot", false, withOffer()],
  ["the form has none", true, flow([input("password", "password", "password")])],
])("nothing is offered when %s", async (_, answer, form) => {
  canOffer(answer);
  expect(await offerPasskeys(form, never)).toBeUndefined();
  expect(get).not.toHaveBeenCalled();
});

test("the offer ends when a button asks for a key, and nobody is told", async () => {
  canOffer(true);
  get.mockImplementationOnce(
    (options) =>
      new Promise((_, reject) => {
        const { signal } = options as unknown as { signal: AbortSignal };
        signal.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
      }),
  );
  const form = withOffer();
  const offer = offerPasskeys(form, never);
  await vi.waitFor(() => expect(get).toHaveBeenCalledTimes(1));
  const pressed = await runTrigger(form, form.ui.nodes[2] as InputNode, {});
  expect(pressed.method).toBe("passkey");
  expect(await offer).toBeUndefined();
});
