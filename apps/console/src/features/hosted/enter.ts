import { frontPageAt } from "#features/identity/index.ts";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { request } from "#lib/api.ts";
import type { HostedMode } from "#lib/auth-mode.ts";
import { enterHosted } from "#lib/hosted.ts";
import { patterns, safeReturnTo } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { type Attempt, keepAttempt, takeAttempt } from "./attempt.ts";
import { makeSwitcher } from "./OrganizationSwitcher.tsx";
import {
  chooseOrganization,
  chosenOrganization,
  currentOrganization,
  listedOrganizations,
  type Organization,
} from "./organizations.ts";
import {
  newAttempt,
  openProvider,
  type Provider,
  ProviderRefusal,
  type SignedIn,
  type Tokens,
} from "./provider.ts";
import { checkBackend, createSession, type HostedSession } from "./session.ts";

/** How far the way into the console has come. */
export type Step =
  /** The browser is about to leave for the provider. */
  | { kind: "leaving" }
  | { kind: "open" }
  | { kind: "signedOut" }
  | { kind: "sessionError" }
  | { kind: "choose"; organizations: readonly Organization[] }
  /** The organization's server is being set up; `again` asks whether it is there. */
  | { kind: "provisioning"; again: () => Promise<Step> }
  | Failure;

export interface Failure {
  kind: "failed";
  title: string;
  message: string;
  /** Asks the same once more, where that may help. */
  again?: () => Promise<Step>;
  /** Somebody is signed in at the provider, and can sign out. */
  signOut?: () => Promise<void>;
}

const pathOf = () => window.location.pathname.replace(/(?<=.)\/+$/, "");

/** Addresses that are steps of the way in themselves. */
const isStep = (path: string): boolean =>
  ["/signed-in", "/signed-out", "/organizations/orgs-switched"].includes(path) ||
  frontPageAt(path) !== undefined;

/** A page of the console, which the way in does not lead back into. */
function pageToReturnTo(text: string | null | undefined): string {
  const to = safeReturnTo(text);
  return isStep(to.split(/[?#]/, 1)[0]!) ? "/" : to;
}

function wantedPage(): string {
  if (isStep(pathOf())) return pageToReturnTo(parseSearch(window.location.search).return_to);
  const { pathname, search, hash } = window.location;
  return pageToReturnTo(`${pathname}${search}${hash}`);
}

/** From the page that was loaded to the console, by way of the provider. */
export async function enter(mode: HostedMode): Promise<Step> {
  const again = () => enter(mode);
  try {
    switch (pathOf()) {
      case "/signed-out":
        return { kind: "signedOut" };
      case patterns.sessionError:
        return { kind: "sessionError" };
      case "/signed-in":
        return await comeBack(mode);
      case "/organizations/orgs-switched":
        return await leave(mode, "/", chosenOrganization());
      default:
        return await leave(mode, wantedPage(), chosenOrganization() ?? mode.organization);
    }
  } catch (error) {
    return failed("You could not be signed in", error, { again });
  }
}

/** Begins anew, for an organization or, without one, for whichever is chosen then. */
export async function signInAgain(mode: HostedMode, organization?: string): Promise<Step> {
  chooseOrganization(organization ?? null);
  try {
    return await leave(mode, wantedPage(), organization);
  } catch (error) {
    return failed("You could not be signed in", error, {
      again: () => signInAgain(mode, organization),
    });
  }
}

async function leave(
  mode: HostedMode,
  returnTo: string,
  organization: string | undefined,
): Promise<Step> {
  const provider = await openProvider(mode);
  const attempt = newAttempt({
    returnTo,
    ...(organization === undefined ? { chooses: true } : { organization }),
  });
  const address = await provider.signInAddress(attempt);
  keepAttempt(attempt);
  window.location.replace(address);
  return { kind: "leaving" };
}

function failed(title: string, error: unknown, ways: Partial<Failure> = {}): Failure {
  const isAway = error instanceof TypeError || (error as Error).name === "TimeoutError";
  const message = isAway
    ? "The sign-in provider cannot be reached at the moment. Please try again."
    : messageOf(error);
  return { kind: "failed", title, message, ...ways };
}

/** The provider sent the browser back. */
async function comeBack(mode: HostedMode): Promise<Step> {
  const back = new URL(window.location.href);
  const attempt = takeAttempt();
  const returnTo = pageToReturnTo(attempt?.returnTo);
  // What the address brought is of use once; what is shown from here on is the page that was wanted.
  window.history.replaceState(null, "", returnTo);
  const title = "You could not be signed in";
  if (!attempt || back.searchParams.get("state") !== attempt.state) {
    return failed(
      title,
      new Error(
        "This answer of the sign-in provider belongs to no sign-in that was begun in this window. Nobody was signed in.",
      ),
      { again: () => enter(mode) },
    );
  }
  let provider: Provider;
  let signedIn: SignedIn;
  try {
    provider = await openProvider(mode);
    signedIn = await provider.finish(back, attempt);
  } catch (error) {
    const asked = attempt.organization;
    // The organization that was asked for may be what the provider refuses: then another one can be chosen.
    const again =
      error instanceof ProviderRefusal && asked !== undefined
        ? () => signInAgain(mode)
        : () => enter(mode);
    return failed(title, error, { again });
  }
  return goOn(mode, provider, signedIn, attempt);
}

async function goOn(
  mode: HostedMode,
  provider: Provider,
  signedIn: SignedIn,
  attempt: Attempt,
): Promise<Step> {
  const claims = await allClaims(provider, signedIn);
  const organization = currentOrganization(claims);
  const listed = listedOrganizations(claims);
  const several = listed !== undefined && listed.length > 1;
  if (!organization) {
    // A provider that was asked for this very organization would be asked in circles.
    const only = listed?.length === 1 ? listed[0] : undefined;
    if (only && attempt.organization !== only.id) return signInAgain(mode, only.id);
    return { kind: "choose", organizations: listed ?? [] };
  }
  if (attempt.chooses && several) return { kind: "choose", organizations: listed };
  chooseOrganization(organization.id);
  return ask(mode, provider, { ...signedIn, claims }, organization);
}

/** With what the provider tells on request, where the token does not say it all. */
async function allClaims(provider: Provider, signedIn: SignedIn): Promise<Record<string, unknown>> {
  if (listedOrganizations(signedIn.claims)) return signedIn.claims;
  // A provider that tells no more is one without a list: the token's own organization is enough to go on.
  return provider.readClaims(signedIn).catch(() => signedIn.claims);
}

/** Asks the server of the organization who is there. */
async function ask(
  mode: HostedMode,
  provider: Provider,
  signedIn: SignedIn,
  organization: Organization,
): Promise<Step> {
  const listed = listedOrganizations(signedIn.claims);
  const isHere = organization.id === mode.organization;
  const isListed = listed?.some(({ id }) => id === organization.id) ?? false;
  if (!isHere && isListed && organization.backendUrl === undefined) {
    const again = async () => {
      const claims = await provider.readClaims(signedIn).catch(() => signedIn.claims);
      const now = listedOrganizations(claims)?.find(({ id }) => id === organization.id);
      return ask(mode, provider, { ...signedIn, claims }, now ?? organization);
    };
    return { kind: "provisioning", again };
  }
  let session: HostedSession;
  const isElsewhere = !isHere && organization.backendUrl !== undefined;
  try {
    const backendUrl = isElsewhere ? checkBackend(organization) : undefined;
    session = createSession({ provider, tokens: signedIn, backendUrl });
  } catch (error) {
    return failed("This organization cannot be opened", error, {
      signOut: () => signOut(provider, () => signedIn),
    });
  }
  const leaveForGood = () => signOut(provider, session.tokens);
  enterHosted({
    ...session,
    signOut: leaveForGood,
    OrganizationSwitcher: makeSwitcher({
      current: organization,
      organizations: listed ?? [organization],
      ...(mode.new_organization ? { newAddress: mode.new_organization } : {}),
    }),
  });
  const again = () => check(session, isElsewhere, again, leaveForGood);
  return again();
}

async function check(
  session: HostedSession,
  isElsewhere: boolean,
  again: () => Promise<Step>,
  leaveForGood: () => Promise<void>,
): Promise<Step> {
  try {
    await request("/api/auth/whoami", { onSignedOut: "reject", timeoutMs: 15_000 });
    return { kind: "open" };
  } catch (error) {
    const status = error instanceof ApiError ? error.status : -1;
    // What stands before another address's server while there is none answers without leave to be read: for a page that
    // is no answer.
    const isSilent = status === 0 && isElsewhere && navigator.onLine;
    if (status === 404 || status >= 500 || isSilent) return { kind: "provisioning", again };
    const title =
      status === 401
        ? "The server did not accept your sign-in"
        : status === 403
          ? "You cannot use this server"
          : "The console could not start";
    return { kind: "failed", title, message: messageOf(error), again, signOut: leaveForGood };
  }
}

/** Ends the session here and at the provider; after the next sign-in the same page is there again. */
async function signOut(provider: Provider, tokens: () => Tokens): Promise<void> {
  const now = tokens();
  const { pathname, search } = window.location;
  const returnTo = pageToReturnTo(`${pathname}${search}`);
  // The session at the provider ends in any case, and with it what this would have ended.
  await provider.revoke(now).catch(() => undefined);
  enterHosted(undefined);
  window.location.assign(
    provider.signOutAddress(now, returnTo) ??
      `/signed-out?${new URLSearchParams({ state: returnTo }).toString()}`,
  );
}

/** The same for whoever this page knows nothing about. */
export async function signOutAnyway(mode: HostedMode): Promise<Step> {
  try {
    await signOut(await openProvider(mode), () => ({ bearer: "" }));
    return { kind: "leaving" };
  } catch (error) {
    return failed("You could not be signed out", error, { again: () => signOutAnyway(mode) });
  }
}

/** Where the sign-in after a sign-out leads. */
export const pageBeforeSignOut = (): string =>
  pageToReturnTo(parseSearch(window.location.search).state);
