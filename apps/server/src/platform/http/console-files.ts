import { existsSync } from "node:fs";
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
    wildcard: false,
    index: false,
    setHeaders: (reply, path) => {
      void reply.header("cache-control", path.includes("/assets/") ? IMMUTABLE : "no-cache");
    },
  });
  const page: Page = (_request, reply) => reply.sendFile("index.html");
  app.get("/", page);
  return page;
}

/** Whether an unknown address is a page of the console, and not a mistyped API call or file. */
export function isPage(request: FastifyRequest): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const path = request.url.split("?", 1)[0]!;
  return !/^\/(api|assets|metrics)(\/|$)/.test(path) && !/\.\w{2,5}$/.test(path);
}
