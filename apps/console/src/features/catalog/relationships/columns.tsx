import { Age } from "@mainstay/ui/Age.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { CostText } from "../figures/CostText.tsx";
import { ChangeCount } from "../figures/counts.tsx";
import { HealthBadge } from "../figures/HealthBadge.tsx";
import { InsightCounts } from "../figures/InsightCounts.tsx";
import { FirstOf } from "../shared/FirstOf.tsx";
import { itemName, ItemLink } from "../shared/ItemLink.tsx";
import { DeletedSign } from "./DeletedSign.tsx";
import { type RelatedItem, totalChanges } from "./queries.ts";

const totalInsights = ({ analysis }: RelatedItem): number =>
  Object.values(analysis ?? {}).reduce((sum, count) => sum + count, 0);
const tagTexts = ({ tags }: RelatedItem): string[] =>
  Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`);

const moment = (id: "created_at" | "updated_at", header: string): Column<RelatedItem> => ({
  id,
  header,
  width: 100,
  minWidth: 98,
  dropOrder: id === "created_at" ? 2 : 4,
  sortable: true,
  value: (item) => item[id],
  renderCell: (item) => <Age at={item[id]} />,
});

export const relatedColumns: readonly Column<RelatedItem>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 170,
    hideable: false,
    sortable: true,
    value: itemName,
    renderCell: (item) => (
      <span className="flex min-w-0 items-center gap-2">
        <ItemLink item={item} />
        <DeletedSign at={item.deleted_at} />
      </span>
    ),
  },
  {
    id: "type",
    header: "Type",
    width: 190,
    minWidth: 150,
    dropOrder: 7,
    sortable: true,
    value: ({ type }) => type,
    renderCell: ({ type }) => (
      <span className="truncate" data-tooltip={type}>
        {type}
      </span>
    ),
  },
  {
    id: "health",
    header: "Health",
    width: 150,
    minWidth: 110,
    sortable: true,
    value: ({ health, status }) => status ?? health,
    sortValue: ({ health }) => health,
    renderCell: ({ health, status, deleted_at: deletedAt }) => (
      <HealthBadge health={health} status={status} isDeleted={deletedAt !== null} />
    ),
  },
  {
    id: "changes",
    header: "Changes",
    // Where it is the last one, the menu of columns stands beside its header.
    width: 108,
    dropOrder: 6,
    align: "right",
    sortable: true,
    value: totalChanges,
    renderCell: (item) => <ChangeCount total={totalChanges(item)} />,
  },
  {
    id: "analysis",
    header: "Insights",
    width: 130,
    minWidth: 90,
    dropOrder: 5,
    sortable: true,
    value: totalInsights,
    renderCell: ({ analysis }) => <InsightCounts counts={analysis} />,
  },
  {
    id: "tags",
    header: "Tags",
    width: 220,
    minWidth: 96,
    dropOrder: 1,
    value: (item) => tagTexts(item).join(", "),
    renderCell: (item) => <FirstOf texts={tagTexts(item)} />,
  },
  {
    id: "cost_total_30d",
    header: "Cost 30d",
    width: 90,
    dropOrder: 3,
    align: "right",
    sortable: true,
    startsHidden: true,
    value: (item) => item.cost_total_30d,
    renderCell: (item) => <CostText {...item} of="30d" />,
  },
  moment("created_at", "Created"),
  moment("updated_at", "Updated"),
];
