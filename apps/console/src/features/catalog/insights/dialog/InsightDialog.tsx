import { useQuery } from "@tanstack/react-query";
import { Age } from "@mainstay/ui/Age.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { JsonView } from "@mainstay/ui/json-view/JsonView.tsx";
import { SafeHtml } from "@mainstay/ui/safe-html/SafeHtml.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { BeforeLink } from "../../changes/BeforeLink.tsx";
import { Facts } from "../../dialog-parts/Facts.tsx";
import { ItemLink } from "../../shared/ItemLink.tsx";
import { Neighbours } from "../../dialog-parts/Neighbours.tsx";
import { Severity } from "../../shared/Severity.tsx";
import { InsightType } from "../columns.tsx";
import { InsightStatus } from "../InsightStatus.tsx";
import { insightQueries, type WholeInsight } from "../queries.ts";

export interface InsightDialogProps {
  id: string;
  /** The insights that are listed around it. */
  inOrder: readonly string[];
  onShow: (id: string) => void;
  onClose: () => void;
}

/** One insight: about what, how bad, what was found, and what its analyzer says of it. */
export function InsightDialog({ id, inOrder, onShow, onClose }: InsightDialogProps) {
  const whole = useQuery(insightQueries.one(id));
  const found = whole.data;
  return (
    <Dialog
      title={<bdi className="block truncate">{found?.analyzer ?? "Insight"}</bdi>}
      label={found ? `Insight ${found.analyzer} of ${found.config?.name ?? ""}` : "Insight"}
      size="large"
      onClose={onClose}
      headerActions={<Neighbours id={id} inOrder={inOrder} onShow={onShow} />}
      bodyClassName="flex min-h-60 flex-col gap-4 p-4"
    >
      {whole.isPending ? (
        <SkeletonRows label="loading the insight" />
      ) : whole.isError ? (
        <ErrorDisplay
          title="The insight could not be loaded"
          message={messageOf(whole.error)}
          onRetry={() => void whole.refetch()}
        />
      ) : found ? (
        <Whole insight={found} />
      ) : (
        <EmptyState title="There is no such insight">
          It is kept no longer, or its address is not whole.
        </EmptyState>
      )}
    </Dialog>
  );
}

const isThere = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  (typeof value !== "object" || Object.keys(value).length > 0);

function Whole({ insight }: { insight: WholeInsight }) {
  const { config, summary, message } = insight;
  return (
    <>
      {summary && <p className="m-0 text-sm font-medium break-words">{summary}</p>}
      <Facts
        facts={{
          Catalog: config && <ItemLink item={config} />,
          "Catalog type": config?.type,
          Type: <InsightType type={insight.analysis_type} />,
          Severity: <Severity severity={insight.severity} />,
          Status: <InsightStatus status={insight.status} />,
          Source: insight.source && <bdi>{insight.source}</bdi>,
          "First observed": <Age at={insight.first_observed} />,
          "Last observed": <Age at={insight.last_observed} />,
        }}
      />
      <BeforeLink itemId={insight.config_id} at={insight.first_observed} />
      {message && <SafeHtml html={message} />}
      {isThere(insight.analysis) && (
        <JsonView label="Analysis" value={insight.analysis} openLevels={3} />
      )}
      {isThere(insight.properties) && (
        <JsonView label="Properties" value={insight.properties} openLevels={2} />
      )}
    </>
  );
}
