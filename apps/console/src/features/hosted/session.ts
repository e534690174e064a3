import { EventSource as TokenEventSource } from "eventsource";
import type { Hosted } from "#lib/hosted.ts";
import type { Organization } from "./organizations.ts";
import { type Provider, ProviderRefusal, type Tokens } from "./provider.ts";

export interface SessionParts {
  provider: Provider;
  tokens: Tokens;
  /** Where the chosen organization's server is; nothing for the one that this page is from. */
  backendUrl: string | undefined;
}

export type HostedSession = Pick<Hosted, "addressOf" | "token" | "renew" | "openEvents"> & {
  /** As they are now. */
  tokens(): Tokens;
};

/** Tokens live here, in memory, and nowhere else: loading the page anew asks the provider for new ones. */
export function createSession({ provider, tokens, backendUrl }: SessionParts): HostedSession {
  let current = tokens;
  let renewal: Promise<boolean> | undefined;

  /** Once for all who ask at the same time; whether it brought anything. */
  const renewNow = (): Promise<boolean> =>
    (renewal ??= (async () => {
      if (current.refreshToken === undefined) return false;
      try {
        current = await provider.refresh(current);
        return true;
      } catch (error) {
        // The server is asked with what there is and refuses it when it has ended; that leads to a new sign-in. What
        // the provider refused once it refuses always.
        if (error instanceof ProviderRefusal) {
          const { refreshToken: _refused, ...rest } = current;
          current = rest;
        }
        return false;
      } finally {
        renewal = undefined;
      }
    })());

  const token = async (): Promise<string> => {
    if (current.renewAt !== undefined && current.renewAt <= Date.now()) await renewNow();
    return current.bearer;
  };

  const addressOf = (path: string): string =>
    backendUrl === undefined
      ? path
      : `${backendUrl.replace(/\/+$/, "")}${path.replace(/^\/api(?=\/|$)/, "")}`;

  return {
    tokens: () => current,
    addressOf,
    token,
    async renew(refused) {
      // Somebody else has renewed it meanwhile.
      if (current.bearer !== refused) return current.bearer;
      return (await renewNow()) ? current.bearer : undefined;
    },
    openEvents(path) {
      const address = new URL(addressOf(path), window.location.href);
      return new TokenEventSource(address, {
        fetch: async (url, init) =>
          fetch(url, {
            ...init,
            credentials: "omit",
            headers: { ...init.headers, Authorization: `Bearer ${await token()}` },
          }),
      });
    },
  };
}

/**
 * The server of an organization. It comes from the provider, by way of its signed word; still, no token is sent in the
 * clear but to this machine.
 */
export function checkBackend({ name, backendUrl }: Organization): string | undefined {
  if (backendUrl === undefined) return undefined;
  const url = URL.parse(backendUrl);
  const isSafe =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname));
  if (!url || !isSafe || url.username || url.password || url.search || url.hash)
    throw new Error(`The address of the server of ${name} is not one that can be asked.`);
  return url.href;
}
