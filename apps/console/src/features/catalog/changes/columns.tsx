import type { FoundChange } from "@mainstay/contract/catalog-answers.ts";
import { timePassed } from "@mainstay/contract/health.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { ChevronDown, ChevronRight } from "lucide-react";
import { ItemIcon } from "../shared/ItemIcon.tsx";
import { ItemLink, itemName } from "../shared/ItemLink.tsx";
import { NamespaceBadge } from "../shared/NamespaceBadge.tsx";
import { Severity } from "../shared/Severity.tsx";
import { Author } from "./Author.tsx";
import { type ChangeLine, itemCount, worstSeverity } from "./bursts.ts";

const number = new Intl.NumberFormat();

const itemOf = ({ config_id, name, type }: FoundChange) => ({ id: config_id, name, type });

function Fold({ line }: { line: ChangeLine }) {
  const Mark = line.isOpen ? ChevronDown : ChevronRight;
  return <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />;
}

/** All of one item, or how many it were. */
function Items({ line: { change, burst = [] } }: { line: ChangeLine }) {
  const count = itemCount(burst);
  if (count < 2)
    return (
      <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
        <ItemLink item={itemOf(change)} />
        <NamespaceBadge tags={change.tags} />
      </span>
    );
  return (
    <span
      className="inline-flex min-w-0 items-center gap-1.5 text-muted"
      data-tooltip={change.type}
    >
      <ItemIcon type={change.type} size={14} />
      <span className="truncate">{number.format(count)} items</span>
    </span>
  );
}

/** How long a burst went on. */
function spanOf(burst: readonly FoundChange[]): string {
  const moments = burst.map(({ created_at }) => Date.parse(created_at));
  const ms = Math.max(...moments) - Math.min(...moments);
  return ms < 1_000 ? "at once" : `within ${timePassed(ms)}`;
}

const burstWords = (burst: readonly FoundChange[]) =>
  `${number.format(burst.length)} changes ${spanOf(burst)}`;

/** A change that was seen again and again is kept once, and counted. */
function Folded({ change: { count, first_observed } }: { change: FoundChange }) {
  if (count < 2) return null;
  return (
    <Badge
      tooltip={`Seen ${number.format(count)} times since ${new Date(first_observed).toLocaleString()}`}
    >
      ×{number.format(count)}
    </Badge>
  );
}

const summaryOf = ({ change, burst }: ChangeLine): string =>
  burst ? burstWords(burst) : (change.summary ?? "");

export const changeColumns: readonly Column<ChangeLine>[] = [
  {
    id: "name",
    header: "Catalog",
    width: 240,
    minWidth: 150,
    hideable: false,
    sortable: true,
    value: ({ change }) => itemName(itemOf(change)),
    exports: [
      { id: "name", header: "Catalog", value: ({ change }) => change.name },
      { id: "type", header: "Type", value: ({ change }) => change.type },
    ],
    renderCell: (line) => (
      <span className={`flex min-w-0 items-center gap-1 ${line.isMember ? "pl-4.5" : ""}`}>
        {line.burst && <Fold line={line} />}
        <Items line={line} />
      </span>
    ),
  },
  {
    id: "change_type",
    header: "Change",
    width: 200,
    minWidth: 110,
    sortable: true,
    value: ({ change }) => change.change_type,
    renderCell: ({ change, burst }) => (
      <span className="flex min-w-0 items-center gap-1.5">
        <bdi className="truncate font-medium" data-tooltip={change.change_type ?? undefined}>
          {change.change_type ?? "–"}
        </bdi>
        {!burst && <Folded change={change} />}
      </span>
    ),
  },
  {
    id: "severity",
    header: "Severity",
    width: 96,
    dropOrder: 4,
    value: ({ change, burst }) => (burst ? worstSeverity(burst) : change.severity),
    renderCell: ({ change, burst }) => (
      <Severity severity={burst ? worstSeverity(burst) : change.severity} />
    ),
  },
  {
    id: "summary",
    header: "Summary",
    minWidth: 130,
    sortable: true,
    value: summaryOf,
    renderCell: (line) => (
      <span
        className={`block truncate ${line.burst ? "text-muted" : ""}`}
        data-tooltip={summaryOf(line) || undefined}
      >
        {summaryOf(line) || "–"}
      </span>
    ),
  },
  {
    id: "tags",
    header: "Tags",
    width: 200,
    dropOrder: 1,
    startsHidden: true,
    value: ({ change }) => tagText(change),
    renderCell: ({ change }) => (
      <span className="block truncate text-muted" data-tooltip={tagText(change) || undefined}>
        {tagText(change) || "–"}
      </span>
    ),
  },
  {
    id: "created_by",
    header: "Created By",
    width: 150,
    minWidth: 100,
    dropOrder: 3,
    value: ({ change }) => change.external_created_by ?? change.created_by,
    renderCell: ({ change }) => <Author change={change} />,
  },
  {
    id: "source",
    header: "Source",
    width: 130,
    minWidth: 84,
    dropOrder: 2,
    sortable: true,
    value: ({ change }) => change.source,
    renderCell: ({ change }) => (
      <span className="block truncate" data-tooltip={change.source ?? undefined}>
        {change.source ?? "–"}
      </span>
    ),
  },
  {
    id: "first_observed",
    header: "First Observed",
    width: 130,
    dropOrder: 1,
    startsHidden: true,
    value: ({ change }) => change.first_observed,
    renderCell: ({ change }) => <Age at={change.first_observed} />,
  },
  {
    id: "count",
    header: "Count",
    width: 80,
    dropOrder: 1,
    align: "right",
    startsHidden: true,
    sortable: true,
    value: ({ change }) => change.count,
    renderCell: ({ change }) => number.format(change.count),
  },
  {
    id: "created_at",
    header: "Created",
    width: 100,
    sortable: true,
    value: ({ change }) => change.created_at,
    renderCell: ({ change }) => <Age at={change.created_at} />,
  },
];

const tagText = ({ tags }: FoundChange): string =>
  Object.entries(tags ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");

export const phoneRow = (line: ChangeLine) => {
  const { change, burst } = line;
  return (
    <span className={`flex min-w-0 flex-col ${line.isMember ? "pl-4.5" : ""}`}>
      <span className="flex min-w-0 justify-between gap-2">
        <span className="flex min-w-0 items-center gap-1.5">
          {burst && <Fold line={line} />}
          <bdi className="truncate font-medium">{change.change_type ?? "–"}</bdi>
          {!burst && <Folded change={change} />}
        </span>
        <span className="shrink-0 text-xs">
          <Severity severity={burst ? worstSeverity(burst) : change.severity} />
        </span>
      </span>
      <span className="flex min-w-0 justify-between gap-2 text-xs text-muted">
        <span className="flex min-w-0 gap-2">
          <span className="max-w-40 min-w-0 shrink-0 truncate">
            <Items line={line} />
          </span>
          <span className="truncate">{summaryOf(line)}</span>
        </span>
        <Age at={change.created_at} className="shrink-0" />
      </span>
    </span>
  );
};
