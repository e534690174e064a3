import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Fragment } from "react";
import { classNames } from "../class-names.ts";
import { lazyPart } from "../lazy-part.tsx";
import { Popover } from "../Popover.tsx";
import {
  describeTriStateFilter,
  namedAtMost,
  type TriStateFilter,
  withTriState,
} from "./tri-state-filter.ts";

export interface FilterOption {
  value: string;
  label: string;
  icon?: ReactNode;
}

export interface TriStateSelectProps {
  label: string;
  options: readonly FilterOption[];
  filter: TriStateFilter;
  onChange: (filter: TriStateFilter) => void;
}

// Nobody needs it who does not open it.
const loadValues = () => import("../popups/TriStateValues.tsx");
const Values = lazyPart(() => loadValues().then((module) => module.TriStateValues));

/** What a filter does, in its words; an excluded value is marked and struck out. */
function FilterWords({
  filter,
  labelOf,
}: {
  filter: TriStateFilter;
  labelOf: (value: string) => string;
}) {
  if (filter.size === 0 || filter.size > namedAtMost)
    return describeTriStateFilter(filter, labelOf);
  return [...filter].map(([value, state], index) => (
    <Fragment key={value}>
      {index > 0 && ", "}
      <span className={state === -1 ? "line-through" : undefined}>
        {state === -1 && "!"}
        {labelOf(value)}
      </span>
    </Fragment>
  ));
}

/** A filter of a list: a button that says what is included and excluded, and a list in which each value has three states. */
export function TriStateSelect(props: TriStateSelectProps) {
  const { label, options, filter, onChange } = props;
  const labelOf = (value: string) =>
    options.find((option) => option.value === value)?.label ?? value;
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span aria-hidden="true" className="shrink-0 text-xs text-muted">
        {label}
      </span>
      <Popover
        label={`${label}: include or exclude values`}
        load={loadValues}
        renderTrigger={(trigger) => (
          <button
            type="button"
            aria-label={`${label}: ${describeTriStateFilter(filter, labelOf)}`}
            className="field inline-flex max-w-60 min-w-0 items-center gap-1.5"
            onKeyDown={(event) => {
              // One key takes the last one out.
              const last = [...filter.keys()].at(-1);
              if ((event.key !== "Backspace" && event.key !== "Delete") || last === undefined)
                return;
              event.preventDefault();
              onChange(withTriState(filter, last, 0));
            }}
            {...trigger}
          >
            <span className={classNames("truncate", filter.size > 0 && "font-medium")}>
              <FilterWords filter={filter} labelOf={labelOf} />
            </span>
            <ChevronDown
              aria-hidden="true"
              size={14}
              strokeWidth={1.75}
              className="shrink-0 text-muted"
            />
          </button>
        )}
      >
        {() => <Values {...props} />}
      </Popover>
    </span>
  );
}
