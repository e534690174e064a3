import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { Suspense } from "react";
import { healths } from "@mainstay/contract/catalog.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { FilterChoices } from "@mainstay/ui/filters/FilterChoices.tsx";
import { TriStateSelect } from "@mainstay/ui/filters/TriStateSelect.tsx";
import {
  describeTriStateFilter,
  noFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { readShownColumns } from "@mainstay/ui/data-table/use-column-state.ts";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { ViewsMenu } from "#lib/saved-views/ViewsMenu.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { SearchBox } from "../search/SearchBox.tsx";
import {
  type CatalogView,
  catalogCodec,
  formatGroups,
  isFiltered,
  layoutOf,
  splitLabel,
  unfiltered,
  usualGroupText,
} from "./catalog-view.ts";
import { catalogColumnsKey } from "./CatalogTable.tsx";
import { catalogColumns } from "./columns.tsx";
import { itemQueries } from "./queries.ts";
import { catalogViews, searchOf } from "./saved-views.ts";

export interface CatalogFiltersProps {
  view: CatalogView;
  change: ChangeUrl<CatalogView>;
  tagKeys: readonly string[];
}

const plainGroups = [
  { value: "config_class", label: "Provider" },
  { value: "type", label: "Type" },
  { value: "name", label: "Name" },
  { value: "analysis", label: "Insights" },
  { value: "changed", label: "Changed" },
];

function GroupBy({ view, change, tagKeys }: CatalogFiltersProps) {
  const chosen = formatGroups(view.groupBy);
  const isList = layoutOf(view) === "list";
  const offered = [
    // Items one by one are not grouped unless somebody says so.
    { value: usualGroupText, label: isList ? "None" : "Provider and type" },
    ...plainGroups,
    ...tagKeys.map((key) => ({ value: `${key}__tag,type`, label: `Tag ${key}` })),
  ];
  const own = view.groupBy.map((group) => (group.of === "tag" ? group.key : group.of)).join(", ");
  return (
    <Select
      label="Group By"
      className="max-w-48"
      value={chosen}
      onChange={(groupBy) =>
        change({ groupBy: catalogCodec.parse({ groupBy }).groupBy, expanded: noFilter })
      }
      // An address may say more than the list does.
      options={
        offered.some(({ value }) => value === chosen)
          ? offered
          : [...offered, { value: chosen, label: own }]
      }
    />
  );
}

function Type({ view, change }: Omit<CatalogFiltersProps, "tagKeys">) {
  const { data = [] } = useQuery(itemQueries.types());
  const types = [
    ...new Set([...data, ...(view.configType === undefined ? [] : [view.configType])]),
  ];
  return (
    <Select
      label="Type"
      className="max-w-52"
      value={view.configType ?? "all"}
      onChange={(type) => change({ configType: type === "all" ? undefined : type })}
      options={[
        { value: "all", label: "All" },
        ...types.toSorted().map((type) => ({ value: type, label: type })),
      ]}
    />
  );
}

const healthOptions = healths
  .map((value) => ({ value, label: value[0]!.toUpperCase() + value.slice(1) }))
  .toReversed();

function Status({ view, change }: Omit<CatalogFiltersProps, "tagKeys">) {
  const { data = [] } = useQuery(itemQueries.statuses());
  // One that is chosen stays, whether or not there are items of it now.
  const all = [...new Set([...data, ...view.status.keys()])].toSorted();
  return (
    <TriStateSelect
      label="Status"
      options={all.map((value) => ({ value, label: value }))}
      filter={view.status}
      onChange={(status) => change({ status })}
    />
  );
}

const inWords = (id: string) => {
  const { key, value } = splitLabel(id);
  return value === "" ? `no ${key}` : `${key}=${value}`;
};

interface LabelsProps {
  filter: TriStateFilter;
  onChange: (filter: TriStateFilter) => void;
}

// Nobody needs it who does not open it.
const LabelValues = lazyPart(() =>
  import("./labels/LabelValues.tsx").then((module) => module.LabelValues),
);

function Labels({ filter, onChange }: LabelsProps) {
  const words = describeTriStateFilter(filter, inWords);
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span aria-hidden="true" className="shrink-0 text-xs text-muted">
        Labels
      </span>
      <Popover
        label="Labels: include or exclude values"
        renderTrigger={(trigger) => (
          <button
            type="button"
            aria-label={`Labels: ${words}`}
            className="field inline-flex max-w-60 min-w-0 items-center gap-1.5"
            {...trigger}
          >
            <span className={classNames("truncate", filter.size > 0 && "font-medium")}>
              {words}
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
        {() => (
          <Suspense>
            <LabelValues filter={filter} onChange={onChange} inWords={inWords} />
          </Suspense>
        )}
      </Popover>
    </span>
  );
}

function Choices(props: CatalogFiltersProps) {
  const { view, change } = props;
  return (
    <>
      <Type view={view} change={change} />
      <GroupBy {...props} />
      <TriStateSelect
        label="Health"
        options={healthOptions}
        filter={view.health}
        onChange={(health) => change({ health })}
      />
      <Status view={view} change={change} />
      <Labels filter={view.labels} onChange={(labels) => change({ labels })} />
    </>
  );
}

/** With the columns that the reader sees. */
function withColumns(view: CatalogView, hasCosts: boolean): CatalogView {
  if (view.columns) return view;
  const layout = layoutOf(view);
  const columns = catalogColumns({
    layout,
    hasCosts,
    isOfOneType: view.configType !== undefined,
  });
  return { ...view, columns: readShownColumns(columns, catalogColumnsKey(layout)) };
}

/** What is searched, filtered and grouped. */
export function CatalogFilters(props: CatalogFiltersProps) {
  const { view, change } = props;
  const hasCosts = useAccess().isOn("config.cost");
  const { health, status, labels, configType } = view;
  const chosen =
    [health, status, labels].filter(({ size }) => size > 0).length +
    (configType === undefined ? 0 : 1);
  return (
    <search className="@container shrink-0 border-b">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
        <SearchBox
          of="items"
          label="Search the catalog"
          placeholder="Search: words, type=pod"
          text={view.search}
          onSearch={(search) => change({ search }, { replace: true })}
          className="max-w-[520px] min-w-40 flex-[1_1_220px] max-tablet:max-w-none max-phone:basis-full"
        />
        <FilterChoices chosen={chosen}>
          <Choices {...props} />
        </FilterChoices>
        <ViewsMenu of={catalogViews} current={() => searchOf(withColumns(view, hasCosts))} />
        {isFiltered(view) && (
          <Button kind="quiet" onClick={() => change(unfiltered)}>
            Clear filters
          </Button>
        )}
      </div>
    </search>
  );
}
