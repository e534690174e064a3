import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import {
  noFilter,
  type TriStateFilter,
  withTriState,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import { TriStateToggle } from "@mainstay/ui/filters/TriStateToggle.tsx";
import { messageOf } from "#lib/api-error.ts";
import { useDebouncedText } from "#lib/use-debounced.ts";
import { labelsQuery, mostListed } from "./queries.ts";

/** Document 2, section 9. */
const searchMs = 400;

export interface LabelValuesProps {
  filter: TriStateFilter;
  onChange: (filter: TriStateFilter) => void;
  /** What the page knows already is handed over, so that its own script stays one. */
  inWords: (id: string) => string;
}

/** Labels and tags, each of which may be wanted or unwanted. */
export function LabelValues({ filter, onChange, inWords }: LabelValuesProps) {
  const [asked, setAsked] = useState("");
  const [typed, setTyped] = useDebouncedText(asked, setAsked, searchMs);
  const found = useQuery(labelsQuery(asked.trim()));
  const rows = found.data ?? [];
  const ids = rows.slice(0, mostListed).map(({ key, value }) => `${key ?? ""}=${value ?? ""}`);
  // What is chosen stands first, whatever is searched.
  const all = [...new Set([...filter.keys(), ...ids])];
  return (
    <div className="flex max-h-[min(420px,var(--available-height))] w-80 flex-col gap-2 p-2">
      <input
        type="search"
        aria-label="Search labels and tags"
        placeholder="Search labels and tags"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="field shrink-0"
      />
      <div className="flex justify-end">
        <Button kind="quiet" disabled={filter.size === 0} onClick={() => onChange(noFilter)}>
          Clear
        </Button>
      </div>
      <div className="min-h-0 overflow-y-auto px-1" aria-busy={found.isFetching}>
        {all.map((id) => (
          <TriStateToggle
            key={id}
            label={inWords(id)}
            value={filter.get(id) ?? 0}
            onChange={(state) => onChange(withTriState(filter, id, state))}
          />
        ))}
        {found.isError ? (
          <p role="alert" className="m-0 py-1 text-xs text-unhealthy-fg">
            The labels could not be loaded: {messageOf(found.error)}
          </p>
        ) : rows.length > mostListed ? (
          <p className="m-0 py-1 text-xs text-muted">There are more: search to see them.</p>
        ) : (
          all.length === 0 &&
          found.isSuccess && <p className="m-0 py-1 text-xs text-muted">No such label</p>
        )}
      </div>
    </div>
  );
}
