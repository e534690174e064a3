import { History } from "lucide-react";
import { Age, exactTime } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { toServerTime } from "#lib/server-clock.ts";

/** Document 2, section 2. */
const staleMs = 3_600_000;

export const isStale = (scrapedAt: string | null | undefined, serverNow: number): boolean =>
  typeof scrapedAt === "string" && serverNow - Date.parse(scrapedAt) > staleMs;

export interface StaleMarkProps {
  /** `last_scraped_time`. */
  at: string | null | undefined;
  /** Only the sign, where there is room for no words. */
  isShort?: boolean;
}

/** Said of an item that its scraper has not seen for more than an hour; of any other nothing. */
export function StaleMark({ at, isShort = false }: StaleMarkProps) {
  const stale = useClock((now) => isStale(at, toServerTime(now)));
  if (!stale || !at) return null;
  const words = "Last scraped more than 1 hour ago";
  const mark = <History aria-hidden="true" size={12} strokeWidth={1.75} className="shrink-0" />;
  return (
    <Badge tone="warning" tooltip={`${words}\n${exactTime(Date.parse(at))}`}>
      {mark}
      {isShort ? (
        <span className="sr-only">{words}</span>
      ) : (
        <span className="truncate">
          {words}: <Age at={at} />
        </span>
      )}
    </Badge>
  );
}

const reasons: Readonly<Record<string, string>> = {
  STALE: "its scraper did not find it any more",
  FROM_ATTRIBUTE: "what was scraped says so",
  FROM_DELETE_FIELD: "what was scraped says so",
  FROM_EVENT: "an event told of it",
  SCRAPER_DELETED: "its scraper was deleted",
};

export interface DeletedMarkProps {
  at: string | null | undefined;
  /** `delete_reason`, where it was read. */
  reason?: string | null | undefined;
}

/** Said of an item that is gone. */
export function DeletedMark({ at, reason }: DeletedMarkProps) {
  if (!at) return null;
  const why = reason ? (reasons[reason] ?? reason) : undefined;
  return (
    <Badge
      tone="unhealthy"
      // Where there is no room for both, it gives way to the name beside it.
      className="min-w-14 shrink-99!"
      tooltip={`Deleted ${exactTime(Date.parse(at))}${why === undefined ? "" : `\nBecause ${why}`}`}
    >
      <span className="truncate">
        Deleted <Age at={at} />
      </span>
    </Badge>
  );
}
