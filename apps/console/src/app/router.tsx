import type { QueryClient } from "@tanstack/react-query";
import {
  type createRootRoute as CreateRootRoute,
  type createRoute as CreateRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { BaseRootRoute, BaseRoute } from "@tanstack/router-core";
import { type ComponentType, useEffect } from "react";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { followPages } from "#lib/came-from.ts";
import type { Page } from "#lib/page.ts";
import { reachNow } from "#lib/reachable.ts";
import { parseSearch, stringifySearch } from "#lib/search-params.ts";
import type { Gate } from "#lib/use-access.ts";
import { Home } from "./Home.tsx";
import { moved, movedTo } from "./moved.ts";
import { pages } from "./navigation.ts";
import { NotFound } from "./NotFound.tsx";
import { Root } from "./Root.tsx";
import { PageError, RouteError } from "./RouteError.tsx";

const hasPage = (path: string) => pages.some((page) => page.path === path);

// The routes of react-router are those of its core with hooks and a link hung on each. Nothing here uses those
// (`AppLink`), and they are large: routes are made without them, and typed as if they were there.
const createRootRoute = ((options: never) =>
  new BaseRootRoute(options)) as unknown as typeof CreateRootRoute;
const createRoute = ((options: never) => new BaseRoute(options)) as unknown as typeof CreateRoute;

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

/** Everything that needs a session is drawn inside the shell, which is fetched with the first such page. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: lazyRouteComponent(() => import("./Shell.tsx"), "Shell"),
});

/** Pages in front of the console are not part of it: whoever comes to one from inside loads it. */
function LoadAnew() {
  useEffect(() => window.location.reload(), []);
  return null;
}

const againMs = 500;

/**
 * A page takes until the server answers: at a failure the router loads all anew, and nothing would be left where that
 * cannot be fetched either.
 */
function asComponent(page: Page) {
  const load = (): Promise<{ default: ComponentType }> =>
    page.load().then(
      (component) => ({ default: component }),
      (error: unknown) => {
        if (reachNow() === "reached") throw error;
        return new Promise((resolve) => setTimeout(resolve, againMs)).then(load);
      },
    );
  return lazyRouteComponent(load);
}

export function makeRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree: root.addChildren([
      ...pages
        .filter((page) => page.access === "public")
        .map((page) =>
          createRoute({
            getParentRoute: () => root,
            path: page.path,
            component: LoadAnew,
          }),
        ),
      ...moved
        .filter(({ to }) => hasPage(to))
        .flatMap((entry) =>
          [entry.from, ...(entry.andBelow ? [`${entry.from}/$`] : [])].map((path) =>
            createRoute({
              getParentRoute: () => root,
              path,
              beforeLoad: ({ location }) => {
                throw redirect({
                  href: `${movedTo(entry, location.pathname)}${location.searchStr}`,
                  replace: true,
                });
              },
            }),
          ),
        ),
      shell.addChildren([
        createRoute({ getParentRoute: () => shell, path: "/", component: Home }),
        ...pages
          .filter((page) => page.access === "session" && page.partOf === undefined)
          .map((page) => {
            const route = createRoute({
              getParentRoute: () => shell,
              path: page.path,
              component: asComponent(page),
              errorComponent: PageError,
              staticData: { page },
            });
            // The page stays as it is drawn, and reads from the address which of its parts it shows.
            const parts = pages
              .filter(({ partOf }) => partOf === page.path)
              .map((part) =>
                createRoute({
                  getParentRoute: () => route,
                  path: part.path.slice(page.path.length + 1),
                  staticData: { page: part },
                }),
              );
            return parts.length > 0 ? route.addChildren(parts) : route;
          }),
        // Inside the shell, so that a wrong address still offers every way on.
        createRoute({
          getParentRoute: () => shell,
          path: "$",
          component: NotFound,
          staticData: { page: { title: "Page not found" } },
        }),
      ]),
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
  followPages(router);
  return router;
}

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** What the browser's title says, and what is needed to see the page. */
    page?: Pick<Page, "title"> & Gate;
  }
}
