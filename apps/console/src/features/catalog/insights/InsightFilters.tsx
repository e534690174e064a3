import { useQuery } from "@tanstack/react-query";
import { analysisTypes, insightSeverities, insightStatuses } from "@mainstay/contract/catalog.ts";
import { FilterChoices } from "@mainstay/ui/filters/FilterChoices.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { ViewsMenu } from "#lib/saved-views/ViewsMenu.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { SearchBox } from "../search/SearchBox.tsx";
import { catalogLists } from "../shared/queries.ts";
import { insightTypes } from "../figures/insight-looks.ts";
import { insightQueries, mostComponents } from "./queries.ts";
import { countFilters, type InsightsView } from "./view.ts";
import { insightViews, searchOf } from "./saved-views.ts";

interface OneOfProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string; disabled?: boolean }[];
  onChange: (value: string) => void;
}

/** All of them, or one; what the address names is there although the list does not have it. */
function OneOf({ label, value, options, onChange }: OneOfProps) {
  const isListed = value === "" || options.some((option) => option.value === value);
  return (
    <Select
      label={label}
      className="max-w-60"
      value={value}
      options={[
        { value: "", label: "All" },
        ...(isListed ? [] : [{ value, label: value }]),
        ...options,
      ]}
      onChange={onChange}
    />
  );
}

const asOptions = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

export interface InsightFiltersProps {
  view: InsightsView;
  change: ChangeUrl<InsightsView>;
  isOfOne: boolean;
}

export function InsightFilters({ view, change, isOfOne }: InsightFiltersProps) {
  const analyzers = useQuery(insightQueries.analyzers);
  const types = useQuery({ ...catalogLists.types, enabled: !isOfOne });
  const components = useQuery({ ...insightQueries.components, enabled: !isOfOne });
  const narrow = (filter: Partial<InsightsView>) => change({ ...filter, pageIndex: 0 });
  const named = components.data ?? [];
  return (
    <>
      <SearchBox
        of="insights"
        label="Search insights"
        placeholder="Search: words, type=security"
        text={view.query}
        onSearch={(query) => change({ query, pageIndex: 0 }, { replace: true })}
        className="max-w-[420px] min-w-40 flex-[1_1_260px] @max-3xl:max-w-none @max-3xl:basis-full"
      />
      <FilterChoices chosen={countFilters(view)}>
        <OneOf
          label="Type"
          value={view.type}
          options={analysisTypes.map((value) => ({ value, label: insightTypes[value].label }))}
          onChange={(chosen) => narrow({ type: analysisTypes.find((one) => one === chosen) ?? "" })}
        />
        <OneOf
          label="Severity"
          value={view.severity}
          options={asOptions(insightSeverities)}
          onChange={(chosen) =>
            narrow({ severity: insightSeverities.find((one) => one === chosen) ?? "" })
          }
        />
        <OneOf
          label="Status"
          value={view.status}
          options={asOptions(insightStatuses)}
          onChange={(chosen) =>
            narrow({ status: insightStatuses.find((one) => one === chosen) ?? "" })
          }
        />
        <OneOf
          label="Analyzer"
          value={view.analyzer}
          options={asOptions(analyzers.data ?? [])}
          onChange={(analyzer) => narrow({ analyzer })}
        />
        {!isOfOne && (
          <OneOf
            label="Catalog type"
            value={view.configType}
            options={asOptions(types.data ?? [])}
            onChange={(configType) => narrow({ configType })}
          />
        )}
        {!isOfOne && (named.length > 0 || view.component !== "") && (
          <OneOf
            label="Component"
            value={view.component}
            options={[
              ...named.slice(0, mostComponents).map(({ id, name }) => ({ value: id, label: name })),
              ...(named.length > mostComponents
                ? [
                    {
                      value: "more",
                      label: `The first ${mostComponents} are listed`,
                      disabled: true,
                    },
                  ]
                : []),
            ]}
            onChange={(component) => narrow({ component })}
          />
        )}
      </FilterChoices>
      {!isOfOne && (
        <span className="ml-auto">
          <ViewsMenu of={insightViews} current={() => searchOf(view)} />
        </span>
      )}
    </>
  );
}
