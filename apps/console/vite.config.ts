import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import manifest from "./package.json" with { type: "json" };

const server = `http://127.0.0.1:${process.env.PORT ?? "3100"}`;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  define: { "import.meta.env.CONSOLE_VERSION": JSON.stringify(manifest.version) },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: addresses and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: "react",
              test: /node_modules\/(react|react-dom|scheduler)\//,
              priority: 3,
            },
            {
              name: "tanstack",
              test: /node_modules\/@tanstack\/((react-)?router|router-core|history|(react-)?query|query-core|(react-)?store)\//,
              priority: 2,
            },
            { name: "zod", test: /node_modules\/zod\//, priority: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": { target: server, changeOrigin: true } } },
  preview: { proxy: { "/api": { target: server, changeOrigin: true } } },
});
