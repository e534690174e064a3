import { defaultScrapeSchedule } from "@mainstay/contract/scrape-config/default-schedule.ts";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import type { ListedResource } from "#lib/resources/queries.ts";
import { FirstOf } from "../shared/FirstOf.tsx";

export interface ListedScraper extends ListedResource {
  spec: Readonly<Record<string, unknown>> | null;
  job_success_count: number | null;
  job_error_count: number | null;
}

/** What it scrapes: the keys that hold scrapers, without the schemas that could judge them. */
export const typesOf = ({ spec }: ListedScraper): string[] =>
  Object.entries(spec ?? {}).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && key !== "retention" ? [key] : [],
  );

const scheduleOf = ({ spec }: ListedScraper): string =>
  typeof spec?.["schedule"] === "string" && spec["schedule"] !== ""
    ? spec["schedule"]
    : defaultScrapeSchedule;

const count = (
  id: "job_success_count" | "job_error_count",
  header: string,
  look = "",
): Column<ListedScraper> => ({
  id,
  header,
  width: 80,
  minWidth: 64,
  dropOrder: 9,
  align: "right",
  value: (row) => row[id],
  renderCell: (row) => (
    <span className={row[id] ? look : "text-muted"}>{row[id]?.toLocaleString() ?? "–"}</span>
  ),
});

/** What only scrapers have. */
export const scraperColumns: readonly Column<ListedScraper>[] = [
  {
    id: "types",
    header: "Types",
    width: 150,
    minWidth: 110,
    dropOrder: 10,
    value: (row) => typesOf(row).join(", "),
    renderCell: (row) => <FirstOf texts={typesOf(row)} />,
  },
  {
    id: "when",
    header: "Schedule",
    width: 120,
    minWidth: 100,
    dropOrder: 8,
    value: scheduleOf,
    renderCell: (row) => <span className="truncate">{scheduleOf(row)}</span>,
  },
  count("job_success_count", "Items"),
  count("job_error_count", "Errors", "text-unhealthy-fg"),
];
