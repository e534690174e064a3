import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser, type Visit, visit } from "./browser.ts";

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
  remove(): void;
}

/** Builds the console into a folder of its own, as it is in development or as it is delivered. */
export async function buildConsole(mode: "development" | "production"): Promise<BuiltConsole> {
  const folder = mkdtempSync(`/tmp/mainstay-console-${mode}-`);
  const build = spawn(
    process.execPath,
    [
      join(root, "node_modules/vite/bin/vite.js"),
      "build",
      "apps/console",
      "--mode",
      mode,
      "--outDir",
      folder,
      "--manifest",
    ],
    { cwd: root, env: { ...process.env, NODE_ENV: mode }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let printed = "";
  for (const stream of [build.stdout, build.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const [code] = (await once(build, "close")) as [number | null];
  if (code !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`the console was not built (${mode}, ${code}):\n${printed}`);
  }
  const manifest = JSON.parse(
    readFileSync(join(folder, ".vite/manifest.json"), "utf8"),
  ) as BuiltConsole["manifest"];
  return { folder, manifest, remove: () => rmSync(folder, { recursive: true, force: true }) };
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

export interface Gallery {
  built: BuiltConsole;
  /** A part of the gallery in a fresh profile. */
  open(part: string, options?: Parameters<typeof visit>[2]): Promise<Page>;
  /** Ends what was opened; what went wrong in it. */
  closePages(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Every component in every state, in a browser. */
export async function startGallery(): Promise<Gallery> {
  const built = await buildConsole("development");
  const browser = await launchBrowser();
  const served = await serveConsole(built.folder);
  let visits: Visit[] = [];
  return {
    built,
    async open(part, options = {}) {
      const one = await visit(browser, served.address, options);
      visits.push(one);
      await one.page.goto(`/gallery?part=${part}`);
      await partShown(one.page);
      return one.page;
    },
    async closePages() {
      const problems = visits.flatMap((one) => one.problems);
      await Promise.all(visits.map(({ context }) => context.close()));
      visits = [];
      return problems;
    },
    async stop() {
      await browser.close();
      await served.close();
      built.remove();
    },
  };
}

/** Waits for a part, and for what it loads when it is shown. */
export async function partShown(page: Page): Promise<void> {
  await page.locator("[data-show]").first().waitFor();
  await page.waitForLoadState("networkidle");
}
