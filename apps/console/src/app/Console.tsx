import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { watchDensity } from "@mainstay/ui/density.ts";
import { offerIconMarks } from "#lib/icon-marks.ts";
import { wordLostParts } from "#lib/lost-part.ts";
import { DocumentKindsContext } from "#lib/documents/document-kinds.ts";
import { PlacesContext } from "#lib/places/use-guests.ts";
import { contributions, documentKinds, resources } from "./navigation.ts";
import { ResourcesContext } from "#lib/resources/use-resource-kind.ts";
import { makeQueryClient } from "./query-client.ts";
import { makeRouter } from "./router.tsx";

watchDensity();
wordLostParts();
offerIconMarks();
const queryClient = makeQueryClient();
const router = makeRouter(queryClient);

/** Everything behind the sign-in. */
export function Console() {
  return (
    <QueryClientProvider client={queryClient}>
      <PlacesContext value={contributions}>
        <DocumentKindsContext value={documentKinds}>
          <ResourcesContext value={resources}>
            <RouterProvider router={router} />
          </ResourcesContext>
        </DocumentKindsContext>
      </PlacesContext>
    </QueryClientProvider>
  );
}
