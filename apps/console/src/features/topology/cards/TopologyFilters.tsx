import { useQuery } from "@tanstack/react-query";
import { ArrowDownWideNarrow, ArrowUpNarrowWide, History, SlidersHorizontal } from "lucide-react";
import type { TopologyAnswer } from "@mainstay/contract/topology-answers.ts";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { SegmentedField } from "@mainstay/ui/fields/SegmentedField.tsx";
import { TriStateSelect } from "@mainstay/ui/filters/TriStateSelect.tsx";
import type { TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { isOfHere, localAgent } from "#lib/agents.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { topologyQueries } from "../queries.ts";
import { setPreferences } from "../shared/preferences.ts";
import {
  filterCount,
  type TopologySort,
  type TopologyView,
  unfiltered,
  usualSort,
} from "../shared/topology-view.ts";

export interface TopologyFiltersProps {
  view: TopologyView;
  change: ChangeUrl<TopologyView>;
  sort: TopologySort;
  /** What there is to choose from; nothing until it is known. */
  answer: TopologyAnswer | undefined;
}

/** One that is chosen stays, whether or not there is anything of it now. */
const optionsOf = (values: readonly string[], filter: TriStateFilter) =>
  [...new Set([...values, ...filter.keys()])].map((value) => ({ value, label: value }));

const sortWords: Readonly<Record<string, string>> = {
  status: "Health",
  name: "Name",
  type: "Type",
  created_at: "Created",
  updated_at: "Updated",
};
const mostFields = 50;

/** What the cards say of themselves can be sorted by. */
function fieldsOf(answer: TopologyAnswer | undefined): string[] {
  const names = new Set<string>();
  for (const root of answer?.components ?? [])
    for (const { properties } of [root, ...(root.components ?? [])])
      for (const { name, type, hidden } of properties ?? [])
        if (name && type !== "hidden" && hidden !== true && names.size < mostFields)
          names.add(name);
  return [...names].toSorted();
}

function Sort({ change, sort, answer }: Omit<TopologyFiltersProps, "view">) {
  const keys = [
    ...Object.keys(sortWords),
    ...new Set([
      ...fieldsOf(answer).map((name) => `field:${name}`),
      ...(sort.by in sortWords ? [] : [sort.by]),
    ]),
  ];
  const set = (next: TopologySort) => {
    setPreferences({ sort: next });
    change({ sort: next });
  };
  const Mark = sort.isDescending ? ArrowDownWideNarrow : ArrowUpNarrowWide;
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <Select
        label="Sort"
        className="max-w-56"
        value={sort.by}
        // What fails comes first; all else begins at its beginning.
        onChange={(by) => set(by === usualSort.by ? usualSort : { by, isDescending: false })}
        options={keys.map((value) => ({
          value,
          label: sortWords[value] ?? value.slice("field:".length),
        }))}
      />
      <IconButton
        label={
          sort.isDescending
            ? "Sort the other way: descending now"
            : "Sort the other way: ascending now"
        }
        icon={<Mark size={16} strokeWidth={1.75} />}
        onClick={() => set({ ...sort, isDescending: !sort.isDescending })}
      />
    </span>
  );
}

function Agents({ view, change }: Pick<TopologyFiltersProps, "view" | "change">) {
  const { data = [] } = useQuery(topologyQueries.agents());
  // Of one place alone there is nothing to choose.
  if (data.filter(({ id }) => !isOfHere(id)).length === 0 && view.agent.size === 0) return null;
  const known = new Map(data.map(({ id, name }) => [id, isOfHere(id) ? localAgent : name]));
  for (const id of view.agent.keys()) if (!known.has(id)) known.set(id, id.slice(-12));
  return (
    <TriStateSelect
      label="Agent"
      options={[...known].map(([value, label]) => ({ value, label }))}
      filter={view.agent}
      onChange={(agent) => change({ agent })}
    />
  );
}

function Choices({ view, change, answer }: Omit<TopologyFiltersProps, "sort">) {
  const labels = Object.entries(answer?.tags ?? {}).flatMap(([key, values]) =>
    values.map((value) => `${key}=${value}`),
  );
  return (
    <>
      <TriStateSelect
        label="Health"
        options={optionsOf(answer?.healthStatuses ?? [], view.status)}
        filter={view.status}
        onChange={(status) => change({ status })}
      />
      <TriStateSelect
        label="Type"
        options={optionsOf(answer?.types ?? [], view.type)}
        filter={view.type}
        onChange={(type) => change({ type })}
      />
      <TriStateSelect
        label="Team"
        options={optionsOf(answer?.teams ?? [], view.team)}
        filter={view.team}
        onChange={(team) => change({ team })}
      />
      <TriStateSelect
        label="Labels"
        options={optionsOf(labels, view.labels)}
        filter={view.labels}
        onChange={(next) => change({ labels: next })}
      />
      <Agents view={view} change={change} />
    </>
  );
}

/** Which components are shown, how, and in which order. */
export function TopologyFilters(props: TopologyFiltersProps) {
  const { view, change } = props;
  const chosen = filterCount(view);
  return (
    <search className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-2">
      <span className="contents max-tablet:hidden">
        <Choices {...props} />
      </span>
      <span className="tablet:hidden">
        <Popover
          label="Filters"
          renderTrigger={(trigger) => (
            <Button icon={<SlidersHorizontal size={14} strokeWidth={1.75} />} {...trigger}>
              Filters{chosen > 0 ? ` (${chosen})` : ""}
            </Button>
          )}
        >
          {() => (
            <div className="flex max-h-(--available-height) w-80 flex-col items-start gap-3 overflow-auto p-3">
              <Choices {...props} />
            </div>
          )}
        </Popover>
      </span>
      {/* A graph has an order of its own. */}
      {!view.isGraph && <Sort {...props} />}
      {chosen > 0 && (
        <Button kind="quiet" onClick={() => change(unfiltered)}>
          Clear filters
        </Button>
      )}
      <span className="ml-auto inline-flex items-center gap-2">
        <IconButton
          label="Look back"
          aria-pressed={view.at !== undefined}
          icon={<History size={16} strokeWidth={1.75} />}
          onClick={() => change({ at: view.at === undefined ? "now" : undefined })}
        />
        <SegmentedField
          label="Shown as"
          value={view.isGraph ? "graph" : "cards"}
          options={[
            { value: "cards", label: "Cards" },
            { value: "graph", label: "Graph" },
          ]}
          onChange={(value) => change({ isGraph: value === "graph" })}
        />
      </span>
    </search>
  );
}
