import { useQuery } from "@tanstack/react-query";
import type { FoundChange } from "@mainstay/contract/catalog-answers.ts";
import { changeSeverities } from "@mainstay/contract/catalog.ts";
import { FilterChoices } from "@mainstay/ui/filters/FilterChoices.tsx";
import { TriStateSelect } from "@mainstay/ui/filters/TriStateSelect.tsx";
import type { TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { Select } from "@mainstay/ui/Select.tsx";
import { Switch } from "@mainstay/ui/Switch.tsx";
import { TimeRangePicker } from "@mainstay/ui/time-range/TimeRangePicker.tsx";
import { useContext } from "react";
import { ViewsMenu } from "#lib/saved-views/ViewsMenu.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { SearchBox } from "../search/SearchBox.tsx";
import { catalogLists } from "../shared/queries.ts";
import { PeopleContext } from "./Author.tsx";
import { changeViews, searchOf } from "./saved-views.ts";
import { isSelectable } from "./search-body.ts";
import { type ChangesView, countFilters } from "./view.ts";

const asOptions = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** Of what nobody can list quickly: the values that are shown, and those that are chosen already. */
const seen = (values: readonly (string | null)[], chosen: TriStateFilter): string[] =>
  [...new Set([...values.flatMap((value) => (value ? [value] : [])), ...chosen.keys()])].toSorted();

export interface ChangeFiltersProps {
  view: ChangesView;
  change: ChangeUrl<ChangesView>;
  /** The changes on the page. */
  shown: readonly FoundChange[];
  isOfOne: boolean;
}

export function ChangeFilters({ view, change, shown, isOfOne }: ChangeFiltersProps) {
  const types = useQuery(catalogLists.types);
  const changeTypes = useQuery(catalogLists.changeTypes);
  const tags = useQuery(catalogLists.tags);
  const people = useContext(PeopleContext);
  const narrow = (filter: Partial<ChangesView>) => change({ ...filter, pageIndex: 0 });
  const authors = seen(
    shown.map(({ created_by, external_created_by }) => external_created_by ?? created_by),
    view.authors,
  );
  return (
    <>
      <SearchBox
        of="changes"
        label="Search changes"
        placeholder="Search: words, type=diff"
        text={view.query}
        onSearch={(query) => change({ query, pageIndex: 0 }, { replace: true })}
        className="max-w-[420px] min-w-40 flex-[1_1_200px] @max-3xl:max-w-none @max-3xl:basis-full"
      />
      {isOfOne && (
        <span className="flex items-center gap-4">
          <Switch
            label="Downstream"
            checked={view.downstream}
            onChange={(downstream) => narrow({ downstream })}
          />
          <Switch
            label="Upstream"
            checked={view.upstream}
            onChange={(upstream) => narrow({ upstream })}
          />
        </span>
      )}
      <FilterChoices chosen={countFilters(view)}>
        <TriStateSelect
          label="Type"
          options={asOptions(types.data ?? [])}
          filter={view.configTypes}
          onChange={(configTypes) => narrow({ configTypes })}
        />
        <TriStateSelect
          label="Change"
          options={asOptions(changeTypes.data ?? [])}
          filter={view.changeTypes}
          onChange={(chosen) => narrow({ changeTypes: chosen })}
        />
        <Select
          label="Severity"
          className="max-w-44"
          value={view.severity}
          options={[
            { value: "", label: "All" },
            ...changeSeverities.slice(0, -1).map((value, place) => ({
              value,
              label: place === 0 ? value : `${value} and above`,
            })),
          ]}
          onChange={(chosen) =>
            narrow({ severity: changeSeverities.find((one) => one === chosen) ?? "" })
          }
        />
        <TriStateSelect
          label="Tags"
          options={(tags.data ?? []).flatMap(({ key, value }) =>
            key && value && isSelectable(key) && isSelectable(value)
              ? [{ value: `${key}=${value}`, label: `${key}=${value}` }]
              : [],
          )}
          filter={view.tags}
          onChange={(chosen) => narrow({ tags: chosen })}
        />
        <TriStateSelect
          label="Created by"
          options={authors.map((value) => ({ value, label: people.get(value)?.name ?? value }))}
          filter={view.authors}
          onChange={(chosen) => narrow({ authors: chosen })}
        />
        <TriStateSelect
          label="Source"
          options={asOptions(
            seen(
              shown.map(({ source }) => source),
              view.sources,
            ),
          )}
          filter={view.sources}
          onChange={(sources) => narrow({ sources })}
        />
      </FilterChoices>
      <span className="ml-auto flex items-center gap-2">
        {!isOfOne && <ViewsMenu of={changeViews} current={() => searchOf(view)} />}
        <TimeRangePicker value={view.timeRange} onChange={(timeRange) => narrow({ timeRange })} />
      </span>
    </>
  );
}
