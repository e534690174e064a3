import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import type { Log } from "./log.ts";

/** What a service stands on: the program's own parts, never those of one request or of an open transaction. */
export interface ServiceParts {
  config: Config;
  db: Database;
  clock: Clock;
  log: Log;
}

/**
 * Something that a feature keeps for as long as the program runs: what it remembers, counts or holds open. It is made
 * once for each program, by whoever asks first, and every context carries the same one (`ctx.service(it)`): that of a
 * request, a job, or an event's handler whose database is a transaction.
 */
export interface Service<T> {
  readonly name: string;
  make(parts: ServiceParts & { service: ServiceOf }): T;
}

export const defineService = <T>(name: string, make: Service<T>["make"]): Service<T> => ({
  name,
  make,
});

/** The services of one program. */
export type ServiceOf = <T>(service: Service<T>) => T;

export function createServices(parts: ServiceParts): ServiceOf {
  const made = new Map<Service<unknown>, unknown>();
  const serviceOf = <T>(service: Service<T>): T => {
    if (!made.has(service)) made.set(service, service.make({ ...parts, service: serviceOf }));
    // What stands there was made by this very service.
    return made.get(service) as T;
  };
  return serviceOf;
}
