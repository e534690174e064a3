import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { HistoryLink } from "#lib/resources/HistoryLink.tsx";
import { paths } from "#lib/paths.ts";
import { CanaryForm } from "./CanaryForm.tsx";
import { healthQueries } from "../queries.ts";

/** /settings/canaries/{id}: the document that checks come from. */
export function CanaryPage() {
  const { canaryId = "" } = useParams({ strict: false });
  const { data, error, refetch, isPending } = useQuery(healthQueries.canary(canaryId));
  // The texts are made once per document: they are what is edited.
  const texts = useQuery({
    queryKey: ["health", "canary-texts", canaryId, data?.updated_at ?? ""],
    enabled: data != null,
    gcTime: 0,
    // Changed elsewhere, what is being edited stays in its place.
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const { labelsText, specText } = await import("../canary-text.ts");
      return { spec: specText(data?.spec ?? {}), labels: labelsText(data?.labels) };
    },
  });
  const failure = error ?? texts.error;

  return (
    <>
      <PageBar
        crumbs={[{ label: "Health", to: paths.health() }, { label: data?.name ?? "Health Check" }]}
        actions={data && <HistoryLink kind="canary" id={data.id} />}
      />
      {failure && !data ? (
        <ErrorDisplay
          title="The health check could not be loaded"
          message={messageOf(failure)}
          onRetry={() => void refetch()}
        />
      ) : data === null || data?.deleted_at ? (
        <EmptyState title="There is no such health check">
          It was deleted, or the link is wrong.
        </EmptyState>
      ) : isPending || !data || !texts.data ? (
        <PageSkeleton />
      ) : (
        <CanaryForm key={data.id} canary={data} texts={texts.data} />
      )}
    </>
  );
}
