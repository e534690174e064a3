import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Switch } from "@mainstay/ui/Switch.tsx";
import { TriStateToggle } from "@mainstay/ui/filters/TriStateToggle.tsx";
import { withTriState } from "@mainstay/ui/filters/tri-state-filter.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import type { FacetCounts } from "../view/filter-checks.ts";
import type { HealthView } from "../view/health-view.ts";
import type { LabelFacet } from "../view/label-filters.ts";
import { bySeverity, noSeverity } from "../view/severity.ts";
import { LabelFilter } from "./LabelFilter.tsx";

const listed = 60;
const searchFrom = 12;

export interface HealthFiltersProps {
  view: HealthView;
  change: ChangeUrl<HealthView>;
  facets: readonly LabelFacet[];
  /** Those that occur, worst first. */
  severities: readonly string[];
  counts: FacetCounts;
}

/** The side panel: Hide Passing, the severities, and a filter for every label. */
export function HealthFilters(props: HealthFiltersProps) {
  const { view, change, facets, severities, counts } = props;
  const [search, setSearch] = useState("");
  const found = facets.filter(({ key }) => key.toLowerCase().includes(search.trim().toLowerCase()));
  const chosen = Object.keys(view.labels).length;
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Hide Passing"
        checked={view.hidePassing}
        onChange={(hidePassing) => change({ hidePassing, status: undefined })}
      />
      {/* One that is chosen stays, whether or not there are checks of it now. */}
      {(severities.some((word) => word !== noSeverity) || view.severity.size > 0) && (
        <div className="flex flex-col gap-0.5">
          <h2 className="m-0 pb-1 text-xs font-semibold text-muted">Severity</h2>
          {[...new Set([...severities, ...view.severity.keys()])]
            .toSorted(bySeverity)
            .slice(0, listed)
            .map((word) => (
              <TriStateToggle
                key={word}
                label={word}
                count={counts.severities.get(word) ?? 0}
                value={view.severity.get(word) ?? 0}
                onChange={(state) => change({ severity: withTriState(view.severity, word, state) })}
              />
            ))}
        </div>
      )}
      <div className="flex items-center justify-between">
        <h2 className="m-0 text-xs font-semibold text-muted">Labels</h2>
        {chosen > 0 && (
          <Button
            kind="quiet"
            className="-mr-2 h-6! text-xs!"
            onClick={() => change({ labels: {} })}
          >
            Clear {chosen}
          </Button>
        )}
      </div>
      {facets.length > searchFrom && (
        <input
          type="search"
          aria-label="Search labels"
          placeholder="Search labels"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="field w-full"
        />
      )}
      <div className="flex flex-col gap-1.5">
        {found.slice(0, listed).map((facet) => (
          <LabelFilter
            key={facet.key}
            facet={facet}
            counts={counts.labels.get(facet.key)}
            filters={view.labels}
            onChange={(labels) => change({ labels })}
          />
        ))}
        {found.length > listed && (
          <p className="m-0 text-xs text-muted">
            {found.length - listed} more labels: search to see them.
          </p>
        )}
        {facets.length === 0 && (
          <p className="m-0 text-xs text-muted">The checks carry no labels.</p>
        )}
      </div>
    </div>
  );
}
