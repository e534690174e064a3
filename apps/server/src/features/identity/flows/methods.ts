import { code } from "../code/code-method.ts";
import { link } from "../code/link-method.ts";
import { lookupSecret } from "../second-factors/lookup-method.ts";
import type { Method } from "./method.ts";
import { oidc } from "../oidc/oidc-method.ts";
import { passkey } from "../second-factors/passkey-method.ts";
import { password } from "../password/password-method.ts";
import { profile } from "./profile-method.ts";
import { totp } from "../second-factors/totp-method.ts";
import { webauthn } from "../second-factors/webauthn-method.ts";

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
