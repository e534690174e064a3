import { useEffect } from "react";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { readFlowError } from "./front/calls.ts";
import { FrontFailure } from "./front/FrontDoor.tsx";
import { useAnswer } from "./use-answer.ts";

const ask = (signal: AbortSignal) =>
  readFlowError(parseSearch(window.location.search).id ?? "", signal);

const isGone = (failure: unknown): boolean =>
  failure instanceof ApiError && [403, 404, 410].includes(failure.status);

/** What the identity service could not tell its own page (K19). */
export function FlowErrorPage() {
  const { data, error, retry } = useAnswer(ask);
  const gone = isGone(error);
  useEffect(() => {
    if (gone) window.location.replace(paths.home());
  }, [gone]);

  return (
    <main className="mx-auto flex h-full max-w-3xl flex-col gap-4 overflow-auto px-4 py-10">
      <h1 className="m-0 text-xl font-semibold">An error occurred</h1>
      {data !== undefined ? (
        <CodeView label="Error" language="json" text={JSON.stringify(data, null, 2)} />
      ) : error === undefined || gone ? (
        <SkeletonRows rows={6} />
      ) : (
        <FrontFailure
          title="The error could not be read"
          message={messageOf(error)}
          onRetry={retry}
        />
      )}
      <a href={paths.home()} className="text-accent underline">
        Go back
      </a>
    </main>
  );
}
