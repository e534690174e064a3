import type { Plugin, Rolldown } from "vite";
import { patterns } from "./src/lib/paths.ts";

/** A route of the console and the scripts that its first visit needs, as `routes.json` tells. */
export interface RouteFiles {
  /** As in the route table: `/settings/teams/$teamId`; `$` is any other address. */
  path: string;
  access: "public" | "session";
  files: string[];
}

interface Found {
  path: string;
  access: RouteFiles["access"];
  module: string;
}

interface Node {
  type: string;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value;

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) yield* walk(child);
  }
}

/** The entries `{ path: patterns.…, access: "…", load: () => import("…") }` of a feature's list of pages. */
function pagesIn(program: Node): Found[] {
  return [...walk(program)].flatMap((node) => {
    if (node.type !== "ObjectExpression") return [];
    const values = new Map(
      (node["properties"] as Node[]).flatMap((property) =>
        property.type === "Property"
          ? [[(property["key"] as { name?: string }).name, property["value"] as Node] as const]
          : [],
      ),
    );
    const load = values.get("load");
    const access = values.get("access")?.["value"];
    // `patterns.team`: addresses stand in lib/paths.ts.
    const name = (values.get("path")?.["property"] as { name?: string } | undefined)?.name ?? "";
    const path = Object.entries(patterns).find(([known]) => known === name)?.[1];
    if (!load || (access === undefined && path === undefined)) return [];
    if (access !== "public" && access !== "session")
      throw new Error(
        `The page ${path ?? ""} writes its access out, or it is missing from routes.json.`,
      );
    if (path === undefined)
      throw new Error("The path of a page is one of `patterns` (lib/paths.ts).");
    const loaded = [...walk(load)].find(({ type }) => type === "ImportExpression");
    const module = (loaded?.["source"] as { value?: unknown } | undefined)?.value;
    return typeof module === "string" ? [{ path, access, module }] : [];
  });
}

/**
 * Writes `routes.json` beside the page: every route with the scripts that its first visit needs. The server names them
 * in the answer's `Link` header, so that a browser fetches all of them at once instead of finding one after the other.
 */
export function routeFiles(): Plugin {
  let pages: Found[] = [];
  return {
    name: "route-files",
    apply: "build",
    buildStart() {
      pages = [];
    },
    async transform(code, id) {
      if (!/console\/src\/features\/.+\.ts$/.test(id) || !code.includes("load:")) return;
      for (const page of pagesIn(this.parse(code) as unknown as Node)) {
        const module = await this.resolve(page.module, id);
        if (!module) this.error(`${id} loads ${page.module} for ${page.path}, which is not there`);
        pages.push({ ...page, module: module.id });
      }
    },
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const chunkOf = (name: string): Rolldown.OutputChunk => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(name) === true);
        return chunk ?? this.error(`${name} has no chunk of its own`);
      };
      const closure = (starts: Rolldown.OutputChunk[]): string[] => {
        const seen = new Set<string>();
        const add = (name: string) => {
          const chunk = bundle[name];
          if (seen.has(name) || chunk?.type !== "chunk") return;
          seen.add(name);
          chunk.imports.forEach(add);
        };
        starts.forEach(({ fileName }) => add(fileName));
        return [...seen];
      };
      const entry = chunkOf("/index.html");
      const shell = [entry, chunkOf("/app/Console.tsx"), chunkOf("/app/Shell.tsx")];
      const startPage = () => {
        const start = [patterns.topology, patterns.health].flatMap((path) =>
          pages.filter((page) => page.path === path),
        )[0];
        return start?.module ?? this.error("neither /topology nor /health is a page");
      };
      const routes: RouteFiles[] = [
        ...pages.map(({ path, access, module }) => ({
          path,
          access,
          files: closure([...(access === "session" ? shell : [entry]), chunkOf(module)]),
        })),
        // It leads on to the first of these that there is (Home.tsx).
        {
          path: patterns.home,
          access: "session",
          files: closure([...shell, chunkOf(startPage())]),
        },
        { path: "$", access: "session", files: closure(shell) },
      ];
      this.emitFile({
        type: "asset",
        fileName: "routes.json",
        source: JSON.stringify(routes, undefined, 1),
      });
    },
  };
}
