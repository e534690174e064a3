import { generic, info, type UiText } from "../flows/messages.ts";

/** The words of signing in with an account elsewhere; the numbers are the identity service's. */
const button =
  (id: number, verb: string) =>
  (label: string, provider: string): UiText =>
    info(id, `${verb} ${label}`, { provider: label, provider_id: provider });

export const oidcMessages = {
  signInWith: button(1010002, "Sign in with"),
  signUpWith: button(1040002, "Sign up with"),
  link: button(1050002, "Link"),
  unlink: button(1050003, "Unlink"),
  away: (label: string) =>
    generic(`${label} cannot be reached at the moment. Try again later, or sign in another way.`),
  denied: (label: string) =>
    generic(`${label} did not sign you in: it was cancelled or refused there.`),
  wrong: (label: string) =>
    generic(
      `What ${label} answered could not be trusted. Try again; if it happens again, tell an administrator.`,
    ),
  somebodyElse: (label: string) =>
    generic(
      `You came back from ${label} as somebody else. Use the account there that is linked to yours.`,
    ),
  noAccount: (label: string, reason: string) =>
    generic(`There is no account here for yours at ${label}. ${reason}`),
  addressTaken: (label: string) =>
    generic(
      `An account with this e-mail address exists already. Sign in to it as before, then link ${label} in your profile.`,
    ),
  noAddress: (label: string) =>
    generic(
      `${label} did not tell your e-mail address, and an account needs one. Allow it there, or sign up another way.`,
    ),
  linkedElsewhere: (label: string) =>
    generic(`This account at ${label} is linked to another account here.`),
  linkedAlready: (label: string) =>
    generic(`You have linked an account at ${label} already. Unlink it before you link another.`),
  lastWayIn: (label: string) =>
    generic(`${label} is your only way to sign in. Set a password or add a passkey first.`),
};
