import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { inFolders, rooms } from "./chunks.ts";
import { iconMarks } from "./icon-marks.ts";
import { routeFiles } from "./route-files.ts";
import manifest from "./package.json" with { type: "json" };

const { plugin: watchRooms, roomOf } = rooms();
const isSmallPart = inFolders("packages/ui/src");
/** What nearly every page needs: in files of their own, they would cost most pages more than they cost the few others. */
const ofNearlyAll =
  /(\/console\/src\/lib\/(url-state|use-debounced|use-search-key|paged-view)\.ts|\/lucide-react\/dist\/esm\/icons\/(clock|sliders-horizontal)\.m?js)$/;
/** What is said of health: pages that need it show nothing else of the catalog's parts. */
const ofSeveral = /\/contract\/src\/health-words\.ts$/;
const isOfCatalog = inFolders("apps/console/src/features/catalog/shared");
/** The icons of insights (catalog/figures/insight-looks.ts): what is shown of an item needs all of them. */
const insightIcons =
  /\/lucide-react\/dist\/esm\/icons\/(circle-dollar-sign|circle-question-mark|gauge|life-buoy|lightbulb|scale|wrench)\.m?js$/;
/** A button that adds, and its sign. */
const createButton =
  /(\/console\/src\/lib\/CreateButton\.tsx|\/lucide-react\/dist\/esm\/icons\/plus\.m?js)$/;
/** A range of time, and what shows which it is; what chooses another is fetched when it is asked for. */
const timeRange = /\/ui\/src\/time-range\/(time-range\.ts|TimeRangePicker\.tsx)$/;
const catalogWords =
  /(\/contract\/src\/catalog(-answers)?\.ts|\/catalog\/search\/must-be-readable\.ts)$/;
const changeList =
  /\/catalog\/changes\/(Author|ChangeFilters|ChangeList|ChangeTimeline|bursts|columns|queries|saved-views|search-body|view)\.tsx?$/;
const savedViews =
  /\/console\/src\/lib\/saved-views\/(ViewsMenu\.tsx|use-default-view\.ts|queries\.ts)$/;
const server = `http://127.0.0.1:${process.env.PORT ?? "3100"}`;

/** Looks for the `require` of other programs, for which every page would load a stand-in. There is none in a browser. */
const withoutRequire: Plugin = {
  name: "without-require",
  transform: {
    filter: { id: /elkjs\/lib\/elk-api\.js$/ },
    handler: (code) => code.replaceAll("typeof require", '"undefined"'),
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), iconMarks(), withoutRequire, watchRooms, routeFiles()],
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
      // A first visit is told by the server what its page needs (route-files.ts). The lists of all pages would cost each of
      // them 3 kB, so that a page that is opened from another one finds its parts a moment later.
      resolveDependencies: (_file, files, { hostId, hostType }) =>
        hostType === "js" && /\/(base|index|shell)-/.test(hostId)
          ? files.filter((file) => file.endsWith(".css"))
          : files,
    },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A folder is a chunk: with all that its files import, unless an earlier group has it. What is fetched only
          // when it is asked for lies in another folder.
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
            {
              name: "parts",
              test: (file) => isSmallPart(file) || ofSeveral.test(file) || ofNearlyAll.test(file),
              priority: 3,
            },
            { name: "list", test: inFolders("packages/ui/src/data-table"), priority: 2 },
            // What all pages of the catalog show, in one file: a dozen small ones would cost each page a kilobyte more.
            {
              name: "catalog-parts",
              test: (file) => isOfCatalog(file) || catalogWords.test(file),
              priority: 2,
            },
            { name: "insight-icons", test: insightIcons, priority: 2 },
            { name: "create", test: createButton, priority: 2 },
            {
              name: "time-range",
              test: timeRange,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            // What both lists of changes are made of, that of everything and that of one item.
            {
              name: "catalog-changes",
              test: changeList,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            // What offers them; what they are is fetched when it is asked for.
            { name: "saved-views", test: savedViews, priority: 2 },
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
