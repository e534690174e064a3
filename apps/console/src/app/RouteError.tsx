import type { ErrorComponentProps } from "@tanstack/react-router";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { isLostPart } from "#lib/lost-part.ts";

/** What helps to find out why, for who looks closer. */
export function detailsOf(error: unknown): string | undefined {
  if (error instanceof ApiError) return `${error.request}: status ${error.status}`;
  return error instanceof Error ? error.stack : undefined;
}

/** What stands in place of a page that could not be drawn, beside everything that leads on. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <div className="flex h-full flex-col justify-center overflow-auto">
      <ErrorDisplay
        title="Sorry.. there was an error"
        message={messageOf(error)}
        details={detailsOf(error)}
        onRetry={() => {
          if (isLostPart(error)) window.location.reload();
          else reset();
        }}
      />
    </div>
  );
}

/** The same where there is no shell around it. */
export function RouteError(props: ErrorComponentProps) {
  return (
    <main className="h-full">
      <PageError {...props} />
    </main>
  );
}
