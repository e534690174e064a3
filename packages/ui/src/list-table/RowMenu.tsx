import { MoreHorizontal } from "lucide-react";
import { IconButton } from "../Button.tsx";
import { Menu, type MenuEntry } from "../Menu.tsx";

/** What can be done with one row of a list. Opening it does not open the row. */
export function RowMenu({
  name,
  entries,
  isBusy = false,
}: {
  name: string;
  entries: readonly MenuEntry[];
  isBusy?: boolean;
}) {
  const label = `Actions for ${name}`;
  return (
    <span role="presentation" onClick={(event) => event.stopPropagation()}>
      <Menu
        label={label}
        entries={entries}
        renderTrigger={(trigger) => (
          <IconButton
            label={label}
            aria-busy={isBusy}
            icon={<MoreHorizontal size={16} strokeWidth={1.75} />}
            {...trigger}
          />
        )}
      />
    </span>
  );
}
