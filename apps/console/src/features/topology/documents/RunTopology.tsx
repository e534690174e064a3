import { useQuery } from "@tanstack/react-query";
import { Play, Square } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { GatedButton } from "#lib/GatedButton.tsx";
import { readDetails } from "#lib/jobs/details.ts";
import { useAccess } from "#lib/use-access.ts";
import { useAbortTopology, useRunTopology } from "./mutations.ts";
import { isRunning, runQueries, type TopologyRun } from "./queries.ts";

const number = new Intl.NumberFormat();

/** "12 components: 3 added, 1 changed, 0 removed"; what a run has written is not promised. */
function summaryWords({ details }: TopologyRun): string {
  const { summary } = (details ?? {}) as { summary?: Partial<Record<string, unknown>> };
  const count = (name: string) => {
    const value = summary?.[name];
    return typeof value === "number" ? number.format(value) : "0";
  };
  const many = count("components");
  return `${many} ${many === "1" ? "component" : "components"}: ${count("added")} added, ${count("changed")} changed, ${count("removed")} removed`;
}

/** Has a topology looked up now, or ends the run that is going on; says what came of it. */
export function RunTopology({ id, name }: { id: string; name: string }) {
  const whyNot = useAccess().whyNot("write", "topologies");
  const start = useRunTopology(id);
  const abort = useAbortTopology(id);
  /** The run that was the last one before the one that was asked for. */
  const [before, setBefore] = useState<{ id: string | null | undefined }>();
  /** The run that somebody ends here. */
  const [aborted, setAborted] = useState<string>();
  const { data: last } = useQuery(runQueries.last(id, before));
  const isGoingOn = isRunning(last);
  const isOver = last && !isGoingOn;
  const isWaiting = before !== undefined && !(isOver && last.id !== before.id);
  const isEnding = aborted !== undefined && !(isOver && last.id === aborted);
  const over =
    isOver && ((before && last.id !== before.id) || last.id === aborted) ? last : undefined;

  const tell = useEffectEvent((run: TopologyRun) => {
    const wasAborted = run.id === aborted;
    const [error] = readDetails(run.details).errors;
    const isFailed = run.status?.toUpperCase() === "FAILED";
    if (wasAborted && isFailed) toastDone(`${name} was aborted: nothing of the run was saved`);
    else if (wasAborted) toastFailed(`${name} had ended before it could be aborted`);
    else if (error !== undefined) toastFailed(`${name}: ${error}`);
    else toastDone(`${name} has ${summaryWords(run)}`);
  });
  const told = useRef<string>(null);
  useEffect(() => {
    if (!over?.id || over.id === told.current) return;
    told.current = over.id;
    tell(over);
  }, [over]);

  const isBusy = start.isPending || isWaiting || isGoingOn;
  const isAborting = abort.isPending || isEnding;
  return (
    <>
      <GatedButton
        whyNot={whyNot}
        icon={<Play size={14} strokeWidth={1.75} />}
        aria-busy={isBusy}
        onClick={() => {
          if (!isBusy)
            start.mutate(undefined, { onSuccess: (run) => setBefore({ id: run.before }) });
        }}
      >
        {isBusy ? "Running..." : "Run now"}
      </GatedButton>
      {isGoingOn && (
        <GatedButton
          whyNot={whyNot}
          icon={<Square size={14} strokeWidth={1.75} />}
          aria-busy={isAborting}
          data-tooltip="Ends this run: nothing of it is saved"
          onClick={() => {
            const run = last?.id ?? undefined;
            if (!isAborting) abort.mutate(undefined, { onSuccess: () => setAborted(run) });
          }}
        >
          {isAborting ? "Aborting..." : "Abort"}
        </GatedButton>
      )}
      {isWaiting && !isGoingOn && (
        <span role="status" className="shrink-0 text-xs text-muted max-tablet:sr-only">
          Waiting for a worker
        </span>
      )}
    </>
  );
}
