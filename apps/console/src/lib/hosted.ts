import type { ComponentType } from "react";

/** How the server is asked where people sign in with a provider that knows organizations. */
export interface Hosted {
  /** Where the server of the chosen organization has what `path` (`/api/…`) names. */
  addressOf: (path: string) => string;
  /** Says who asks; renewed before it ends, as far as the provider allows. */
  token: () => Promise<string>;
  /** The server refused this token: another one, or nothing when there is none to be had. */
  renew: (refused: string) => Promise<string | undefined>;
  /** `EventSource`, which cannot send a token itself. */
  openEvents: (path: string) => EventSource;
  /** Leaves for the provider. */
  signOut: () => Promise<void>;
  /** In the top bar. */
  OrganizationSwitcher: ComponentType;
}

let entered: Hosted | undefined;

/** Nothing where the server signs people in itself, or lets a service beside it do so. */
export const hosted = (): Hosted | undefined => entered;

export function enterHosted(next: Hosted | undefined): void {
  entered = next;
}
