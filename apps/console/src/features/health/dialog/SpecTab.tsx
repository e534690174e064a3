import { useQuery } from "@tanstack/react-query";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { checkQueries } from "./queries.ts";

/** The document the check comes from. */
export function SpecTab({ canaryId }: { canaryId: string }) {
  const { data, error, isPending, refetch } = useQuery(checkQueries.canarySpec(canaryId));
  const text = useQuery({
    queryKey: ["health", "canary-yaml", canaryId, data?.spec],
    enabled: data != null,
    queryFn: async () => (await import("../canary-text.ts")).specText(data?.spec ?? {}),
  });

  if (error ?? text.error) {
    return (
      <ErrorDisplay
        title="The spec could not be loaded"
        message={messageOf(error ?? text.error)}
        onRetry={() => void refetch()}
      />
    );
  }
  if (data === null) return <EmptyState title="The document of this check was deleted" />;
  if (isPending || text.data === undefined) return <SkeletonRows />;
  return (
    <div className="flex min-h-0 flex-1 flex-col p-4">
      <CodeView label={`Spec of ${data?.name ?? "the check"}`} language="yaml" text={text.data} />
    </div>
  );
}
