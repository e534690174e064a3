import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Page } from "playwright-core";

const root = join(import.meta.dirname, "../../..");

/** What a build knows of one of its files: Vite's manifest, as far as it is read here. */
export interface BuiltFile {
  file: string;
  src?: string;
  isDynamicEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}

export interface BuiltConsole {
  folder: string;
  manifest: Record<string, BuiltFile>;
}

/** The console as it is in development, with the gallery, or as it is delivered; built when its sources have changed. */
export function builtConsole(mode: "development" | "production"): BuiltConsole {
  execFileSync(process.execPath, [join(root, "scripts/build-console.mjs"), "gallery"], {
    cwd: root,
    // Tests run in a mode of their own, in which libraries are built with all their checks.
    env: { ...process.env, NODE_ENV: "production" },
  });
  const cache = join(root, "apps/console/.cache");
  const [folder, manifest] =
    mode === "development"
      ? [join(cache, "gallery"), join(cache, "gallery/manifest.json")]
      : [join(root, "apps/console/dist"), join(cache, "console.json")];
  return {
    folder,
    manifest: JSON.parse(readFileSync(manifest, "utf8")) as BuiltConsole["manifest"],
  };
}

const mediaTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The policy under which the server delivers the console: what breaks it is an error of the page. */
const policy =
  "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'; img-src 'self' data:";

export interface ServedFolder {
  address: string;
  close(): Promise<void>;
}

/** Delivers a built console under the server's policy; every address that is no file is its page. */
export async function serveConsole(folder: string): Promise<ServedFolder> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const type = mediaTypes[extname(path)];
    const file = join(folder, type === undefined ? "index.html" : path);
    if (!file.startsWith(folder) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": type ?? "text/html; charset=utf-8",
      "content-security-policy": policy,
    });
    createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Waits for a part, and for what it loads when it is shown. */
export async function partShown(page: Page): Promise<void> {
  await page.locator("[data-show]").first().waitFor();
  // The script of a worker never ends to load for whoever waits for the network: a graph is there when its cards are.
  if (new URL(page.url()).searchParams.get("part") === "graphs")
    await page.locator(".graph-card").first().waitFor();
  else await page.waitForLoadState("networkidle");
}
