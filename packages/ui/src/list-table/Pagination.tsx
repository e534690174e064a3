import { useState } from "react";
import { Button } from "../Button.tsx";
import { Select } from "../Select.tsx";

/** Document 1, section 9. */
export const pageSizes: readonly number[] = [5, 10, 25, 50, 100, 150, 200, 250, 300, 500, 1000];

export interface PaginationProps {
  /** From 0. */
  pageIndex: number;
  pageSize: number;
  /** Rows there are in all; so many at least while they are being counted. */
  total: number;
  isCounting?: boolean;
  /** Nothing is known yet, neither rows nor how many. */
  isLoading?: boolean;
  sizes?: readonly number[];
  onChange: (page: { pageIndex: number; pageSize: number }) => void;
}

const number = new Intl.NumberFormat();

export function Pagination({
  pageIndex,
  pageSize,
  total,
  isCounting = false,
  isLoading = false,
  sizes = pageSizes,
  onChange,
}: PaginationProps) {
  const pageCount = Math.max(1, Math.ceil(total / pageSize));
  // An address may name a page size that the list has not.
  const offered = sizes.includes(pageSize) ? sizes : [...sizes, pageSize].toSorted((a, b) => a - b);
  const [typed, setTyped] = useState<string | null>(null);
  const goTo = (index: number) => {
    const next = Math.min(pageCount - 1, Math.max(0, index));
    setTyped(null);
    if (next !== pageIndex) onChange({ pageIndex: next, pageSize });
  };
  const commit = () => {
    if (typed === null) return;
    const page = typed.trim() === "" ? Number.NaN : Number(typed);
    if (Number.isInteger(page)) goTo(page - 1);
    else setTyped(null);
  };
  // Rows may have gone since: behind the last page there are none.
  const isBehind = pageIndex * pageSize >= total;
  const first = isBehind ? 0 : pageIndex * pageSize + 1;
  const last = isBehind ? 0 : Math.min(total, (pageIndex + 1) * pageSize);

  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-xs text-muted"
    >
      <span className="tabular-nums">
        {isLoading
          ? "Loading..."
          : `${number.format(first)}–${number.format(last)} of ${isCounting ? "many" : number.format(total)}`}
      </span>
      <span className="flex gap-1 max-phone:order-last max-phone:w-full max-phone:justify-between">
        <Button kind="quiet" disabled={pageIndex === 0} onClick={() => goTo(0)}>
          First
        </Button>
        <Button kind="quiet" disabled={pageIndex === 0} onClick={() => goTo(pageIndex - 1)}>
          Previous
        </Button>
        <Button
          kind="quiet"
          disabled={pageIndex >= pageCount - 1}
          onClick={() => goTo(pageIndex + 1)}
        >
          Next
        </Button>
        <Button
          kind="quiet"
          disabled={isCounting || pageIndex >= pageCount - 1}
          onClick={() => goTo(pageCount - 1)}
        >
          Last
        </Button>
      </span>
      <label className="flex items-center gap-1.5">
        <span className="max-phone:sr-only">Go to page</span>
        <input
          type="number"
          min={1}
          max={isCounting ? undefined : pageCount}
          readOnly={isCounting || pageCount === 1}
          value={typed ?? String(pageIndex + 1)}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
          className="field w-16 text-right tabular-nums max-phone:w-12"
        />
        <span className="tabular-nums">
          of {isLoading ? "–" : isCounting ? "many" : number.format(pageCount)}
        </span>
      </label>
      <Select
        label="Rows per page"
        className="max-phone:[&>span:first-child]:sr-only"
        value={String(pageSize)}
        options={offered.map((size) => ({ value: String(size), label: String(size) }))}
        onChange={(size) => onChange({ pageIndex: 0, pageSize: Number(size) })}
      />
    </nav>
  );
}
