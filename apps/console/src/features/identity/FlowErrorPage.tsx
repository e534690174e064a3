import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { ApiError } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { parseSearch } from "#lib/search-params.ts";
import { readFlowError } from "./calls.ts";

export function FlowErrorPage() {
  const id = parseSearch(window.location.search).id ?? "";
  const { data, error } = useQuery({
    queryKey: ["flow-error", id],
    queryFn: ({ signal }) => readFlowError(id, signal),
    retry: false,
    throwOnError: (failure) => !isGone(failure),
  });
  const gone = isGone(error);
  useEffect(() => {
    if (gone) window.location.replace(paths.home());
  }, [gone]);

  return (
    <main className="mx-auto flex h-full max-w-3xl flex-col gap-4 overflow-auto px-4 py-10">
      <h1 className="m-0 text-xl font-semibold">An error occurred</h1>
      {data === undefined ? (
        <SkeletonRows rows={6} />
      ) : (
        <CodeView label="Error" language="json" text={JSON.stringify(data, null, 2)} />
      )}
      <AppLink to={paths.home()} className="text-accent underline">
        Go back
      </AppLink>
    </main>
  );
}

function isGone(failure: unknown): boolean {
  return failure instanceof ApiError && [403, 404, 410].includes(failure.status);
}
