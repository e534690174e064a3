import { useState } from "react";
import { Button } from "../Button.tsx";
import { noFilter, withTriState } from "../filters/tri-state-filter.ts";
import type { TriStateSelectProps } from "../filters/TriStateSelect.tsx";
import { TriStateToggle } from "../filters/TriStateToggle.tsx";

const mostListed = 200;
const searchableFrom = 9;

/** What a filter may include and exclude, to be searched where there is much of it. */
export function TriStateValues({ label, options, filter, onChange }: TriStateSelectProps) {
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
