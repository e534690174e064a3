import "../places.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { useUrlState } from "#lib/url-state.ts";
import { CardMenu } from "../shared/CardMenu.tsx";
import { ComponentCard } from "../shared/ComponentCard.tsx";
import { topologyQueries } from "../queries.ts";
import { cardSizes, type CardSize } from "../shared/preferences.ts";
import { usualSort } from "../shared/topology-view.ts";

const usualSize: CardSize = "medium";
const isSize = (text: string | undefined): text is CardSize =>
  text !== undefined && Object.hasOwn(cardSizes, text);

const codec = {
  parse: (raw: Readonly<Record<string, string | undefined>>) => ({
    size: isSize(raw["size"]) ? raw["size"] : usualSize,
  }),
  format: ({ size }: { size: CardSize }) => ({ size: size === usualSize ? undefined : size }),
};

/** /view/topology/{id}: one component as its card, in one of four widths. */
export function ComponentViewPage() {
  const { componentId = "" } = useParams({ strict: false }) as { componentId?: string };
  const [{ size }] = useUrlState(codec);
  const query = useQuery(
    topologyQueries.tree(
      { id: componentId, sort: usualSort, withHidden: true, depth: 2 },
      useQueryClient(),
    ),
  );
  const components = query.data?.answer.components;
  const component = components?.find(({ id }) => id === componentId);
  return (
    <>
      <PageBar
        crumbs={[
          { label: "Topology", to: paths.topology() },
          { label: component?.name ?? "Component" },
        ]}
        refresh={{
          onRefresh: () => void query.refetch({ cancelRefetch: true }),
          isRefreshing: query.isFetching,
          updatedAt: query.dataUpdatedAt,
        }}
      />
      {query.isError && !components ? (
        <ErrorDisplay
          title="The component could not be loaded"
          message={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      ) : !components ? (
        <SkeletonRows rows={3} />
      ) : components.length > 1 ? (
        <ErrorDisplay
          title="Response has multiple components for the id."
          message="An id belongs to one component."
          onRetry={() => void query.refetch()}
        />
      ) : !component ? (
        <EmptyState title="Component not found">
          It is not there any more, or the link is wrong.
        </EmptyState>
      ) : (
        <div className="min-h-0 flex-1 overflow-auto p-4">
          <div className="max-w-full" style={{ width: cardSizes[size] }}>
            <ComponentCard component={component} Menu={CardMenu} />
          </div>
        </div>
      )}
    </>
  );
}
