/** A text for people, with the number by which other programs know it. */
export interface UiText {
  id: number;
  text: string;
  type: "info" | "error" | "success";
  context?: Record<string, unknown>;
}

const of =
  (type: UiText["type"]) =>
  (id: number, text: string, context?: Record<string, unknown>): UiText => ({
    id,
    text,
    type,
    ...(context ? { context } : {}),
  });
export const info = of("info");
export const error = of("error");
export const success = of("success");

/** A failure that has no number of its own. */
export function generic(text: string, context: Record<string, unknown> = {}): UiText {
  return error(4000001, text, { reason: text, ...context });
}

const expired = (id: number, again: string) => (expiredAt: Date) =>
  error(id, `The form was open for too long. ${again}`, {
    expired_at: expiredAt.toISOString(),
    expired_at_unix: Math.floor(expiredAt.getTime() / 1000),
  });
const traitLabel = (title: string, name: string) => info(1070002, title, { title, name });
const inSeconds = (seconds: number) =>
  `Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;

/** The numbers are the identity service's; the words are ours. A method's own words are in the method's file. */
export const messages = {
  signIn: info(1010001, "Sign in"),
  confirmIdentity: info(1010003, "Please confirm that it is you."),
  secondFactor: info(1010004, "Please complete the second step of signing in."),
  loginCodeSent: info(
    1010014,
    "If there is an account with this address, a code has been sent to it. Type it in below.",
  ),
  signInWithCode: info(1010015, "Send sign-in code"),
  signUp: info(1040001, "Sign up"),
  registrationCodeSent: info(
    1040005,
    "A code has been sent to this address. Type it in below to go on.",
  ),
  saved: success(1050001, "Your changes have been saved!"),
  recovered: (minutes: number) =>
    success(
      1060001,
      `You have recovered your account. Please set a new password within the next ${minutes} minutes.`,
      { privileged_session_expires_at_minutes: minutes },
    ),
  /** The same step for who was never here before. */
  welcome: (minutes: number) =>
    success(
      1060001,
      `Welcome. Your account is set up; please choose a password within the next ${minutes} minutes.`,
      { privileged_session_expires_at_minutes: minutes, invited: true },
    ),
  recoveryCodeSent: info(
    1060003,
    "If there is an account with this address, a code has been sent to it. Type it in below, or follow the link in the mail.",
  ),
  invitation: info(1060002, "Go on to set up your account and choose a password.", {
    invited: true,
  }),
  /** A link that was handed to somebody who knows the account. */
  followedRecovery: info(1060002, "Go on to sign in and choose a new password."),
  passwordLabel: info(1070001, "Password"),
  emailLabel: info(1070002, "E-mail", { title: "E-mail", name: "identifier" }),
  traitEmailLabel: traitLabel("E-mail", "traits.email"),
  firstNameLabel: traitLabel("First name", "traits.name.first"),
  lastNameLabel: traitLabel("Last name", "traits.name.last"),
  newPasswordLabel: info(1070001, "New password"),
  save: info(1070003, "Save"),
  submit: info(1070005, "Submit"),
  addressLabel: info(1070007, "E-mail"),
  resendCode: info(1070008, "Resend code"),
  goOn: info(1070009, "Continue"),
  recoveryCodeLabel: info(1070010, "Recovery code"),
  verificationCodeLabel: info(1070011, "Verification code"),
  registrationCodeLabel: info(1070012, "Registration code"),
  loginCodeLabel: info(1070013, "Login code"),
  verified: success(1080002, "You have verified your e-mail address."),
  followedVerification: info(1080001, "Go on to verify your e-mail address."),
  verificationCodeSent: info(
    1080003,
    "If this address awaits verification, a code has been sent to it. Type it in below, or follow the link in the mail.",
  ),
  missing: (property: string) => error(4000002, "Please fill this in.", { property }),
  tooLong: (max: number) =>
    error(4000017, `Please use at most ${max} characters.`, { max_length: max }),
  invalidAddress: error(4000004, "Please type a valid e-mail address.", { format: "email" }),
  invalidText: error(4000004, "This contains characters that cannot be stored."),
  invalidCredentials: error(
    4000006,
    "The e-mail address or the password is wrong. Check both and try again.",
  ),
  addressTaken: error(
    4000007,
    "An account with this e-mail address exists already. Sign in, or use another address.",
  ),
  passwordLikeAddress: error(
    4000031,
    "The password is too similar to your e-mail address or name. Choose another.",
  ),
  passwordTooShort: (min: number, actual: number) =>
    error(4000032, `The password needs at least ${min} characters.`, {
      min_length: min,
      actual_length: actual,
    }),
  passwordTooLong: (max: number) =>
    error(4000033, `The password is too long: at most ${max} bytes.`, { max_length: max }),
  passwordBreached: error(
    4000034,
    "Many people use this password, and attackers try it first. Choose another.",
    { breaches: 1 },
  ),
  loginCodeInvalid: error(
    4010008,
    "The code is wrong, was used already, or has expired. Check it or ask for a new one.",
  ),
  registrationCodeInvalid: error(
    4040003,
    "The code is wrong, was used already, or has expired. Check it or ask for a new one.",
  ),
  recoveryLinkInvalid: error(
    4060004,
    "The link was used already or has expired. Ask for a new one.",
  ),
  recoveryCodeInvalid: error(
    4060006,
    "The code is wrong, was used already, or has expired. Check it or ask for a new one.",
  ),
  recoveryTooOften: error(4060002, "Too many wrong codes. Ask for a new one."),
  verificationLinkInvalid: error(
    4070001,
    "The link was used already or has expired. Ask for a new one.",
  ),
  verificationTooOften: error(4070003, "Too many wrong codes. Ask for a new one."),
  verificationCodeInvalid: error(
    4070006,
    "The code is wrong, was used already, or has expired. Check it or ask for a new one.",
  ),
  unreadable: generic(
    "What was sent cannot be read. Send an object of fields as application/json or application/x-www-form-urlencoded.",
  ),
  noMail: generic("This server sends no mail. Ask an administrator for a link."),
  deactivated: generic("This account is deactivated. Ask an administrator to activate it."),
  busy: generic("Too many people are signing in at the moment. Try again in a few seconds.", {
    retry_after: 3,
  }),
  tooManyAttempts: (seconds: number) =>
    generic(`Too many failed attempts to sign in. ${inSeconds(seconds)}`, {
      retry_after: seconds,
    }),
  tooManyPasswords: (seconds: number) =>
    generic(`Too many passwords were chosen from your address. ${inSeconds(seconds)}`, {
      retry_after: seconds,
    }),
  tooManyMails: (seconds: number) =>
    generic(`Too many codes were asked for. ${inSeconds(seconds)}`, { retry_after: seconds }),
  noMethod: {
    login: error(4010002, "This form cannot sign you in. Reload the page and fill it out again."),
    registration: error(
      4010003,
      "This form cannot sign you up. Reload the page and fill it out again.",
    ),
    settings: error(
      4010004,
      "This form cannot change your settings. Reload the page and fill it out again.",
    ),
    recovery: error(
      4010005,
      "This form cannot recover your account. Reload the page and fill it out again.",
    ),
    verification: error(
      4010006,
      "This form cannot verify your address. Reload the page and fill it out again.",
    ),
  },
  flowExpired: {
    login: expired(4010001, "Please sign in with this fresh one."),
    registration: expired(4040001, "Please sign up with this fresh one."),
    settings: expired(4050001, "Please make your changes in this fresh one."),
    recovery: expired(4060005, "Please begin again with this fresh one."),
    verification: expired(4070005, "Please begin again with this fresh one."),
  },
};
