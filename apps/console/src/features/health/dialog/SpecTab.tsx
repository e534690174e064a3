import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import type { LineRange } from "@mainstay/ui/lines/line-range.ts";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { documentQueries } from "#lib/documents/queries.ts";
import { canaryKind } from "../canary-kind.ts";
import type { CheckRowDetail } from "./queries.ts";

/** A text in which the lines of one check are marked, and in view. */
function MarkedSpec({
  label,
  text,
  lines,
}: {
  label: string;
  text: string;
  lines: LineRange | null;
}) {
  const [selection, setSelection] = useState(lines);
  return (
    <CodeView
      label={label}
      language="yaml"
      text={text}
      selection={selection}
      onSelect={setSelection}
    />
  );
}

/** The document the check comes from, as somebody wrote it, opened where the check stands. */
export function SpecTab({ check }: { check: CheckRowDetail }) {
  const { canary_id: canaryId, type, name } = check;
  const { data, error, isPending, refetch } = useQuery(documentQueries.one(canaryKind, canaryId));
  const yaml = data?.text ?? "";
  const found = useQuery({
    queryKey: ["health", "lines-of-check", yaml, type, name],
    enabled: yaml !== "",
    queryFn: async () => {
      const { linesOfCheck } = await import("../canary-text.ts");
      return { lines: linesOfCheck(yaml, { type, name }) ?? null };
    },
  });

  if (error ?? found.error) {
    return (
      <ErrorDisplay
        title="The spec could not be loaded"
        message={messageOf(error ?? found.error)}
        onRetry={() => void refetch()}
      />
    );
  }
  if (data === null) return <EmptyState title="The document of this check was deleted" />;
  if (isPending || found.data === undefined) return <SkeletonRows />;
  return (
    <div className="flex min-h-0 flex-1 flex-col p-4">
      <MarkedSpec
        key={yaml}
        label={`Spec of ${data?.document.metadata.name ?? "the check"}`}
        text={yaml}
        lines={found.data.lines}
      />
    </div>
  );
}
