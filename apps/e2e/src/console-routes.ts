import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const dist = join(root, "apps/console/dist");

/** A route of the console, as its build lists them all (apps/console/route-files.ts). */
export interface ConsoleRoute {
  /** `/settings/teams/$teamId`; `$` is any address that is no page. */
  path: string;
  access: "public" | "session";
  /** The scripts that its first visit needs. */
  files: string[];
}

/** Builds the console if its sources changed, and reads its route table. */
export function readRoutes(): ConsoleRoute[] {
  execFileSync(process.execPath, [join(root, "scripts/build-console.mjs")], {
    cwd: root,
    // Tests run in a mode of their own, in which libraries are built with all their checks.
    env: { ...process.env, NODE_ENV: "production" },
  });
  const routes = JSON.parse(readFileSync(join(dist, "routes.json"), "utf8")) as ConsoleRoute[];
  if (routes.length < 10) throw new Error(`The console has only ${routes.length} routes.`);
  return routes;
}

/**
 * Bytes of script over the wire, gzip, for the first visit: whoever signs in waits for less, and what lists are made of
 * may cost something (decision 5).
 */
export function budgetOf({ access, path, files }: ConsoleRoute): number {
  if (access === "public" && path !== "/error") return 80_100;
  // Cards with their marks, properties and filters, and beside one component what other features know of it.
  if (path === "/" || /^\/(view\/)?topology\b/.test(path)) return 167_000;
  // Its rows are made here, of answers that hold every check; on a phone there is a bar in place of the header.
  if (path === "/health") return 171_300;
  if (files.some((file) => file.startsWith("assets/list-"))) return 170_000;
  // A document, as a form and as text, with its history and what it makes.
  return files.some((file) => file.startsWith("assets/EditorPage-")) ? 152_000 : 150_000;
}

/** One of the built files, as it is sent. */
export const readBuilt = (file: string): Buffer => readFileSync(join(dist, file));

/** What the addresses of routes need: `{ $teamId: "0190…" }`. */
export type Parts = Readonly<Record<`$${string}`, string>>;

/** Addresses that a route is opened at where its bare path would show an error on purpose or nothing. */
const special: Readonly<Record<string, string>> = {
  $: "/nowhere/at/all",
  "/error": "/error?id=00000000-0000-0000-0000-000000000000",
  "/session-error": "/session-error?error_code=BAD_SESSION",
  "/health": "/health?hidePassing=false&groupBy=none",
};

export function addressOf({ path }: Pick<ConsoleRoute, "path">, parts: Parts): string {
  const address =
    special[path] ?? path.replaceAll(/\$\w+/g, (name) => parts[name as `$${string}`] ?? name);
  if (address.includes("$"))
    throw new Error(`${path}: say in fillServer what stands for ${/\$\w+/.exec(address)?.[0]}.`);
  return address;
}
