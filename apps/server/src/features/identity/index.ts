import type { Feature } from "#platform/feature.ts";
import { authentications } from "./authentications.ts";
import { bringAddresses } from "./bring-addresses.ts";
import { cleanUpIdentity } from "./clean-up.ts";
import { createFirstAdministrator, howToSignIn } from "./create-first-administrator.ts";
import { mailCode } from "./code/code-mail.ts";
import { mailInvitation } from "./mail/invitation-mail.ts";
import { mailNotice } from "./mail/notice-mail.ts";
import { checkOpenIdProviders } from "./oidc/oidc-providers.ts";
import { encryptedStores } from "./encrypted-stores.ts";
import { rememberKey } from "./second-factors/remember-key.ts";
import { routes } from "./routes.ts";
import { identityFacts } from "./security-facts.ts";
import { createLocalSession } from "./sessions/create-local-session.ts";
import { forgetSessions } from "./sessions/sessions.ts";
import { tables } from "./tables.ts";
import { identitySettings } from "./settings.ts";

export { createAttemptLimit } from "./password/attempt-limits.ts";
export {
  changeIdentity,
  deleteIdentity,
  findIdentity,
  findIdentityByAddress,
  isAddressTaken,
  type StoredIdentity,
} from "./change-identity.ts";
export { createIdentityFor } from "./create-identity.ts";
export { sendInvitation } from "./mail/invitation-mail.ts";
export { sendsMail } from "./mail/mail.ts";
export {
  listUnmailedInvitations,
  rememberInvitation,
  type UnmailedInvitation,
} from "./mail/unmailed-invitations.ts";
export { notify } from "./mail/notice-mail.ts";
export { readAuthorization, TOKEN_USER } from "./sessions/read-authorization.ts";
export { createRecoveryLink } from "./code/recovery-link.ts";
export { assertAskedHere, assertSameSite, baseUrl } from "./sessions/request-origin.ts";
export { removeSecondFactors } from "./second-factors/second-factor.ts";
export { forgetSessions } from "./sessions/sessions.ts";
export { isName, isStorable, type Traits } from "./traits.ts";

/** Signing in and out, in the wire shape of Ory Kratos. */
export const identity: Feature = {
  name: "identity",
  encrypted: encryptedStores,
  settings: identitySettings,
  rowsAbout: ["identities", "identity_credentials", "identity_keys", "identity_codes"].map(
    (table) => ({ table, kind: "person" }),
  ),
  tables,
  routes,
  jobs: [mailCode, mailNotice, mailInvitation],
  schedules: [cleanUpIdentity],
  authentications,
  changes: [{ tables: ["identities", "people", "people_roles"], run: forgetSessions }],
  personal: [{ table: "identities", decidesAccess: true }],
  localSession: createLocalSession,
  security: identityFacts,
  async seed(ctx, config) {
    const administrator = await createFirstAdministrator(ctx, config);
    await checkOpenIdProviders(config);
    await rememberKey(ctx, config);
    await bringAddresses(ctx);
    return howToSignIn(administrator);
  },
  views: new URL("./views.sql", import.meta.url),
};
