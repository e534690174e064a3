import { Bookmark } from "lucide-react";
import { Button } from "@mainstay/ui/Button.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { useSession } from "#lib/use-access.ts";
import type { SavedPage } from "./saved-page.ts";

const ViewsPanel = lazyPart(() => import("./ViewsPanel.tsx").then((module) => module.ViewsPanel));

export interface ViewsMenuProps {
  of: SavedPage;
  /** What is shown, as an address, with the columns that are shown. */
  current: () => string;
}

/** The views that the reader saved of this page; nobody in particular has none. */
export function ViewsMenu({ of, current }: ViewsMenuProps) {
  const { person } = useSession();
  if (person === null) return null;
  return (
    <Popover
      label="Saved views"
      align="end"
      renderTrigger={(trigger) => (
        <Button icon={<Bookmark size={14} strokeWidth={1.75} />} {...trigger}>
          <span className="max-phone:sr-only">Views</span>
        </Button>
      )}
    >
      {(close) => <ViewsPanel of={of} current={current()} onClose={close} />}
    </Popover>
  );
}
