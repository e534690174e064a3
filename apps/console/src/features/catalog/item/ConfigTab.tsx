import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { formatLineRange, type LineRange, parseLineRange } from "@mainstay/ui/lines/line-range.ts";
import { LinesSkeleton } from "@mainstay/ui/lines/LinesSkeleton.tsx";
import { messageOf } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import { useUrlState, type UrlCodec } from "#lib/url-state.ts";
import { configText } from "./config-text.ts";
import { type Item, itemQueries } from "./queries.ts";

interface ConfigView {
  lines: LineRange | null;
}

const codec: UrlCodec<ConfigView> = {
  parse: (raw) => ({ lines: parseLineRange(raw["lines"]) }),
  format: ({ lines }) => ({ lines: formatLineRange(lines) }),
};

/** What is configured. */
export function ConfigTab({ item }: { item: Item }) {
  const [{ lines }, change] = useUrlState(codec);
  const query = useQuery(itemQueries.config(item.id));
  const shown = useMemo(() => configText(query.data), [query.data]);
  if (query.isError && query.data === undefined)
    return (
      <ErrorDisplay
        title="What is configured could not be loaded"
        message={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.isPending) return <LinesSkeleton label="Config" />;
  if (!shown)
    return (
      <EmptyState title="Details not found">
        The scraper has read nothing of this item but its name and what stands at the right.
      </EmptyState>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col p-3 *:flex-1 max-tablet:p-2">
      <CodeView
        label="Config"
        text={shown.text}
        language={shown.language}
        selection={lines}
        onSelect={(next) => change({ lines: next }, { replace: true })}
        linkTo={(range) => {
          const to = paths.catalogItem(item.id, { lines: formatLineRange(range) });
          return new URL(to, window.location.href).href;
        }}
      />
    </div>
  );
}
