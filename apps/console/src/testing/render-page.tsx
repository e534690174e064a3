import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState, type ComponentType } from "react";
import { ToastRegion } from "@mainstay/ui/popups/ToastRegion.tsx";
import { makeQueryClient } from "../app/query-client.ts";
import { followPages } from "../lib/came-from.ts";
import { type ConsoleDocumentKind, DocumentKindsContext } from "../lib/documents/document-kinds.ts";
import { PlacesContext } from "../lib/places/use-guests.ts";
import type { ResourceKind } from "../lib/page.ts";
import { ResourcesContext } from "../lib/resources/use-resource-kind.ts";
import type { Contributions } from "../lib/places/place.ts";
import { PageBarSlots } from "../lib/PageBar.tsx";
import { parseSearch, stringifySearch } from "../lib/search-params.ts";
import { SessionProvider, type Session } from "../lib/use-access.ts";

const admin: Session = {
  person: { id: "p1", name: "Ada Admin", email: "ada@example.com" },
  roles: ["admin"],
  properties: [],
  about: {},
};

/** A page as the shell shows it, at an address, for somebody. */
export function renderPage(
  Page: ComponentType,
  options: {
    path: string;
    address: string;
    session?: Partial<Session>;
    /** What other features add. */
    contributions?: readonly Contributions[];
    documents?: readonly ConsoleDocumentKind[];
    /** What features declare. */
    resources?: readonly ResourceKind[];
  },
) {
  function Frame() {
    const [start, setStart] = useState<HTMLElement | null>(null);
    const [end, setEnd] = useState<HTMLElement | null>(null);
    return (
      <SessionProvider session={{ ...admin, ...options.session }}>
        <PlacesContext value={options.contributions ?? []}>
          <PageBarSlots value={{ start, end }}>
            <div ref={setStart} />
            <div ref={setEnd} />
            <DocumentKindsContext value={options.documents ?? []}>
              <ResourcesContext value={options.resources ?? []}>
                <Page />
              </ResourcesContext>
            </DocumentKindsContext>
            <ToastRegion />
          </PageBarSlots>
        </PlacesContext>
      </SessionProvider>
    );
  }
  const root = createRootRoute();
  const history = createMemoryHistory({ initialEntries: [options.address] });
  const router = createRouter({
    routeTree: root.addChildren([
      createRoute({ getParentRoute: () => root, path: options.path, component: Frame }),
    ]),
    history,
    defaultNotFoundComponent: () => (
      <>
        <p>not found</p>
        <ToastRegion />
      </>
    ),
    parseSearch,
    stringifySearch,
  });
  followPages(router);
  const queryClient = makeQueryClient();
  queryClient.setDefaultOptions({ queries: { retry: false } });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { user: userEvent.setup(), history };
}
