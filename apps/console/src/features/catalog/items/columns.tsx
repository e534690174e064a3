import { ChevronRight } from "lucide-react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { SplitBar } from "@mainstay/ui/SplitBar.tsx";
import { elsewhere } from "#lib/agents.ts";
import { CostText } from "../figures/CostText.tsx";
import { ChangeCount } from "../figures/counts.tsx";
import { HealthBadge } from "../figures/HealthBadge.tsx";
import { InsightCounts } from "../figures/InsightCounts.tsx";
import { countSeverities } from "./count-severities.ts";
import { ItemIcon } from "../shared/ItemIcon.tsx";
import { itemName } from "../shared/ItemLink.tsx";
import { NamespaceBadge } from "../shared/NamespaceBadge.tsx";
import { DeletedMark, StaleMark } from "../figures/marks.tsx";
import { type CatalogRow, changesOf, type GroupRow, type Numbers } from "./catalog-rows.ts";
import type { ListedItem } from "./queries.ts";

const ofItem =
  <Value,>(value: (item: ListedItem) => Value) =>
  (row: CatalogRow): Value | undefined =>
    row.kind === "item" ? value(row.item) : undefined;

/** What an item says, or what its group does; while neither is known, nothing. */
const either =
  <Value,>(item: (item: ListedItem) => Value, group: (numbers: Numbers) => Value) =>
  (row: CatalogRow): Value | undefined =>
    row.kind === "pending" ? undefined : row.kind === "item" ? item(row.item) : group(row.numbers);

const healthParts = [
  { tone: "healthy", label: "healthy" },
  { tone: "warning", label: "warning" },
  { tone: "unhealthy", label: "unhealthy" },
  { tone: "unknown", label: "unknown" },
] as const;

function GroupHealth({ row, isShort }: { row: GroupRow; isShort?: boolean }) {
  const { health } = row.numbers;
  return (
    <SplitBar
      counted="healthy"
      parts={healthParts.map((part) => ({ ...part, count: health[part.tone] }))}
      {...(isShort !== undefined && { isShort })}
    />
  );
}

/** In place of what has not been read yet; as high as that. */
const Waiting = ({ width }: { width: string }) => (
  <span aria-hidden="true" className={classNames("block h-2.5 rounded-bar bg-hover", width)} />
);

const isNamedByType = ({ by }: GroupRow) => by.of === "type" || by.of === "config_class";

function GroupName({ row }: { row: GroupRow }) {
  return (
    <>
      <ChevronRight
        aria-hidden="true"
        size={14}
        strokeWidth={1.75}
        className={classNames(
          "shrink-0 text-muted",
          row.isOpen === true && "rotate-90",
          row.isOpen === undefined && "invisible",
        )}
      />
      {isNamedByType(row) && <Icon name={row.label} />}
      {row.by.of === "tag" && <span className="shrink-0 text-muted">{row.by.key}:</span>}
      <bdi
        className={classNames("truncate", row.isOpen !== undefined && "font-medium")}
        data-tooltip={row.label}
      >
        {row.label}
      </bdi>
      <span className="shrink-0 text-xs text-muted tabular-nums">
        {row.numbers.count.toLocaleString()}
      </span>
    </>
  );
}

function ItemName({ item }: { item: ListedItem }) {
  const agent = elsewhere(item.agent);
  return (
    <>
      <ItemIcon type={item.type} />
      <bdi
        className={classNames("min-w-9 truncate", item.deleted_at && "text-muted line-through")}
        data-tooltip={[item.type, itemName(item), item.description].filter(Boolean).join("\n")}
      >
        {itemName(item)}
      </bdi>
      <NamespaceBadge tags={item.tags ?? null} />
      {agent && <Badge tooltip="Agent">{agent}</Badge>}
      {item.deleted_at ? (
        <DeletedMark at={item.deleted_at} />
      ) : (
        <StaleMark at={item.last_scraped_time} isShort />
      )}
    </>
  );
}

const indents = ["", "pl-5", "pl-10", "pl-15", "pl-20", "pl-25"];

export function NameCell({ row }: { row: CatalogRow }) {
  return (
    <span className={classNames("flex min-w-0 items-center gap-2", indents[row.level - 1])}>
      {row.kind === "group" ? (
        <GroupName row={row} />
      ) : row.kind === "item" ? (
        <ItemName item={row.item} />
      ) : (
        <Waiting width="w-48" />
      )}
    </span>
  );
}

const pairs = (labels: Readonly<Record<string, string>> | null) =>
  Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);

/** As many characters of two have room beside each other in the narrowest column, `minWidth` of the labels. */
const roomForTwo = 18;

/** Tags, then labels; but for the namespace, which stands beside the name. What has no room is told on hover. */
function Labels({ item }: { item: ListedItem }) {
  const all = pairs({ ...item.tags, ...item.labels });
  const [first, second] = item.tags?.["namespace"]
    ? all.filter((text) => !text.startsWith("namespace="))
    : all;
  if (first === undefined) return null;
  const shown =
    second !== undefined && first.length + second.length <= roomForTwo ? [first, second] : [first];
  return (
    <span className="flex min-w-0 items-center gap-1" data-tooltip={all.join("\n")}>
      {shown.map((text) => (
        <Badge key={text} className="min-w-0 shrink!">
          <span className="truncate">{text}</span>
        </Badge>
      ))}
      {all.length > shown.length && (
        <span className="shrink-0 text-xs text-muted">+{all.length - shown.length}</span>
      )}
    </span>
  );
}

const costColumn = (window: "1d" | "7d" | "30d", dropOrder: number): Column<CatalogRow> => {
  const id = `cost_total_${window}` as const;
  const value = either(
    (item) => item[id],
    (numbers) => numbers[id],
  );
  return {
    id,
    header: `Cost ${window}`,
    width: 84,
    dropOrder,
    align: "right",
    sortable: true,
    value,
    renderCell: (row) =>
      row.kind === "pending" ? null : (
        <CostText of={window} {...(row.kind === "item" ? row.item : row.numbers)} />
      ),
  };
};

const momentColumn = (id: "created_at" | "updated_at", header: string): Column<CatalogRow> => ({
  id,
  header,
  width: 100,
  dropOrder: id === "created_at" ? 1 : 6,
  sortable: true,
  value: either(
    (item) => item[id],
    (numbers) => numbers[id],
  ),
  renderCell: (row) =>
    row.kind === "pending" ? null : (
      <Age className="text-muted" at={(row.kind === "item" ? row.item : row.numbers)[id]} />
    ),
});

const sum = (numbers: Readonly<Record<string, number>> | null) =>
  Object.values(numbers ?? {}).reduce((all, n) => all + n, 0);

/** Every column there may be. */
const all: readonly Column<CatalogRow>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 300,
    hideable: false,
    sortable: true,
    value: (row) =>
      row.kind === "item" ? itemName(row.item) : row.kind === "group" ? row.label : undefined,
    renderCell: (row) => <NameCell row={row} />,
  },
  {
    id: "type",
    header: "Type",
    width: 180,
    // `Kubernetes::StatefulSet` in full.
    minWidth: 170,
    dropOrder: 7,
    sortable: true,
    value: ofItem(({ type }) => type),
    renderCell: (row) =>
      row.kind === "item" ? (
        <bdi className="block truncate text-muted" data-tooltip={row.item.type}>
          {row.item.type}
        </bdi>
      ) : row.kind === "pending" ? (
        <Waiting width="w-24" />
      ) : null,
  },
  {
    id: "health",
    header: "Health",
    width: 168,
    // `CrashLoopBackOff` in full.
    minWidth: 164,
    sortable: true,
    exports: [
      { id: "health", header: "Health", value: ofItem(({ health }) => health ?? "unknown") },
      { id: "status", header: "Status", value: ofItem(({ status }) => status) },
    ],
    renderCell: (row) =>
      row.kind === "group" ? (
        <GroupHealth row={row} isShort />
      ) : row.kind === "item" ? (
        <HealthBadge
          health={row.item.health}
          status={row.item.status}
          isDeleted={row.item.deleted_at !== null}
        />
      ) : (
        <Waiting width="w-16" />
      ),
  },
  {
    id: "changes",
    header: "Changes",
    width: 84,
    dropOrder: 9,
    align: "right",
    sortable: true,
    value: either(changesOf, ({ changes }) => changes),
    renderCell: (row) =>
      row.kind === "group" ? (
        <ChangeCount total={row.numbers.changes} />
      ) : row.kind === "item" ? (
        <ChangeCount
          total={changesOf(row.item)}
          words={(row.item.changes ?? [])
            .map(({ change_type, severity, total }) => `${total} ${change_type} (${severity})`)
            .join("\n")}
        />
      ) : null,
  },
  {
    id: "analysis",
    header: "Insights",
    width: 164,
    minWidth: 110,
    dropOrder: 8,
    sortable: true,
    value: either(
      ({ analysis }) => sum(analysis),
      ({ analysis }) => sum(analysis),
    ),
    renderCell: (row) =>
      row.kind === "group" ? (
        <InsightCounts counts={row.numbers.analysis} severities={row.numbers.analysis_severity} />
      ) : row.kind === "item" ? (
        <InsightCounts counts={row.item.analysis} severities={countSeverities(row.item.insights)} />
      ) : null,
  },
  costColumn("1d", 3),
  costColumn("7d", 2),
  costColumn("30d", 4),
  {
    id: "labels",
    header: "Labels",
    width: 220,
    minWidth: 160,
    dropOrder: 5,
    value: ofItem(({ tags, labels }) => pairs({ ...tags, ...labels }).join(", ")),
    renderCell: (row) => (row.kind === "item" ? <Labels item={row.item} /> : null),
  },
  momentColumn("created_at", "Created"),
  momentColumn("updated_at", "Updated"),
];

const isCost = (id: string) => id.startsWith("cost_");
/** Of what they have in common nothing is to be told in a column. */
const onlyOfItems = new Set(["type", "labels"]);
/** The server sorts items, and cannot by these. */
const notByServer = new Set(["changes", "analysis"]);

export interface ShownColumns {
  layout: "summary" | "list" | "groups";
  /** Costs are shown at all. */
  hasCosts: boolean;
  /** All are of one type. */
  isOfOneType: boolean;
}

export const catalogColumns = ({
  layout,
  hasCosts,
  isOfOneType,
}: ShownColumns): readonly Column<CatalogRow>[] =>
  all
    .filter(({ id }) => hasCosts || !isCost(id))
    .filter(({ id }) => !isOfOneType || id !== "type")
    .filter(({ id }) => layout !== "summary" || !onlyOfItems.has(id))
    .map((column) =>
      layout === "summary" || !notByServer.has(column.id) ? column : { ...column, sortable: false },
    );

/** A row on a phone: what it is and how it is, below it what happened. */
export function PhoneRow({ row }: { row: CatalogRow }) {
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      <NameCell row={row} />
      {row.kind === "group" ? (
        <span className={classNames("flex items-center gap-3 text-xs", indents[row.level - 1])}>
          <GroupHealth row={row} isShort />
          <span className="min-w-0 overflow-hidden">
            <InsightCounts
              counts={row.numbers.analysis}
              severities={row.numbers.analysis_severity}
            />
          </span>
          <span className="ml-auto shrink-0 text-muted">
            <Age at={row.numbers.updated_at} />
          </span>
        </span>
      ) : row.kind === "item" ? (
        <span
          className={classNames("flex min-w-0 items-center gap-3 text-xs", indents[row.level - 1])}
        >
          <HealthBadge
            className="shrink-0"
            health={row.item.health}
            status={row.item.status}
            isDeleted={row.item.deleted_at !== null}
          />
          <span className="min-w-0 truncate text-muted">{row.item.type}</span>
          <span className="ml-auto shrink-0 text-muted">
            <Age at={row.item.updated_at ?? row.item.created_at} />
          </span>
        </span>
      ) : (
        <Waiting width="w-24" />
      )}
    </span>
  );
}
