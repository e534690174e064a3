import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { iconMarks } from "./icon-marks.ts";
import { routeFiles } from "./route-files.ts";
import manifest from "./package.json" with { type: "json" };

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
          groups: [
            {
              name: "react",
              test: /node_modules\/(react|react-dom|scheduler)\//,
              priority: 5,
            },
            {
              name: "tanstack",
              test: /node_modules\/@tanstack\/((react-)?router|router-core|history|(react-)?query|query-core|(react-)?store)\//,
              priority: 4,
            },
            // Small pieces that every page needs, and those of the pages in front of the console: fewer, larger files
            // compress better, and the sign-in has a budget of its own.
            {
              name: "base",
              test: /(src\/lib\/(api|api-error|auth-mode|hosted|paths|search-params|theme)|src\/app\/FrontPage|identity\/(calls|front-pages|FrontDoor)|ui\/src\/(Button|class-names|browser-storage|toasts))\.tsx?$/,
              priority: 3,
            },
            {
              name: "flows",
              test: /identity\/(flow|flow-kinds|flow-failure|use-flow|Flow(Field|Form|Page))\.tsx?$/,
              priority: 3,
            },
            {
              name: "shell",
              test: /console\/src\/(app\/(Console|Home|NotFound|OfflineBanner|RouteError|Root|Shell|Sidebar|TopBar|UserMenu|moved|navigation|query-client|router|use-sidebar)|lib\/(about|AppLink|PageBar|db|live|use-access|use-page-key)|features\/(?!hosted\/)[\w-]+\/index|features\/identity\/(Unauthorized|start-up|use-sign-out))\.tsx?$|ui\/src\/(Age|Avatar|EmptyState|ErrorDisplay|Menu|NoInlineStyles|Skeletons|TooltipLayer|clock|density|duration|use-media-query)\.tsx?$/,
              priority: 2,
            },
            {
              name: "list",
              test: /ui\/src\/(Badge|Icon|Popover|Select|StatusDot|Tabs|use-window|data-table\/(DataTable|DataTableHeader|DataTableRow|column|use-column-state|ListTable|arrange-rows))\.tsx?$|console\/src\/lib\/(url-state|use-debounced|use-search-key)|lucide-react\/dist\/esm\/icons\/(search|plus|check)\.m?js$/,
              priority: 2,
            },
            // Of health, what its page shares with the page of one check.
            {
              name: "health-data",
              test: /features\/health\/(queries|server-time|health-range)\.ts$|contract\/src\/health\.ts$/,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            {
              name: "range",
              test: /ui\/src\/time-range\/(TimeRangePicker|time-range|recent-ranges)\.tsx?$|lucide-react\/dist\/esm\/icons\/clock\.m?js$/,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            {
              name: "health",
              test: /features\/health\/(HealthPage|HealthBar|HealthCounts|HealthFilters|HealthTable|health-(columns|rows|view)|LabelFilter|label-filters|check-state|check-type-icon|filter-checks|group-checks|use-health-rows|use-health-summary|StaleNotice)\.tsx?$|ui\/src\/(SplitBar|StatusStrip|Switch|TriStateToggle|RefreshRateSelect|refresh-rate)\.tsx?$|lucide-react\/dist\/esm\/icons\/(square-terminal|layout-grid|sliders-horizontal|table-2|container|network|radio|heart-pulse|plug|globe|folder|cylinder)\.m?js$/,
              priority: 1,
              // What it shares with other pages must not bring all of this to them.
              includeDependenciesRecursively: false,
            },
            { name: "zod", test: /node_modules\/zod\//, priority: 4 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": { target: server, changeOrigin: true } } },
  preview: { proxy: { "/api": { target: server, changeOrigin: true } } },
});
