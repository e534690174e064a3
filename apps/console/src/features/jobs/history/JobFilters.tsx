import { useQuery } from "@tanstack/react-query";
import { useContext } from "react";
import { TriStateSelect } from "@mainstay/ui/filters/TriStateSelect.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { TimeRangePicker } from "@mainstay/ui/time-range/TimeRangePicker.tsx";
import { ResourcesContext } from "#lib/resources/use-resource-kind.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { jobQueries } from "./queries.ts";
import { type JobsView, runDurations } from "./view.ts";

/** STOPPED is shown and not offered (document 3, section 4). */
const statuses = ["RUNNING", "SUCCESS", "WARNING", "FAILED", "SKIPPED", "STALE"].map((value) => ({
  value,
  label: value.toLowerCase(),
}));
/** Document 3, section 9, and who else has jobs here. */
const resourceTypes = ["canary", "topology", "config_scraper", "person"];

export interface JobFiltersProps {
  view: JobsView;
  change: ChangeUrl<JobsView>;
  /** Of one resource: its type needs no choice. */
  isOfOne: boolean;
}

export function JobFilters({ view, change, isOfOne }: JobFiltersProps) {
  const kinds = useContext(ResourcesContext);
  const names = useQuery(jobQueries.names);
  const typeLabel = (type: string) =>
    kinds.find(({ kind }) => kind === type)?.label.one ?? type.replace("_", " ");
  return (
    <>
      <TriStateSelect
        label="Job name"
        options={(names.data ?? []).map((value) => ({ value, label: value }))}
        filter={view.names}
        onChange={(chosen) => change({ names: chosen, pageIndex: 0 })}
      />
      {!isOfOne && (
        <TriStateSelect
          label="Resource type"
          options={resourceTypes.map((value) => ({ value, label: typeLabel(value) }))}
          filter={view.resourceTypes}
          onChange={(chosen) => change({ resourceTypes: chosen, pageIndex: 0 })}
        />
      )}
      <TriStateSelect
        label="Status"
        options={statuses}
        filter={view.statuses}
        onChange={(chosen) => change({ statuses: chosen, pageIndex: 0 })}
      />
      <Select
        label="Run duration"
        value={view.atLeast}
        options={[
          { value: "", label: "None" },
          ...runDurations.map(([words]) => ({ value: words, label: `≥ ${words}` })),
        ]}
        onChange={(chosen) =>
          change({
            atLeast: runDurations.find(([words]) => words === chosen)?.[0] ?? "",
            pageIndex: 0,
          })
        }
      />
      <span className="ml-auto">
        <TimeRangePicker
          value={view.timeRange}
          onChange={(timeRange) => change({ timeRange, pageIndex: 0 })}
        />
      </span>
    </>
  );
}
