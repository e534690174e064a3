import { invalid } from "#platform/errors.ts";

const MAX_DEPTH = 32;
const secretName =
  /^(pass(word|wd)?|token|secret|(client|access|api|private)[_-]?(secret|key|token)|credentials?)$/i;
/** Values that say where the secret is kept. */
const reference = /^(secret|configmap|helm|serviceaccount|connection):\/\/|^\$\(|^\{\{/;
const urlWithPassword = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#]*:[^\s/?#]+@/i;

/** Everybody who is signed in reads the specs of teams, so a secret in one would be everybody's. */
export function refuseSecrets(value: unknown, path = "spec", depth = MAX_DEPTH): void {
  if (depth === 0) throw refusal(path, `spec is nested more than ${MAX_DEPTH} deep.`);
  if (typeof value === "string") {
    if (urlWithPassword.test(value)) throw secretIn(path);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const place = `${path}.${key}`;
    if (secretName.test(key) && typeof part === "string" && part !== "" && !reference.test(part))
      throw secretIn(place);
    refuseSecrets(part, place, depth - 1);
  }
}

const refusal = (path: string, message: string) => invalid(message, [{ path, message }]);
const secretIn = (path: string) =>
  refusal(
    path,
    `${path} is a secret, and everybody who is signed in can read this. Name a connection (connection://...) or a secret (secret://...) instead.`,
  );
