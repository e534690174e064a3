import { LayoutGrid, Search, SlidersHorizontal, Table2 } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { noFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { RefreshRateSelect } from "@mainstay/ui/RefreshRateSelect.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { TimeRangePicker } from "@mainstay/ui/time-range/TimeRangePicker.tsx";
import { rangeMinutes, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { useDebouncedText } from "#lib/use-debounced.ts";
import { useSearchKey } from "#lib/use-search-key.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { ViewsMenu } from "#lib/saved-views/ViewsMenu.tsx";
import { readShownColumns } from "@mainstay/ui/data-table/use-column-state.ts";
import { healthViews, searchOf } from "../saved-views/view-search.ts";
import { expiryColumn, healthColumns } from "./columns.tsx";
import { healthColumnsKey } from "./columns-key.ts";
import {
  allTab,
  labelPrefix,
  noGrouping,
  pivotCells,
  type HealthView,
} from "../view/health-view.ts";
import type { LabelFacet } from "../view/label-filters.ts";

/** Document 1, section 2. */
const searchDelayMs = 400;
const searchHint = "Search by name, description, or endpoint";
const listedLabels = 300;

export interface HealthOptionsProps {
  view: HealthView;
  change: ChangeUrl<HealthView>;
  facets: readonly LabelFacet[];
}

/** What a choice by label key offers; a key in the address that no check carries stays choosable. */
function labelOptions(facets: readonly LabelFacet[], current: string) {
  const keys = facets.slice(0, listedLabels).map(({ key }) => key);
  const own = current.startsWith(labelPrefix) ? current.slice(labelPrefix.length) : undefined;
  if (own !== undefined && !keys.includes(own)) keys.push(own);
  return keys.map((key) => ({ value: `${labelPrefix}${key}`, label: key }));
}

const cellWords = { health: "Health", uptime: "Uptime", latency: "Latency" } as const;

/** What the cells of a pivot show; nothing without one. */
export function PivotCells({
  view,
  change,
  hideLabel = false,
}: Pick<HealthOptionsProps, "view" | "change"> & { hideLabel?: boolean }) {
  if (view.pivotBy === noGrouping) return null;
  return (
    <Select
      label="Cells"
      hideLabel={hideLabel}
      value={view.pivotCellType}
      onChange={(value) =>
        change({ pivotCellType: pivotCells.find((cell) => cell === value) ?? "health" })
      }
      options={pivotCells.map((value) => ({
        value,
        label: hideLabel ? `Cells: ${cellWords[value].toLowerCase()}` : cellWords[value],
      }))}
    />
  );
}

/** Group By, Tab By and the pivot. */
export function HealthOptions({ view, change, facets }: HealthOptionsProps) {
  const pivotValue = view.pivotBy === "label" ? `${labelPrefix}${view.pivotLabel}` : view.pivotBy;
  return (
    <>
      <Select
        label="Group By"
        value={view.groupBy}
        onChange={(groupBy) => change({ groupBy, expanded: noFilter })}
        className="max-w-52"
        options={[
          { value: noGrouping, label: "No Grouping" },
          { value: "canary_name", label: "Group Name" },
          { value: "name", label: "Name" },
          { value: "description", label: "Description" },
          { value: "type", label: "Type" },
          ...labelOptions(facets, view.groupBy),
        ]}
      />
      <Select
        label="Tab By"
        value={view.tabBy}
        onChange={(tabBy) => change({ tabBy, tab: allTab })}
        className="max-w-48"
        options={[
          { value: "namespace", label: "Namespace" },
          { value: "agent_id", label: "Agent" },
          ...labelOptions(facets, view.tabBy),
        ]}
      />
      <Select
        label="Pivot By"
        value={pivotValue}
        onChange={(value) =>
          change(
            value.startsWith(labelPrefix)
              ? { pivotBy: "label", pivotLabel: value.slice(labelPrefix.length) }
              : { pivotBy: value, pivotLabel: "" },
          )
        }
        className="max-w-44"
        options={[
          { value: noGrouping, label: "None" },
          { value: "namespace", label: "Namespace" },
          { value: "agent_id", label: "Agent" },
          ...labelOptions(facets, pivotValue),
        ]}
      />
    </>
  );
}

export interface HealthBarProps extends HealthOptionsProps {
  /** Group By and its like stand beside the list. */
  hasOptionsBeside: boolean;
  range: TimeRange;
  rateMs: number;
  onRate: (rateMs: number) => void;
  /** Groups, tabs and filters in one popup, where there is no room for them. */
  compactFilters: ReactNode;
  chosenFilters: number;
}

const layouts = [
  { id: "table", label: "Table", Mark: Table2 },
  { id: "card", label: "Cards", Mark: LayoutGrid },
] as const;

export function HealthBar(props: HealthBarProps) {
  const { view, change, facets, range, rateMs, onRate, compactFilters, chosenFilters } = props;
  const [query, setQuery] = useDebouncedText(
    view.query,
    (text) => change({ query: text }, { replace: true }),
    searchDelayMs,
  );
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field);

  return (
    <search className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-2.5 max-phone:gap-2">
      <span className="relative min-w-40 max-w-[330px] flex-[1_1_160px] max-tablet:max-w-none">
        <Search
          aria-hidden="true"
          size={14}
          strokeWidth={1.75}
          className="pointer-events-none absolute top-1/2 left-2 -translate-y-1/2 text-muted"
        />
        <input
          ref={field}
          type="search"
          aria-label={searchHint}
          aria-keyshortcuts="/"
          placeholder={searchHint}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="field w-full pl-7"
        />
      </span>
      {!props.hasOptionsBeside && (
        <span className="contents max-wide:hidden">
          <HealthOptions view={view} change={change} facets={facets} />
        </span>
      )}
      <span className="wide:hidden">
        <Popover
          label="Filters"
          align="end"
          renderTrigger={(trigger) => (
            <Button icon={<SlidersHorizontal size={14} strokeWidth={1.75} />} {...trigger}>
              Filters{chosenFilters > 0 ? ` (${chosenFilters})` : ""}
            </Button>
          )}
        >
          {() => (
            <div className="flex max-h-(--available-height) w-72 flex-col gap-3 overflow-auto p-3">
              {compactFilters}
            </div>
          )}
        </Popover>
      </span>
      <ViewsMenu
        of={healthViews}
        current={() =>
          searchOf({
            ...view,
            columns:
              view.columns ?? readShownColumns([...healthColumns, expiryColumn], healthColumnsKey),
          })
        }
      />
      <span className="ml-auto flex flex-wrap items-center gap-2 max-phone:ml-0 max-phone:w-full">
        {/* A pivot is laid out in one way, and its cells in three. */}
        {view.pivotBy === noGrouping ? (
          <fieldset aria-label="Layout" className="flex">
            {layouts.map(({ id, label, Mark }, index) => (
              <button
                key={id}
                type="button"
                aria-label={label}
                aria-pressed={view.layout === id}
                data-tooltip={label}
                onClick={() => change({ layout: id })}
                className={classNames(
                  "flex size-7 items-center justify-center border border-control",
                  index === 0 ? "rounded-l-control" : "-ml-px rounded-r-control",
                  view.layout === id
                    ? "bg-selected text-text"
                    : "bg-raised text-muted hover:bg-hover",
                )}
              >
                <Mark size={14} strokeWidth={1.75} />
              </button>
            ))}
          </fieldset>
        ) : (
          <span className="contents max-tablet:hidden">
            <PivotCells view={view} change={change} hideLabel />
          </span>
        )}
        <TimeRangePicker value={range} onChange={(timeRange) => change({ timeRange })} />
        <RefreshRateSelect rateMs={rateMs} rangeMinutes={rangeMinutes(range)} onChange={onRate} />
      </span>
    </search>
  );
}
