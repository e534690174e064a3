import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";

export function NotFound() {
  return (
    <div className="flex h-full flex-col justify-center">
      <h1 className="sr-only">Page not found</h1>
      <EmptyState
        title="There is no page at this address"
        actions={
          <AppLink to={paths.home()} className="text-accent underline">
            Go to the start page
          </AppLink>
        }
      >
        The link may be old, or the feature it belongs to may be switched off.
      </EmptyState>
    </div>
  );
}
