import { Trash2 } from "lucide-react";
import { Age, exactTime } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";

/** Said of an item that is gone, where there is room for no words. */
export function DeletedSign({ at }: { at: string | null }) {
  if (!at) return null;
  return (
    <Badge tone="unhealthy" tooltip={`Deleted ${exactTime(Date.parse(at))}`}>
      <Trash2 aria-hidden="true" size={12} strokeWidth={1.75} className="shrink-0" />
      <span className="sr-only">
        Deleted <Age at={at} />
      </span>
    </Badge>
  );
}
