import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { TriStateToggle } from "@mainstay/ui/filters/TriStateToggle.tsx";
import { labelId, withLabelFilter } from "../view/label-filters.ts";
import type { LabelFilterProps } from "./LabelFilter.tsx";

const listed = 200;

/** The values of one label, each with how many checks it stands for. */
export function LabelValues({ facet, counts, filters, onChange }: LabelFilterProps) {
  const [search, setSearch] = useState("");
  const found = facet.values.filter((value) =>
    value.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const set = (values: readonly string[], state: 0 | 1) =>
    onChange(
      values.reduce(
        (all, value) => withLabelFilter(all, labelId(facet.key, value), state),
        filters,
      ),
    );
  return (
    <div className="flex max-h-[min(420px,var(--available-height))] w-72 flex-col gap-2 p-2">
      {facet.values.length > 8 && (
        <input
          type="search"
          aria-label={`Search values of ${facet.key}`}
          placeholder="Search values"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="field shrink-0"
        />
      )}
      <div className="flex justify-between gap-2">
        <Button kind="quiet" onClick={() => set(found, 1)}>
          Select all
        </Button>
        <Button kind="quiet" onClick={() => set(facet.values, 0)}>
          Clear
        </Button>
      </div>
      <div className="min-h-0 overflow-y-auto px-1">
        {found.slice(0, listed).map((value) => {
          const id = labelId(facet.key, value);
          return (
            <TriStateToggle
              key={id}
              label={value === "" ? "(empty)" : value}
              count={counts?.get(value) ?? 0}
              value={filters[id] ?? 0}
              onChange={(state) => onChange(withLabelFilter(filters, id, state))}
            />
          );
        })}
        {found.length > listed && (
          <p className="m-0 py-1 text-xs text-muted">
            {found.length - listed} more: search to see them.
          </p>
        )}
        {found.length === 0 && <p className="m-0 py-1 text-xs text-muted">No such value</p>}
      </div>
    </div>
  );
}
