import { ArrowDownToLine } from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { IconButton } from "../Button.tsx";
import { Menu, type OpenMenuProps } from "../Menu.tsx";
import { Select } from "../Select.tsx";
import type { Column, Sort } from "../data-table/column.ts";
import type { Exported } from "../export/export-entries.tsx";
import { lazyPart } from "../lazy-part.tsx";

export interface PhoneTableBarProps<Row> {
  columns: readonly Column<Row>[];
  sort: Sort | null;
  onSort: ((sort: Sort | null) => void) | undefined;
  selectAll?: ReactNode;
  exported: Exported<Row> | undefined;
}

const loadPopup = () => import("../popups/ExportMenuPopup.tsx");
const Popup = lazyPart(() => loadPopup().then((module) => module.ExportMenuPopup));

const written = (sort: Sort | null) => (sort ? `${sort.desc ? "desc" : "asc"} ${sort.by}` : "");

/** What the header of a table offers, where there is no room for a header. */
export function PhoneTableBar<Row>(props: PhoneTableBarProps<Row>) {
  const { columns, sort, onSort, selectAll, exported } = props;
  // lazy loses the type parameter; the cast gives it back.
  const Own = Popup as unknown as ComponentType<OpenMenuProps & { exported: Exported<Row> }>;
  const choices = columns
    .filter((column) => column.sortable)
    .flatMap(({ id, header }) =>
      [false, true].map((desc) => ({
        sort: { by: id, desc },
        label: `${header}, ${desc ? "descending" : "ascending"}`,
      })),
    );
  return (
    <div className="sticky top-0 z-10 flex h-10 items-center gap-2 border-b bg-surface pr-2">
      {selectAll}
      {onSort && choices.length > 0 && (
        <Select
          label="Sort by"
          className="min-w-0 flex-1 pl-2"
          value={written(sort)}
          options={[
            { value: "", label: "Default order" },
            ...choices.map((choice) => ({ value: written(choice.sort), label: choice.label })),
          ]}
          onChange={(value) =>
            onSort(choices.find((choice) => written(choice.sort) === value)?.sort ?? null)
          }
        />
      )}
      {exported && (
        <span className="ml-auto flex">
          <Menu
            label="Export"
            renderTrigger={(trigger) => (
              <IconButton
                label="Export"
                icon={<ArrowDownToLine size={16} strokeWidth={1.75} />}
                {...trigger}
              />
            )}
            loadPopup={loadPopup}
            renderPopup={(opened) => <Own {...opened} exported={exported} />}
          />
        </span>
      )}
    </div>
  );
}
