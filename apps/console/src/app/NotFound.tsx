import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";

export function NotFound() {
  return (
    <div className="flex h-full flex-col justify-center">
      <PageBar crumbs={[{ label: "Page not found" }]} />
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
