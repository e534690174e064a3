import { ChevronDown } from "lucide-react";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { TriStateToggle } from "@mainstay/ui/filters/TriStateToggle.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import {
  describeFilter,
  labelId,
  withLabelFilter,
  type LabelFacet,
  type LabelFilters,
} from "../view/label-filters.ts";

const LabelValues = lazyPart(() =>
  import("./LabelValues.tsx").then((module) => module.LabelValues),
);

export interface LabelFilterProps {
  facet: LabelFacet;
  /** How many checks each value stands for. */
  counts: ReadonlyMap<string, number> | undefined;
  filters: LabelFilters;
  onChange: (filters: LabelFilters) => void;
}

/** One label of the side panel: a three-state toggle, or a list of values of which each has three states. */
export function LabelFilter(props: LabelFilterProps) {
  const { facet, counts, filters, onChange } = props;
  if (facet.isBoolean) {
    const value = facet.values.includes("true") ? "true" : "false";
    const id = labelId(facet.key, value);
    return (
      <TriStateToggle
        label={facet.key}
        count={counts?.get(value) ?? 0}
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
      {() => <LabelValues {...props} />}
    </Popover>
  );
}
