import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** A year: the names of built files carry a hash of their content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

export type Page = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Serves the built console: hashed files from `assets/` for ever, as they were compressed at build time. Returns what
 * answers every other address that is not an API: the one page of the console.
 */
export async function serveConsole(app: FastifyInstance, directory: string): Promise<Page> {
  if (!existsSync(join(directory, "index.html"))) {
    return (_request, reply) =>
      reply
        .status(503)
        .type("text/plain")
        .send("The console has not been built. Run `npm run build` and start again.");
  }
  await app.register(fastifyStatic, {
    root: directory,
    preCompressed: true,
    cacheControl: false,
    index: false,
    setHeaders: (reply, path) => {
      void reply.header("cache-control", path.includes("/assets/") ? IMMUTABLE : "no-cache");
    },
  });
  const scriptsOf = readScripts(directory);
  const page: Page = (request, reply) => {
    const link = scriptsOf(pathOf(request));
    return (link === undefined ? reply : reply.header("link", link)).sendFile("index.html");
  };
  app.get("/", page);
  return page;
}

const pathOf = (request: FastifyRequest): string => request.url.split("?", 1)[0]!;

/**
 * The `Link` header for an address of the console: the scripts that its first visit needs, as the build wrote them down
 * (`routes.json`). A browser then fetches all of them at once instead of finding one after the other.
 */
function readScripts(directory: string): (path: string) => string | undefined {
  const file = join(directory, "routes.json");
  if (!existsSync(file)) return () => undefined;
  const routes = JSON.parse(readFileSync(file, "utf8")) as { path: string; files: string[] }[];
  const links = routes.map(({ path, files }) => ({
    segments: path.split("/"),
    link: files.map((name) => `</${name}>; rel=modulepreload`).join(", "),
  }));
  const elsewhere = links.find(({ segments }) => segments[0] === "$")?.link;
  return (path) => {
    const asked = path.replace(/(?<=.)\/+$/, "").split("/");
    const found = links.find(
      ({ segments }) =>
        segments.length === asked.length &&
        segments.every((segment, at) => segment === asked[at] || /^\$./.test(segment)),
    );
    return found?.link ?? elsewhere;
  };
}

/** Whether an unknown address is a page of the console, and not a mistyped API call or file. */
export function isPage(request: FastifyRequest): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const path = pathOf(request);
  return !/^\/(api|assets|metrics)(\/|$)/.test(path) && !/\.\w{2,5}$/.test(path);
}
