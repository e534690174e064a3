import { Settings2 } from "lucide-react";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { Switch } from "@mainstay/ui/Switch.tsx";
import { setHideDeleted, useHideDeleted } from "../shared/hide-deleted.ts";

/** What the reader has chosen for all pages of the catalog; kept by this browser. */
export function CatalogPreferences() {
  const hideDeleted = useHideDeleted();
  return (
    <Popover
      label="Preferences"
      align="end"
      renderTrigger={(trigger) => (
        <IconButton
          label="Preferences"
          icon={<Settings2 size={16} strokeWidth={1.75} />}
          {...trigger}
        />
      )}
    >
      {() => (
        <div className="flex w-64 flex-col gap-2 p-3">
          <Switch label="Hide Deleted Catalog" checked={hideDeleted} onChange={setHideDeleted} />
          <p className="m-0 text-xs text-muted">
            Items that are gone, and their changes, are left out everywhere in the catalog.
          </p>
        </div>
      )}
    </Popover>
  );
}
