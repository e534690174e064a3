import type { AnyRouter } from "@tanstack/react-router";

let left: string | undefined;

/** Remembers which page was left last, with all that its address says. */
export function followPages(router: AnyRouter): void {
  router.subscribe("onBeforeNavigate", ({ fromLocation, pathChanged }) => {
    if (pathChanged && fromLocation) left = fromLocation.href;
  });
}

/** Where somebody came from, when it is one of these pages; else the first of them. */
export function cameFrom(pages: readonly [string, ...string[]]): string {
  const path = left?.split("?", 1)[0];
  return left !== undefined && pages.some((page) => page === path) ? left : pages[0];
}
