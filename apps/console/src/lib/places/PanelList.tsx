import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "../api-error.ts";

/** So many stand in a panel at first, and so many more are added each time (document 2, section 9). */
export const panelPage = 50;

const number = new Intl.NumberFormat();

export interface PanelListProps<Row> {
  /** What they are, in the plural: `checks`. */
  noun: string;
  query: UseQueryResult<{ rows: readonly Row[]; total: number }>;
  rowId: (row: Row) => string;
  renderRow: (row: Row) => ReactNode;
  /** Said where there are none. */
  empty: string;
  /** Asks for more than there are. */
  onMore: () => void;
}

/** The rows of a panel beside something: a few, and more when somebody wants them. */
export function PanelList<Row>(props: PanelListProps<Row>) {
  const { noun, query, rowId, renderRow, empty, onMore } = props;
  const { data, isError, error, isPending, isFetching, refetch } = query;
  if (isPending) return <SkeletonRows rows={2} label={`Loading ${noun}`} />;
  if (isError && !data)
    return (
      <p role="alert" className="m-0 flex flex-wrap items-center gap-2 text-sm text-muted">
        The {noun} could not be loaded: {messageOf(error)}
        <Button onClick={() => void refetch()}>Try again</Button>
      </p>
    );
  const { rows, total } = data;
  if (rows.length === 0) return <p className="m-0 text-sm text-muted">{empty}</p>;
  return (
    <>
      <ul aria-label={noun} className="m-0 flex list-none flex-col p-0 text-sm">
        {rows.map((row) => (
          <li key={rowId(row)} className="flex min-h-8 min-w-0 items-center gap-2">
            {renderRow(row)}
          </li>
        ))}
      </ul>
      {total > rows.length && (
        <Button className="mt-1" aria-busy={isFetching} onClick={onMore}>
          Show more of {number.format(total)}
        </Button>
      )}
    </>
  );
}
