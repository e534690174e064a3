import { type Exported, exportEntries } from "../export/export-entries.tsx";
import type { OpenMenuProps } from "../Menu.tsx";
import { MenuPopup } from "./MenuPopup.tsx";

/** The menu of a table on a phone, fetched when it is first approached. */
export const ExportMenuPopup = <Row,>({
  exported,
  ...opened
}: OpenMenuProps & { exported: Exported<Row> }) => (
  <MenuPopup {...opened} entries={exportEntries(exported)} />
);
