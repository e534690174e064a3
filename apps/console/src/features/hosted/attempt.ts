/**
 * A sign-in under way: what has to be known when the provider sends the browser back to this window. None of it is a
 * token; it is of use once, and only here.
 */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  /** Of this console, where to go on afterwards. */
  returnTo: string;
  /** The organization that was asked for. */
  organization?: string;
  /** Lets whoever has several organizations choose. */
  chooses?: boolean;
}

const KEY = "mainstay.sign-in";

const isAttempt = (value: unknown): value is Attempt =>
  typeof value === "object" &&
  value !== null &&
  ["state", "nonce", "verifier", "returnTo"].every(
    (name) => typeof (value as Record<string, unknown>)[name] === "string",
  );

export function keepAttempt(attempt: Attempt): void {
  window.sessionStorage.setItem(KEY, JSON.stringify(attempt));
}

/** The attempt of this window, once. */
export function takeAttempt(): Attempt | undefined {
  const text = window.sessionStorage.getItem(KEY);
  window.sessionStorage.removeItem(KEY);
  if (text === null) return undefined;
  try {
    const attempt: unknown = JSON.parse(text);
    return isAttempt(attempt) ? attempt : undefined;
  } catch {
    return undefined;
  }
}
