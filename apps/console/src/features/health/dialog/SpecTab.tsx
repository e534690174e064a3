import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import type { LineRange } from "@mainstay/ui/lines/line-range.ts";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { checkQueries, type CheckRowDetail } from "./queries.ts";

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

/** The document the check comes from, opened where the check stands. */
export function SpecTab({ check }: { check: CheckRowDetail }) {
  const { canary_id: canaryId, type, name } = check;
  const { data, error, isPending, refetch } = useQuery(checkQueries.canarySpec(canaryId));
  const text = useQuery({
    queryKey: ["health", "canary-yaml", canaryId, type, name, data?.spec],
    enabled: data != null,
    queryFn: async () => {
      const { linesOfCheck, specText } = await import("../canary-text.ts");
      const yaml = specText(data?.spec ?? {});
      return { yaml, lines: linesOfCheck(yaml, { type, name }) ?? null };
    },
  });

  if (error ?? text.error) {
    return (
      <ErrorDisplay
        title="The spec could not be loaded"
        message={messageOf(error ?? text.error)}
        onRetry={() => void refetch()}
      />
    );
  }
  if (data === null) return <EmptyState title="The document of this check was deleted" />;
  if (isPending || text.data === undefined) return <SkeletonRows />;
  return (
    <div className="flex min-h-0 flex-1 flex-col p-4">
      <MarkedSpec
        key={text.data.yaml}
        label={`Spec of ${data?.name ?? "the check"}`}
        text={text.data.yaml}
        lines={text.data.lines}
      />
    </div>
  );
}
