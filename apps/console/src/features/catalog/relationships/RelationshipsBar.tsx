import { Button } from "@mainstay/ui/Button.tsx";
import { SegmentedField } from "@mainstay/ui/fields/SegmentedField.tsx";
import { FilterChoices } from "@mainstay/ui/filters/FilterChoices.tsx";
import type { TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { TriStateSelect } from "@mainstay/ui/filters/TriStateSelect.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { ItemIcon } from "../shared/ItemIcon.tsx";
import { type optionsOf, relationLabel } from "./find-related.ts";
import { isFiltered, type RelationshipsView, unfiltered } from "./relationships-view.ts";

export interface RelationshipsBarProps {
  view: RelationshipsView;
  change: ChangeUrl<RelationshipsView>;
  options: ReturnType<typeof optionsOf>;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Choices({ view, change, options }: RelationshipsBarProps) {
  const select = (
    label: string,
    name: keyof typeof unfiltered,
    labelOf: (value: string) => string = (value) => value,
  ) => (
    <TriStateSelect
      label={label}
      options={options[name].map((value) => ({
        value,
        label: labelOf(value),
        ...(name === "configTypes" && { icon: <ItemIcon type={value} size={14} /> }),
      }))}
      filter={view[name]}
      onChange={(filter: TriStateFilter) => change({ [name]: filter })}
    />
  );
  return (
    <>
      {select("Type", "configTypes")}
      {select("Health", "health", capitalized)}
      {select("Status", "status")}
      {select("Relationship", "relationship", relationLabel)}
      {select("Tags", "tags")}
      {select("Labels", "labels")}
    </>
  );
}

/** Which ways and ties are followed, what is looked for, and how it is shown. */
export function RelationshipsBar(props: RelationshipsBarProps) {
  const { view, change } = props;
  const toggle = (label: string, tooltip: string, name: "outgoing" | "incoming" | "soft") => (
    <Button
      aria-pressed={view[name]}
      data-tooltip={tooltip}
      onClick={() => change({ [name]: !view[name] })}
    >
      {label}
    </Button>
  );
  const chosen = Object.keys(unfiltered).filter(
    (name) => view[name as keyof typeof unfiltered].size > 0,
  ).length;
  return (
    <div className="@container shrink-0 border-b">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
        <span role="group" aria-label="Relationships that are followed" className="flex gap-1">
          {toggle("Outgoing", "What hangs on this item, and on that", "outgoing")}
          {toggle("Incoming", "What this item hangs on, and what that does", "incoming")}
          {toggle("Soft", "Other ties than those of parents and children", "soft")}
        </span>
        <FilterChoices chosen={chosen}>
          <Choices {...props} />
        </FilterChoices>
        {isFiltered(view) && (
          <Button kind="quiet" onClick={() => change(unfiltered)}>
            Clear filters
          </Button>
        )}
        <span className="ml-auto">
          <SegmentedField
            label="Shown as"
            value={view.isGraph ? "graph" : "table"}
            options={[
              { value: "table", label: "Table" },
              { value: "graph", label: "Graph" },
            ]}
            onChange={(value) => change({ isGraph: value === "graph" })}
          />
        </span>
      </div>
    </div>
  );
}
