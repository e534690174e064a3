import { Suspense } from "react";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { HealthBadge } from "../figures/HealthBadge.tsx";
import { ItemIcon } from "../shared/ItemIcon.tsx";
import { itemName } from "../shared/ItemLink.tsx";
import { DeletedMark, StaleMark } from "../figures/marks.tsx";
import type { Item } from "./queries.ts";

const BrokeLink = lazyPart(() =>
  import("../changes/BrokeLink.tsx").then((module) => module.BrokeLink),
);

/** Which item it is, how it is, and whether that is still so. */
export function ItemHeader({ item }: { item: Item | undefined }) {
  if (!item)
    return (
      <div className="flex min-h-10 shrink-0 items-center gap-2 px-4">
        <span className="skeleton size-4" />
        <span className="skeleton h-4 w-56" />
        <span className="skeleton h-4 w-20" />
      </div>
    );
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-sm">
      <span className="flex max-w-full min-w-0 items-center gap-2">
        <ItemIcon type={item.type} />
        <bdi className="truncate font-semibold">{itemName(item)}</bdi>
        <span className="truncate text-muted max-phone:hidden">{item.type}</span>
      </span>
      <HealthBadge health={item.health} status={item.status} isDeleted={item.deleted_at !== null} />
      {item.deleted_at === null ? (
        <StaleMark at={item.last_scraped_time} />
      ) : (
        <DeletedMark at={item.deleted_at} reason={item.delete_reason} />
      )}
      <Suspense>
        <BrokeLink item={item} />
      </Suspense>
    </div>
  );
}
