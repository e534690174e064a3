/** A text for people, with the number by which other programs know it. */
export interface UiText {
  id: number;
  text: string;
  type: "info" | "error" | "success";
  context?: Record<string, unknown>;
}

const info = (id: number, text: string, context?: Record<string, unknown>): UiText => ({
  id,
  text,
  type: "info",
  ...(context ? { context } : {}),
});
const error = (id: number, text: string, context?: Record<string, unknown>): UiText => ({
  id,
  text,
  type: "error",
  ...(context ? { context } : {}),
});

/** The numbers are the identity service's; the words are ours. */
export const messages = {
  signIn: info(1010001, "Sign in"),
  confirmIdentity: info(1010003, "Please confirm that it is you."),
  secondFactor: info(1010004, "Please complete the second step of signing in."),
  passwordLabel: info(1070001, "Password"),
  emailLabel: info(1070002, "E-mail", { title: "E-mail", name: "identifier" }),
  invalidCredentials: error(
    4000006,
    "The e-mail address or the password is wrong. Check both and try again.",
  ),
  noMethod: error(4010002, "This form cannot sign you in. Reload the page and fill it out again."),
  missing: (property: string) => error(4000002, "Please fill this in.", { property }),
  deactivated: generic("This account is deactivated. Ask an administrator to activate it."),
  busy: generic("Too many people are signing in at the moment. Try again in a few seconds.", {
    retry_after: 3,
  }),
  tooManyAttempts: (seconds: number) =>
    generic(`Too many failed attempts to sign in. Try again in ${seconds} seconds.`, {
      retry_after: seconds,
    }),
  flowExpired: (expiredAt: Date) =>
    error(4010001, "The form was open for too long. Please sign in with this fresh one.", {
      expired_at: expiredAt.toISOString(),
      expired_at_unix: Math.floor(expiredAt.getTime() / 1000),
    }),
};

function generic(text: string, context: Record<string, unknown> = {}): UiText {
  return error(4000001, text, { reason: text, ...context });
}
