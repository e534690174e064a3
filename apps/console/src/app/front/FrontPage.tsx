import { Component, type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { useToasts } from "@mainstay/ui/toasts.ts";
import { FrontFailure } from "#features/identity/front/front-pages.ts";
import { messageOf } from "#lib/api-error.ts";

/** A page that fails while it is drawn is replaced by what went wrong; the console itself has the router for this. */
class Guard extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <PageFailure error={this.state.error} />;
  }
}

export function PageFailure({ error }: { error: unknown }) {
  return (
    <main className="flex h-full flex-col justify-center">
      <FrontFailure
        title="Sorry.. there was an error"
        message={messageOf(error)}
        onRetry={() => window.location.reload()}
      />
    </main>
  );
}

const ToastRegion = lazy(() =>
  import("@mainstay/ui/popups/ToastRegion.tsx").then((module) => ({ default: module.ToastRegion })),
);

/** Most people sign in without seeing one. */
function Toasts() {
  return useToasts().length > 0 && <ToastRegion />;
}

/** What surrounds a page in front of the console. */
export function FrontPage({ page: Page }: { page: ComponentType }) {
  return (
    <>
      <Guard>
        <Page />
      </Guard>
      <Suspense>
        <Toasts />
      </Suspense>
    </>
  );
}
