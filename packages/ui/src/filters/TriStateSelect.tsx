import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Fragment, useState } from "react";
import { Button } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { Popover } from "../Popover.tsx";
import { TriStateToggle } from "../TriStateToggle.tsx";
import {
  describeTriStateFilter,
  namedAtMost,
  noFilter,
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

const mostListed = 200;
const searchableFrom = 9;

function Values({ label, options, filter, onChange }: TriStateSelectProps) {
  const [search, setSearch] = useState("");
  const words = search.trim().toLowerCase();
  const found = options.filter((option) => option.label.toLowerCase().includes(words));
  return (
    <div className="flex max-h-[min(420px,var(--available-height))] w-72 flex-col gap-2 p-2">
      {options.length >= searchableFrom && (
        <input
          type="search"
          aria-label={`Search values of ${label}`}
          placeholder="Search values"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="field shrink-0"
        />
      )}
      <div className="flex justify-between gap-2">
        <Button
          kind="quiet"
          disabled={found.length === 0}
          onClick={() =>
            onChange(found.reduce((all, { value }) => withTriState(all, value, 1), filter))
          }
        >
          Select all
        </Button>
        <Button kind="quiet" disabled={filter.size === 0} onClick={() => onChange(noFilter)}>
          Clear
        </Button>
      </div>
      <div className="min-h-0 overflow-y-auto px-1">
        {found.slice(0, mostListed).map(({ value, label: text, icon }) => (
          <TriStateToggle
            key={value}
            label={text}
            value={filter.get(value) ?? 0}
            onChange={(state) => onChange(withTriState(filter, value, state))}
          >
            {icon !== undefined && <span className="mr-1.5 inline-block align-middle">{icon}</span>}
            {text}
          </TriStateToggle>
        ))}
        {found.length > mostListed && (
          <p className="m-0 py-1 text-xs text-muted">
            {found.length - mostListed} more: search to see them.
          </p>
        )}
        {found.length === 0 && <p className="m-0 py-1 text-xs text-muted">No such value</p>}
      </div>
    </div>
  );
}

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
