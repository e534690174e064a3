import type { ItemDifference, ItemState } from "@mainstay/contract/catalog-past.ts";
import { useQuery } from "@tanstack/react-query";
import { Moment, momentText } from "@mainstay/ui/Age.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { DiffView } from "@mainstay/ui/diff-view/DiffView.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { LinesSkeleton } from "@mainstay/ui/lines/LinesSkeleton.tsx";
import { messageOf } from "#lib/api-error.ts";
import { itemQueries } from "./queries.ts";

const stateLabels: Readonly<Record<keyof ItemState, string>> = {
  name: "Name",
  type: "Type",
  health: "Health",
  status: "Status",
  description: "Description",
  deleted_at: "Deleted",
};

const said = (value: string | null) => value ?? "nothing";

/** What of its state, beside what is configured, is another. */
function StateChanges({ before, after }: Pick<ItemDifference, "before" | "after">) {
  const changed = (Object.keys(stateLabels) as (keyof ItemState)[]).filter(
    (column) => before[column] !== after[column],
  );
  if (changed.length === 0) return null;
  return (
    <ul className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-0 text-sm">
      {changed.map((column) => (
        <li key={column}>
          <span className="text-muted">{stateLabels[column]}:</span>{" "}
          <del>{said(before[column])}</del> → {said(after[column])}
        </li>
      ))}
    </ul>
  );
}

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2);

/** What became of an item from one moment to another. */
export function ItemDifferenceView(props: { itemId: string; from: string; to: string }) {
  const { itemId, from, to } = props;
  const { data, error, refetch } = useQuery(itemQueries.difference(itemId, from, to));
  if (!data)
    return error ? (
      <ErrorDisplay
        title="The two moments could not be compared"
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    ) : (
      <LinesSkeleton label="Differences" />
    );
  const { isSame, diff, patch, merge_patch: mergePatch, before, after } = data;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 p-3 max-tablet:p-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span>
          From <Moment at={Date.parse(from)} /> to <Moment at={Date.parse(to)} />
        </span>
        <StateChanges before={before} after={after} />
        {!isSame && (
          <span className="ml-auto flex gap-2">
            <CopyButton isLabelled label="JSON Patch" text={() => pretty(patch)} />
            {mergePatch !== null && (
              <CopyButton isLabelled label="Merge patch" text={() => pretty(mergePatch)} />
            )}
          </span>
        )}
      </div>
      {isSame ? (
        <EmptyState title="Nothing configured is another">
          What is configured was the same at both moments.
        </EmptyState>
      ) : diff === null ? (
        <div className="flex min-h-0 flex-1 flex-col gap-2 *:last:flex-1">
          <p className="m-0 text-sm text-muted">
            Too much is another to be told line by line: these are the steps (JSON Patch).
          </p>
          <CodeView label="Steps" text={pretty(patch)} language="json" />
        </div>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col *:flex-1">
          <DiffView
            label="Differences"
            language="json"
            patch={diff}
            beforeLabel={momentText(Date.parse(from))}
            afterLabel={momentText(Date.parse(to))}
          />
        </div>
      )}
    </div>
  );
}
