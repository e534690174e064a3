import { Age } from "@mainstay/ui/Age.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { toServerTime } from "#lib/server-clock.ts";
import { serverTime } from "../check/server-time.ts";
import type { TableRow } from "./NameCell.tsx";

/** Whoever renews by hand wants to know so long before. */
const soonMs = 14 * 86_400_000;

/** When the certificate or the domain of a check ends; of a group the first that does. */
export function ExpiryCell({ row }: { row: TableRow }) {
  const check = row.kind === "group" ? row.aggregate.endsFirst : row.item.check;
  const ends = serverTime(check?.expires_at);
  const tone = useClock((now) => {
    const left = ends - toServerTime(now);
    return left <= 0 ? "text-unhealthy-fg" : left < soonMs ? "text-warning-fg" : "text-muted";
  });
  const isOver = useClock((now) => ends <= toServerTime(now));
  if (Number.isNaN(ends)) return <span className="text-muted">–</span>;
  return (
    <span className={tone} aria-description={check?.expires_what}>
      {isOver && "ended "}
      <Age at={ends} />
    </span>
  );
}
