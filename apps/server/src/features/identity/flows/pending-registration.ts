import type { Exchange } from "./exchange.ts";
import type { Flow } from "./flow.ts";
import type { RegistrationDone } from "./method.ts";

/** What somebody has signed up with, while the code that proves their address is on its way. */
type Pending = Pick<RegistrationDone, "traits" | "credentials" | "method" | "provider">;

const place = (flow: Flow) => `registration ${flow.id}`;

export function keepRegistration(
  { encryption }: Exchange,
  flow: Flow,
  { traits, credentials, method, provider }: Pending,
): { registration: string } {
  const pending: Pending = {
    traits,
    credentials,
    ...(method ? { method } : {}),
    ...(provider ? { provider } : {}),
  };
  return { registration: encryption.encrypt(JSON.stringify(pending), place(flow)) };
}

export function keptRegistration({ encryption }: Exchange, flow: Flow): Pending {
  const kept = flow.state.kept.registration as string;
  return JSON.parse(encryption.decrypt(kept, place(flow))) as Pending;
}
