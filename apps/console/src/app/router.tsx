import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { features } from "../features.ts";
import { paths } from "#lib/paths.ts";
import type { Page } from "#lib/page.ts";
import { parseSearch, stringifySearch } from "#lib/search-params.ts";
import { NotFound } from "./NotFound.tsx";
import { Root } from "./Root.tsx";
import { RouteError } from "./RouteError.tsx";

const pages = features.flatMap((feature) => feature.pages);
const hasPage = (path: string) => pages.some((page) => page.path === path);

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

/** Everything that needs a session is drawn inside the shell, which is fetched with the first such page. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: lazyRouteComponent(() => import("./Shell.tsx"), "Shell"),
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    // Document 1, section 2: `/` is the topology. Until that page exists, the health page is where people start.
    throw redirect({
      href: hasPage(paths.topology()) ? paths.topology() : paths.health(),
      replace: true,
    });
  },
});

const asComponent = (page: Page) =>
  lazyRouteComponent(() => page.load().then((component) => ({ default: component })));

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      home,
      ...pages
        .filter((page) => page.access === "public")
        .map((page) =>
          createRoute({
            getParentRoute: () => root,
            path: page.path,
            component: asComponent(page),
            staticData: { page },
          }),
        ),
      shell.addChildren(
        pages
          .filter((page) => page.access === "session")
          .map((page) =>
            createRoute({
              getParentRoute: () => shell,
              path: page.path,
              component: asComponent(page),
              staticData: { page },
            }),
          ),
      ),
    ]),
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPendingMs: 50,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: RouteError,
    defaultPreload: false,
    scrollRestoration: false,
  });
}

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    page?: Page;
  }
}
