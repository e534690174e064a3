import { Bookmark } from "lucide-react";
import { lazy } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { useSession } from "#lib/use-access.ts";
import type { HealthView } from "../view/health-view.ts";

const ViewsPanel = lazy(() =>
  import("./ViewsPanel.tsx").then((module) => ({ default: module.ViewsPanel })),
);

/** The views that the reader saved of this page; nobody in particular has none. */
export function ViewsMenu({ view }: { view: HealthView }) {
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
      {(close) => <ViewsPanel view={view} onClose={close} />}
    </Popover>
  );
}
