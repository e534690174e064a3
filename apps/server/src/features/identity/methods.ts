import { code } from "./code-method.ts";
import { link } from "./link-method.ts";
import { lookupSecret } from "./lookup-method.ts";
import type { Method } from "./method.ts";
import { oidc } from "./oidc-method.ts";
import { passkey } from "./passkey-method.ts";
import { password } from "./password-method.ts";
import { profile } from "./profile-method.ts";
import { totp } from "./totp-method.ts";
import { webauthn } from "./webauthn-method.ts";

/** Every method there is, in the order in which forms show them. */
export const methods: readonly Method[] = [
  profile,
  password,
  code,
  link,
  oidc,
  passkey,
  totp,
  webauthn,
  lookupSecret,
];
