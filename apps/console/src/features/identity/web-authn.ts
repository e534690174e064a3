import type { Flow, FlowValues, InputNode } from "./flows/flow.ts";
import { isHidden, isInput, takesOffered } from "./flows/flow.ts";

/**
 * Security keys and passkeys: what the identity service's own script would do for its buttons. The options stand in the
 * button's value, in its `onclick`, or in a hidden field of the same group; the answer goes into another hidden field.
 */

type Json = Record<string, unknown>;

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null;

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.codePointAt(0) ?? 0);
}

function toText(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCodePoint(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function parse(text: unknown): Json | undefined {
  if (typeof text !== "string" || text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // Not options: a button may hold a plain value.
    return undefined;
  }
}

interface Options {
  publicKey: Json;
  /** The field whose value names the new key's owner. */
  nameField?: string;
}

function optionsOf(flow: Flow, trigger: InputNode): Options {
  const hidden = flow.ui.nodes
    .filter(isInput)
    .filter((node) => node.group === trigger.group && isHidden(node));
  const inCall = /\(([\s\S]*)\)/.exec(trigger.attributes.onclick ?? "")?.[1];
  const found =
    parse(trigger.attributes.value) ??
    parse(inCall) ??
    hidden.map((node) => parse(node.attributes.value)).find((value) => value !== undefined);
  const holder = isRecord(found?.credentialOptions) ? found.credentialOptions : found;
  const publicKey = isRecord(holder?.publicKey) ? holder.publicKey : holder;
  if (!publicKey || typeof publicKey.challenge !== "string")
    throw new Error("The sign-in service sent no challenge for this key. Reload the page.");
  const nameField = found?.displayNameFieldName;
  return { publicKey, ...(typeof nameField === "string" ? { nameField } : {}) };
}

/** The hidden field that takes the answer. */
function answerField(flow: Flow, trigger: InputNode): string {
  const names = flow.ui.nodes
    .filter(isInput)
    .filter((node) => node.group === trigger.group && isHidden(node))
    .map((node) => node.attributes.name)
    .filter((name) => /_(login|register)$/.test(name));
  const own = trigger.attributes.name.replace(/_trigger$/, "");
  return names.find((name) => name === own) ?? names[0] ?? own;
}

const withBytes = (list: unknown): unknown[] | undefined =>
  Array.isArray(list)
    ? list
        .filter(isRecord)
        .map((item) => ({ ...item, id: toBytes(typeof item.id === "string" ? item.id : "") }))
    : undefined;

async function create(publicKey: Json, displayName: string | undefined): Promise<Json> {
  const user = isRecord(publicKey.user) ? publicKey.user : {};
  const named = displayName ? { name: displayName, displayName } : {};
  const options = {
    ...publicKey,
    challenge: toBytes(String(publicKey.challenge)),
    user: { ...user, ...named, id: toBytes(String(user.id)) },
    ...(publicKey.excludeCredentials
      ? { excludeCredentials: withBytes(publicKey.excludeCredentials) }
      : {}),
  };
  const made = await navigator.credentials.create({
    // Checked by the browser, which refuses what is not right.
    publicKey: options as unknown as PublicKeyCredentialCreationOptions,
  });
  const key = made as PublicKeyCredential;
  const response = key.response as AuthenticatorAttestationResponse;
  return {
    id: key.id,
    rawId: toText(key.rawId),
    type: key.type,
    response: {
      attestationObject: toText(response.attestationObject),
      clientDataJSON: toText(response.clientDataJSON),
      ...(typeof response.getTransports === "function"
        ? { transports: response.getTransports() }
        : {}),
    },
  };
}

async function ask(
  publicKey: Json,
  how: Pick<CredentialRequestOptions, "mediation" | "signal"> = {},
): Promise<Json> {
  const options = {
    ...publicKey,
    challenge: toBytes(String(publicKey.challenge)),
    ...(publicKey.allowCredentials
      ? { allowCredentials: withBytes(publicKey.allowCredentials) }
      : {}),
  };
  const found = await navigator.credentials.get({
    ...how,
    publicKey: options as unknown as PublicKeyCredentialRequestOptions,
  });
  const key = found as PublicKeyCredential;
  const response = key.response as AuthenticatorAssertionResponse;
  return {
    id: key.id,
    rawId: toText(key.rawId),
    type: key.type,
    response: {
      authenticatorData: toText(response.authenticatorData),
      clientDataJSON: toText(response.clientDataJSON),
      signature: toText(response.signature),
      userHandle: response.userHandle ? toText(response.userHandle) : null,
    },
  };
}

const failures: Record<string, string> = {
  NotAllowedError: "The key was not used: it was cancelled, or it took too long. Try again.",
  InvalidStateError: "This key is registered already.",
  SecurityError:
    "The browser refuses keys at this address: open the console by its own name, over HTTPS.",
  NotSupportedError: "This key cannot do what is asked of it. Use another one.",
};

let offered: AbortController | undefined;

/**
 * Lets the browser offer passkeys where the address is typed; gives the values to send once one is chosen. Nothing when
 * there is none to offer, or when something else was done: nobody has asked for this, so nobody is told.
 */
export async function offerPasskeys(
  flow: Flow,
  gone: AbortSignal,
): Promise<FlowValues | undefined> {
  const field = flow.ui.nodes.filter(isInput).find(takesOffered);
  if (!field || !("PublicKeyCredential" in window)) return undefined;
  const canOffer = PublicKeyCredential.isConditionalMediationAvailable?.bind(PublicKeyCredential);
  if (!canOffer || !(await canOffer()) || gone.aborted) return undefined;
  offered?.abort();
  const own = new AbortController();
  offered = own;
  try {
    const answer = await ask(optionsOf(flow, field).publicKey, {
      mediation: "conditional",
      signal: AbortSignal.any([gone, own.signal]),
    });
    return { method: field.group, [field.attributes.name]: JSON.stringify(answer) };
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Asks the browser for a key as the button wants it; gives the values to send. */
export async function runTrigger(
  flow: Flow,
  trigger: InputNode,
  values: FlowValues,
): Promise<FlowValues> {
  if (!("credentials" in navigator) || !("PublicKeyCredential" in window))
    throw new Error("This browser, or this address without HTTPS, cannot use security keys.");
  const { publicKey, nameField } = optionsOf(flow, trigger);
  // A browser asks for one key at a time.
  offered?.abort();
  try {
    const name = nameField === undefined ? "" : String(values[nameField] ?? "");
    const answer = isRecord(publicKey.user) ? await create(publicKey, name) : await ask(publicKey);
    return { method: trigger.group, [answerField(flow, trigger)]: JSON.stringify(answer) };
  } catch (error) {
    const known = error instanceof DOMException ? failures[error.name] : undefined;
    throw known === undefined ? error : new Error(known, { cause: error });
  }
}
