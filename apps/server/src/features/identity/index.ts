import type { Feature } from "#platform/feature.ts";
import { cleanUpIdentity } from "./clean-up.ts";
import { mailCode } from "./code-mail.ts";
import { mailInvitation } from "./invitation-mail.ts";
import { mailNotice } from "./notice-mail.ts";
import { checkOpenIdProviders } from "./oidc-providers.ts";
import { rememberKey } from "./remember-key.ts";
import { routes } from "./routes.ts";
import { tables } from "./tables.ts";

export { createAttemptLimit, networkOf } from "./attempt-limits.ts";
export { createBasicAuthenticator } from "./authenticate-basic.ts";
export {
  changeIdentity,
  deleteIdentity,
  findIdentity,
  findIdentityByAddress,
  type StoredIdentity,
} from "./change-identity.ts";
export { createAuthenticator, type CredentialReader } from "./authenticate.ts";
export { createFirstAdministrator, type FirstAdministrator } from "./create-first-administrator.ts";
export { createIdentity, createIdentityFor, type NewIdentity } from "./create-identity.ts";
export { createExternalAuthenticator } from "./external-kratos.ts";
export { createLocalSession, type LocalSession } from "./create-local-session.ts";
export { createGate, GateFull } from "./gate.ts";
export { sendInvitation } from "./invitation-mail.ts";
export { sendsMail } from "./mail.ts";
export { notify } from "./notice-mail.ts";
export { readAuthorization, TOKEN_USER } from "./read-authorization.ts";
export { createRecoveryLink } from "./recovery-link.ts";
export { assertSameSite, baseUrl, isSameSite } from "./request-origin.ts";
export { removeSecondFactors } from "./second-factor.ts";
export { createSession, forgetSessions, revokeSessionsOf } from "./sessions.ts";
export { isAddress, isStorable, type Traits } from "./traits.ts";

/** Signing in and out, in the wire shape of Ory Kratos. */
export const identity: Feature = {
  name: "identity",
  tables,
  routes,
  jobs: [mailCode, mailNotice, mailInvitation],
  schedules: [cleanUpIdentity],
  async seed(ctx, config) {
    await checkOpenIdProviders(config);
    await rememberKey(ctx, config);
  },
  views: new URL("./views.sql", import.meta.url),
};
