import { Columns3 } from "lucide-react";
import type { ComponentType } from "react";
import { IconButton } from "../Button.tsx";
import { Menu, type OpenMenuProps } from "../Menu.tsx";
import type { Column } from "./column.ts";
import type { Exported } from "../export/export-entries.tsx";
import { lazyPart } from "../lazy-part.tsx";
import type { ColumnState, PlacedColumns } from "./place-columns.ts";

export interface ColumnMenuProps<Row> {
  columns: readonly Column<Row>[];
  state: ColumnState;
  /** Those that are shown: others may be neither hidden nor have room. */
  placed: PlacedColumns<Row>;
  /** Told as well which one was just ticked. */
  onChange: (state: ColumnState, ticked?: string) => void;
  /** Offers what is shown as a file. */
  exported: Exported<Row> | undefined;
}

const loadPopup = () => import("../popups/ColumnMenuPopup.tsx");
const Popup = lazyPart(() => loadPopup().then((module) => module.ColumnMenuPopup));

export function ColumnMenu<Row>(props: ColumnMenuProps<Row>) {
  const name = props.exported ? "Columns and export" : "Columns";
  // lazy loses the type parameter; the cast gives it back.
  const Own = Popup as unknown as ComponentType<ColumnMenuProps<Row> & OpenMenuProps>;
  return (
    <Menu
      label={name}
      loadPopup={loadPopup}
      renderPopup={(opened) => <Own {...opened} {...props} />}
      renderTrigger={(trigger) => (
        <IconButton
          label={name}
          icon={<Columns3 size={14} strokeWidth={1.75} />}
          {...trigger}
          className="size-6!"
        />
      )}
    />
  );
}
