import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { GatedButton } from "#lib/GatedButton.tsx";
import { readDetails } from "#lib/jobs/details.ts";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { useRunScraper } from "./mutations.ts";
import { endOf, scraperQueries, type ScraperRun } from "./queries.ts";

const countOf = (count: number | null, one = "item") =>
  `${(count ?? 0).toLocaleString()} ${count === 1 ? one : `${one}s`}`;

/** Runs a scraper now, and says what came of it. */
export function RunScraper({ id, name }: { id: string; name: string }) {
  const { history } = useRouter();
  const whyNot = useAccess().whyNot("write", "config_scrapers");
  const start = useRunScraper(id);
  /** The run that was the last one before; whatever follows is waited for. */
  const [before, setBefore] = useState<{ id: string | null | undefined }>();
  const { data: last } = useQuery({
    ...scraperQueries.lastRun(id, before),
    enabled: before !== undefined,
  });
  const run = before && last && last.id !== before.id ? last : undefined;
  const over = before && endOf(last, before.id);
  const isWaiting = before !== undefined && !over;

  const tell = useEffectEvent((ended: ScraperRun) => {
    const [error] = readDetails(ended.details).errors;
    const open = {
      label: "Job history",
      onSelect: () => history.push(paths.catalogScraper(id, { tab: "jobs" })),
    };
    if ((ended.error_count ?? 0) > 0 || error !== undefined)
      toastFailed(
        `${name} found ${countOf(ended.success_count)}, with ${countOf(ended.error_count ?? 1, "error")}: ${error ?? "see its job history"}`,
      );
    else toastDone(`${name} found ${countOf(ended.success_count)}`, open);
  });
  useEffect(() => {
    if (over) tell(over);
  }, [over]);

  const isBusy = start.isPending || isWaiting;
  return (
    <>
      <GatedButton
        whyNot={whyNot}
        icon={<Play size={14} strokeWidth={1.75} />}
        aria-busy={isBusy}
        onClick={() => {
          if (!isBusy)
            start.mutate(undefined, {
              onSuccess: (previous) => setBefore({ id: previous.before }),
            });
        }}
      >
        {isBusy ? "Running..." : <span className="max-phone:sr-only">Run now</span>}
      </GatedButton>
      {isWaiting && (
        <span role="status" className="shrink-0 text-xs text-muted tabular-nums max-tablet:sr-only">
          {run ? `${countOf(run.success_count)} so far` : "Waiting for a worker"}
        </span>
      )}
    </>
  );
}
