import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import type { Sort } from "@mainstay/ui/data-table/column.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { ListTable } from "@mainstay/ui/list-table/ListTable.tsx";
import { messageOf } from "#lib/api-error.ts";
import { useUrlState } from "#lib/url-state.ts";
import { itemCheckColumns } from "./columns.tsx";
import { noCheck, openCheckCodec } from "./open-check.ts";
import { type ItemCheck, itemCheckQueries } from "./queries.ts";

const CheckDialog = lazyPart(() =>
  import("../dialog/CheckDialog.tsx").then((module) => module.CheckDialog),
);

const rowId = ({ id }: ItemCheck) => id;

/** The checks that belong to an item of the catalog; each opens here. */
export function ItemChecksTab({ item }: { item: { id: string } }) {
  const { data, error, isPending, refetch } = useQuery(itemCheckQueries.ofItem(item.id));
  const [open, change] = useUrlState(openCheckCodec);
  const [sort, setSort] = useState<Sort | null>(null);
  if (error && !data)
    return (
      <ErrorDisplay
        title="The checks could not be loaded"
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    );
  return (
    <>
      <ListTable
        label="checks"
        storageKey="item-checks"
        columns={itemCheckColumns}
        rows={data ?? []}
        rowId={rowId}
        sort={sort}
        onSort={setSort}
        isLoading={isPending}
        onOpen={({ id }) => change({ ...noCheck, checkId: id })}
        empty={
          <EmptyState title="No data available">
            Checks that belong to this item appear here. A check of the catalog that selects it
            does, and every other one that is related to it.
          </EmptyState>
        }
      />
      <Suspense>
        {open.checkId !== undefined && (
          <CheckDialog
            key={open.checkId}
            checkId={open.checkId}
            range={open.checkRange}
            tab={open.checkTab}
            onTab={(checkTab) => change({ checkTab }, { replace: true })}
            onRange={(checkRange) => change({ checkRange })}
            onClose={() => change(noCheck)}
          />
        )}
      </Suspense>
    </>
  );
}
