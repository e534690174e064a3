import type { ErrorComponentProps } from "@tanstack/react-router";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { ApiError, messageOf } from "#lib/api-error.ts";

/** What stands in place of a page that could not be drawn, beside everything that leads on. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const details =
    error instanceof ApiError
      ? `${error.request}: status ${error.status}`
      : error instanceof Error
        ? error.stack
        : undefined;
  return (
    <div className="flex h-full flex-col justify-center overflow-auto">
      <ErrorDisplay
        title="Sorry.. there was an error"
        message={messageOf(error)}
        details={details}
        onRetry={() => {
          // A chunk that a newer release replaced is only found by loading the page again.
          if (/dynamically imported module|module script/i.test(messageOf(error)))
            window.location.reload();
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
