import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { TriStateToggle } from "@mainstay/ui/TriStateToggle.tsx";
import {
  describeFilter,
  labelId,
  withLabelFilter,
  type LabelFacet,
  type LabelFilters,
} from "../view/label-filters.ts";

const listed = 200;

export interface LabelFilterProps {
  facet: LabelFacet;
  filters: LabelFilters;
  onChange: (filters: LabelFilters) => void;
}

function Values({ facet, filters, onChange }: LabelFilterProps) {
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
          className="field"
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

/** One label of the side panel: a three-state toggle, or a list of values of which each has three states. */
export function LabelFilter({ facet, filters, onChange }: LabelFilterProps) {
  if (facet.isBoolean) {
    const id = labelId(facet.key, facet.values.includes("true") ? "true" : "false");
    return (
      <TriStateToggle
        label={facet.key}
        value={filters[id] ?? 0}
        onChange={(state) => onChange(withLabelFilter(filters, id, state))}
      />
    );
  }
  const words = describeFilter(facet.key, filters);
  return (
    <Popover
      label={`Values of ${facet.key}`}
      renderTrigger={(trigger) => (
        <button
          type="button"
          className="flex w-full flex-col items-stretch rounded-control px-1 py-0.5 -mx-1 text-left hover:bg-hover"
          {...trigger}
        >
          <span className="truncate text-xs text-muted">{facet.key}</span>
          <span className="flex items-center justify-between gap-1">
            <span className={classNames("truncate text-sm", words !== "All" && "font-medium")}>
              {words}
            </span>
            <ChevronDown
              aria-hidden="true"
              size={14}
              strokeWidth={1.75}
              className="shrink-0 text-muted"
            />
          </span>
        </button>
      )}
    >
      {() => <Values facet={facet} filters={filters} onChange={onChange} />}
    </Popover>
  );
}
