import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Moment } from "@mainstay/ui/Age.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { formatLineRange } from "@mainstay/ui/lines/line-range.ts";
import { LinesSkeleton } from "@mainstay/ui/lines/LinesSkeleton.tsx";
import { messageOf } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import { toServerTime } from "#lib/server-clock.ts";
import { type ChangeUrl, useUrlState } from "#lib/url-state.ts";
import { HealthBadge } from "../figures/HealthBadge.tsx";
import type { ConfigText } from "./config-text.ts";
import { ItemDifferenceView } from "./ItemDifferenceView.tsx";
import { MomentBar } from "./MomentBar.tsx";
import { comparedMoments, configCodec, type ConfigView, stretchesOf } from "./moments.ts";
import { type Item, itemQueries } from "./queries.ts";

/** What is configured: now, at any moment, or what became of it from one to another. */
export function ConfigTab({ item }: { item: Item }) {
  const [view, change] = useUrlState(configCodec);
  const moments = useQuery(itemQueries.moments(item.id));
  const stretches = useMemo(() => moments.data && stretchesOf(moments.data), [moments.data]);
  // Asked once for each answer: the line of time must not move while somebody reads.
  const [opened] = useState(() => toServerTime(Date.now()));
  const now = Math.max(opened, stretches?.at(-1)?.from ?? 0);
  const compared = comparedMoments(view, new Date(now).toISOString());
  return (
    <>
      {stretches && (stretches.length > 1 || view.at !== undefined) && (
        <MomentBar view={view} change={change} stretches={stretches} now={now} />
      )}
      {moments.isError && !moments.data && (
        <p role="alert" className="m-0 border-b px-4 py-1.5 text-sm text-muted">
          When it became another could not be loaded: {messageOf(moments.error)}
        </p>
      )}
      {compared ? (
        <ItemDifferenceView itemId={item.id} from={compared.from} to={compared.to} />
      ) : view.at === undefined ? (
        <ConfigNow item={item} view={view} change={change} />
      ) : (
        <ConfigThen itemId={item.id} at={view.at} view={view} change={change} />
      )}
    </>
  );
}

interface Shown {
  view: ConfigView;
  change: ChangeUrl<ConfigView>;
}

function ConfigNow({ item, ...shown }: Shown & { item: Item }) {
  const query = useQuery(itemQueries.config(item.id));
  if (query.isError && query.data === undefined)
    return (
      <ErrorDisplay
        title="What is configured could not be loaded"
        message={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.isPending) return <LinesSkeleton label="Config" />;
  return <Config itemId={item.id} config={query.data} {...shown} />;
}

function ConfigThen({ itemId, at, ...shown }: Shown & { itemId: string; at: string }) {
  const { data, error, refetch } = useQuery(itemQueries.at(itemId, at));
  if (!data)
    return error ? (
      <ErrorDisplay
        title="What was configured then could not be loaded"
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    ) : (
      <LinesSkeleton label="Config" />
    );
  return (
    <>
      <p className="m-0 flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-info-bg px-4 py-1.5 text-sm text-info-fg">
        <span>
          As it was from <Moment at={Date.parse(data.from)} /> to{" "}
          {data.until === null ? "now" : <Moment at={Date.parse(data.until)} />}
        </span>
        <HealthBadge
          health={data.health}
          status={data.status}
          isDeleted={data.deleted_at !== null}
        />
        {data.deleted_at !== null && <span>Deleted</span>}
      </p>
      <Config itemId={itemId} config={data.config} {...shown} />
    </>
  );
}

function Config({
  itemId,
  config,
  view,
  change,
}: Shown & { itemId: string; config: ConfigText | null }) {
  if (!config)
    return (
      <EmptyState title="Details not found">
        The scraper has read nothing of this item but its name and what stands at the right.
      </EmptyState>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col p-3 *:flex-1 max-tablet:p-2">
      <CodeView
        label="Config"
        text={config.text}
        language={config.language}
        selection={view.lines}
        onSelect={(lines) => change({ lines }, { replace: true })}
        linkTo={(range) => {
          const to = paths.catalogItem(itemId, { lines: formatLineRange(range), at: view.at });
          return new URL(to, window.location.href).href;
        }}
      />
    </div>
  );
}
