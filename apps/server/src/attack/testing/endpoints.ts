import { features } from "../../features.ts";
import type { TestApp } from "../../testing/app.ts";

/** One address that the server answers, ready to be asked. */
export interface Asked {
  method: string;
  /** With `:id` and the like. */
  route: string;
  /** The same, filled in: everything names something that does not exist. */
  path: string;
  /** Whether it answers who is nobody. */
  isOpen: boolean;
  /** Whether it only tells. */
  isReading: boolean;
}

export const NO_ID = "00000000-0000-0000-0000-0000000000ff";

/** Values for the parameters of paths that must have a shape for more of the route to be reached. */
const parameters: Readonly<Record<string, string>> = {
  ":file": "canary.schema.json",
  ":token": "no-such-token-0123456789",
  ":provider": "nobody",
};

/** What is registered beside the features' routes. */
const system = ["/api/_health", "/api/_ready", "/metrics"];

export const tables = features.flatMap(({ tables: own = [] }) => own);

/** Every address of the server: a route that is new is among them by itself, and so is a table. */
export function endpointsOf({ app }: TestApp): Asked[] {
  const asked = (method: string, route: string, isOpen: boolean, path = fill(route)): Asked => ({
    method,
    route,
    path,
    isOpen,
    isReading: method === "GET",
  });
  const rows = ["GET", "POST", "PATCH", "PUT", "DELETE"].flatMap((method) =>
    tables.map(({ name, writable }) =>
      asked(
        method,
        `/api/db/${name}`,
        false,
        `/api/db/${name}${method === "POST" ? "" : `?id=eq.${NO_ID}${writable ? "" : "&limit=1"}`}`,
      ),
    ),
  );
  return [
    ...app.routes.map(({ method, url, access }) => asked(method, url, access === "public")),
    ...system.map((route) => asked("GET", route, true)),
    asked("GET", "/api/db/", false),
    ...rows,
  ];
}

/** The routes as the HTTP library knows them: what `endpointsOf` must cover. */
export function countRoutes({ app }: TestApp): { known: number; walked: number } {
  const printed = app.fastify.printRoutes({ commonPrefix: false });
  const known = [...printed.matchAll(/\(([A-Z, ]+)\)$/gm)].flatMap(([, methods]) =>
    methods!.split(", ").filter((method) => method !== "HEAD" && method !== "OPTIONS"),
  ).length;
  // The rows have one route for five methods, and their description one.
  return { known, walked: app.routes.length + system.length + 1 + 5 };
}

const fill = (route: string): string =>
  route.replaceAll(/:\w+/g, (name) => parameters[name] ?? NO_ID).replaceAll("*", "x");
