import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../Button.tsx";
import { Menu } from "../Menu.tsx";
import { Select } from "../Select.tsx";
import type { Column, Sort } from "../data-table/column.ts";
import { type Exported, exportEntries } from "../export/export-entries.tsx";

export interface PhoneTableBarProps<Row> {
  columns: readonly Column<Row>[];
  sort: Sort | null;
  onSort: ((sort: Sort | null) => void) | undefined;
  selectAll?: ReactNode;
  exported: Exported<Row> | undefined;
}

const written = (sort: Sort | null) => (sort ? `${sort.desc ? "desc" : "asc"} ${sort.by}` : "");

/** What the header of a table offers, where there is no room for a header. */
export function PhoneTableBar<Row>(props: PhoneTableBarProps<Row>) {
  const { columns, sort, onSort, selectAll, exported } = props;
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
                icon={<Download size={16} strokeWidth={1.75} />}
                {...trigger}
              />
            )}
            entries={exportEntries(exported)}
          />
        </span>
      )}
    </div>
  );
}
