import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { iconMarks } from "./icon-marks.ts";
import { routeFiles } from "./route-files.ts";
import manifest from "./package.json" with { type: "json" };

const repository = resolve(import.meta.dirname, "../..");

/** The files that lie directly in one of these folders. */
function inFolders(...folders: string[]) {
  for (const folder of folders) {
    if (!existsSync(join(repository, folder))) throw new Error(`${folder} is no folder any more.`);
  }
  return (file: string) => folders.includes(relative(repository, dirname(file)));
}

/** A room is a folder of a feature, at any depth. */
function roomOf(file: string): string | null {
  const folder = relative(join(import.meta.dirname, "src/features"), dirname(file)).split(sep);
  return folder.length < 2 || folder[0] === ".." ? null : folder.join("-");
}

const server = `http://127.0.0.1:${process.env.PORT ?? "3100"}`;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), iconMarks(), routeFiles()],
  // React has had this store hook itself since version 18: the stand-in for older ones is not needed.
  resolve: {
    alias: {
      "use-sync-external-store/shim/with-selector": "use-sync-external-store/with-selector",
    },
  },
  define: { "import.meta.env.CONSOLE_VERSION": JSON.stringify(manifest.version) },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: addresses and no inline script.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The pages in front of the console are named whole by the server (route-files.ts): their lists would be bytes only.
      resolveDependencies: (_file, files, { hostId, hostType }) =>
        hostType === "js" && /\/(base|index)-/.test(hostId) ? [] : files,
    },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A folder is a chunk: with all that its files import, unless an earlier group has it. What is fetched only
          // when it is asked for lies in a folder of its own.
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 6 },
            {
              name: "tanstack",
              test: /node_modules\/@tanstack\/[\w-]*(router|query|store|history)[\w-]*\//,
              priority: 6,
            },
            { name: "zod", test: /node_modules\/zod\//, priority: 6 },
            // In front of the console, and in it: the sign-in has a budget of its own.
            {
              name: "base",
              test: inFolders(
                "apps/console/src/app/front",
                "apps/console/src/features/identity/front",
              ),
              priority: 5,
            },
            { name: "shell", test: inFolders("apps/console/src/app"), priority: 4 },
            { name: "parts", test: inFolders("packages/ui/src"), priority: 3 },
            { name: "list", test: inFolders("packages/ui/src/data-table"), priority: 2 },
            // Rooms share much with others, which must not bring a whole room to them.
            {
              name: roomOf,
              debugName: "rooms",
              priority: 1,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": { target: server, changeOrigin: true } } },
  preview: { proxy: { "/api": { target: server, changeOrigin: true } } },
});
