import { Age } from "@mainstay/ui/Age.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { ageColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { lookOfInsight } from "../figures/insight-looks.ts";
import { ItemLink, itemName } from "../shared/ItemLink.tsx";
import { Severity } from "../shared/Severity.tsx";
import { InsightStatus } from "./InsightStatus.tsx";
import type { Insight } from "./queries.ts";

/** What an insight is about: its mark and its word. */
export function InsightType({ type }: { type: string | null }) {
  const { label, mark } = lookOfInsight(type);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <Icon name={label} mark={mark} size={14} />
      <span className="truncate">{label}</span>
    </span>
  );
}

const catalog: Column<Insight> = {
  id: "config",
  header: "Catalog",
  width: 260,
  minWidth: 140,
  hideable: false,
  value: ({ config }) => config && itemName(config),
  exports: [
    { id: "name", header: "Catalog", value: ({ config }) => config?.name },
    { id: "config_type", header: "Catalog type", value: ({ config }) => config?.type },
  ],
  renderCell: ({ config }) => (config ? <ItemLink item={config} /> : "–"),
};

/** Of one item: whose they are is said by the page around them. */
export const columnsOfOne: readonly Column<Insight>[] = [
  {
    id: "analysis_type",
    header: "Type",
    width: 150,
    minWidth: 100,
    dropOrder: 3,
    value: ({ analysis_type: type }) => lookOfInsight(type).label,
    renderCell: ({ analysis_type: type }) => <InsightType type={type} />,
  },
  {
    id: "analyzer",
    header: "Analyzer",
    minWidth: 130,
    value: ({ analyzer }) => analyzer,
    renderCell: ({ analyzer, summary }) => (
      <span className="flex min-w-0 gap-2">
        <bdi
          className="max-w-full shrink-0 truncate font-medium"
          data-tooltip={analyzer ?? undefined}
        >
          {analyzer}
        </bdi>
        <span className="truncate text-muted" data-tooltip={summary ?? undefined}>
          {summary}
        </span>
      </span>
    ),
  },
  {
    id: "severity",
    header: "Severity",
    width: 96,
    value: ({ severity }) => severity,
    renderCell: ({ severity }) => <Severity severity={severity} />,
  },
  {
    id: "status",
    header: "Status",
    width: 96,
    dropOrder: 2,
    value: ({ status }) => status,
    renderCell: ({ status }) => <InsightStatus status={status} />,
  },
  { ...ageColumn("first_observed", "First Observed"), width: 140, dropOrder: 1 },
  { ...ageColumn("last_observed", "Last Observed"), width: 140 },
];

export const insightColumns: readonly Column<Insight>[] = [catalog, ...columnsOfOne];

export const phoneRow = (insight: Insight) => (
  <span className="flex min-w-0 flex-col">
    <span className="flex min-w-0 justify-between gap-2">
      <bdi className="truncate font-medium">{insight.analyzer}</bdi>
      <span className="shrink-0 text-xs">
        <Severity severity={insight.severity} />
      </span>
    </span>
    <span className="flex min-w-0 justify-between gap-2 text-xs text-muted">
      <span className="min-w-0 truncate">
        {insight.config ? <ItemLink item={insight.config} /> : insight.summary}
      </span>
      <Age at={insight.first_observed} className="shrink-0" />
    </span>
  </span>
);
