import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { script, type UiNode } from "../flows/ui-nodes.ts";

export const WEBAUTHN_SCRIPT_PATH = "/api/.ory/.well-known/ory/webauthn.js";

/**
 * For screens that draw a flow's nodes and know nothing of WebAuthn: it defines the calls that the nodes name, fills the
 * hidden field of the form and sends the form. The console has code of its own and does not load it.
 */
const source = `(() => {
  "use strict";
  if (window.oryWebAuthnLogin) return;
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const field = (name) => document.querySelector('[name="' + name + '"]');
  const described = (list) => list && list.map((item) => ({ ...item, id: bytes(item.id) }));
  const decode = (given) => {
    const { publicKey } = typeof given === "string" ? JSON.parse(given) : given;
    return {
      ...publicKey,
      challenge: bytes(publicKey.challenge),
      ...(publicKey.user ? { user: { ...publicKey.user, id: bytes(publicKey.user.id) } } : {}),
      ...(publicKey.allowCredentials ? { allowCredentials: described(publicKey.allowCredentials) } : {}),
      ...(publicKey.excludeCredentials ? { excludeCredentials: described(publicKey.excludeCredentials) } : {}),
    };
  };
  const encode = ({ id, rawId, type, response }) => {
    const parts = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (response[name]) parts[name] = text(response[name]);
    }
    if (response.getTransports) parts.transports = response.getTransports();
    return JSON.stringify({ id, rawId: text(rawId), type, response: parts });
  };
  const send = (name, credential, method) => {
    const input = field(name);
    const { form } = input;
    input.value = encode(credential);
    const button = form.querySelector('[name="method"][value="' + method + '"]');
    if (button) return button.click();
    const hidden = document.createElement("input");
    Object.assign(hidden, { type: "hidden", name: "method", value: method });
    form.append(hidden);
    HTMLFormElement.prototype.submit.call(form);
  };
  const failed = (error) => {
    if (error && error.name !== "AbortError") console.warn("WebAuthn:", error.message);
  };
  let waiting;
  const stopWaiting = () => waiting && waiting.abort();
  const create = (given, name, method) =>
    navigator.credentials.create({ publicKey: decode(given) })
      .then((credential) => send(name, credential, method)).catch(failed);
  const get = (given, name, method) => {
    stopWaiting();
    return navigator.credentials.get({ publicKey: decode(given) })
      .then((credential) => send(name, credential, method)).catch(failed);
  };

  window.oryWebAuthnRegistration = (options) =>
    create(options || field("webauthn_register_trigger").value, "webauthn_register", "webauthn");
  window.oryWebAuthnLogin = (options) =>
    get(options || field("webauthn_login_trigger").value, "webauthn_login", "webauthn");
  window.oryPasskeySettingsRegistration = () =>
    create(field("passkey_create_data").value, "passkey_settings_register", "passkey");
  window.oryPasskeyLogin = () => get(field("passkey_challenge").value, "passkey_login", "passkey");
  window.oryPasskeyLoginAutocompleteInit = async () => {
    const available = window.PublicKeyCredential && PublicKeyCredential.isConditionalMediationAvailable;
    if (!available || !(await PublicKeyCredential.isConditionalMediationAvailable())) return;
    stopWaiting();
    waiting = new AbortController();
    await navigator.credentials
      .get({ publicKey: decode(field("passkey_challenge").value), mediation: "conditional", signal: waiting.signal })
      .then((credential) => send("passkey_login", credential, "passkey")).catch(failed);
  };
})();
`;

const integrity = `sha512-${createHash("sha512").update(source).digest("base64")}`;

export const webauthnScriptNode = (group: "webauthn" | "passkey", baseUrl: string): UiNode =>
  script(group, { id: "webauthn_script", src: `${baseUrl}${WEBAUTHN_SCRIPT_PATH}`, integrity });

export const sendWebauthnScript = (reply: FastifyReply): FastifyReply =>
  reply
    .type("text/javascript; charset=utf-8")
    .header("cache-control", "public, max-age=3600")
    // Screens on another origin load it as well; it holds nothing of anybody.
    .header("cross-origin-resource-policy", "cross-origin")
    .header("access-control-allow-origin", "*")
    .send(source);
