import { features } from "../../features.ts";
import type { TestApp } from "../../testing/app.ts";

/** One address that the server answers, ready to be asked. */
export interface Asked {
  method: string;
  /** With `:id` and the like. */
  route: string;
  /** The same, filled in: everything names something that does not exist. */
  path: string;
  /** The names in its query, as far as its schema says. */
  query: readonly string[];
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
  const asked = (
    method: string,
    route: string,
    isOpen: boolean,
    { path = fill(route), query = [] }: Partial<Pick<Asked, "path" | "query">> = {},
  ): Asked => ({
    method,
    route,
    path,
    query,
    isOpen,
    isReading: method === "GET",
  });
  const rows = ["GET", "POST", "PATCH", "PUT", "DELETE"].flatMap((method) =>
    tables.map(({ name }) =>
      asked(method, `/api/db/${name}`, false, {
        path: `/api/db/${name}${method === "POST" ? "" : `?id=eq.${NO_ID}`}`,
      }),
    ),
  );
  return [
    ...app.routes.map(({ method, url, access, query }) =>
      asked(method, url, access === "public", { query }),
    ),
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
