import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { CanaryChange } from "@mainstay/contract/canary-changes.ts";
import type { CheckSummary } from "@mainstay/contract/health.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { BulkPreview } from "./BulkPreview.tsx";
import { type BulkItem, BulkResults } from "./BulkResults.tsx";
import {
  type BulkAction,
  canariesWords,
  changeOf,
  counted,
  type LabelEdit,
  reachOf,
} from "./plan-bulk.ts";
import { bulkQueries } from "./queries.ts";
import { type BulkResult, changeCanaries, runChecks, undoAll } from "./run-bulk.ts";

/** What one turn acts on: more would not be looked through before it is done. */
const mostChecks = 500;

const questions: Record<BulkAction, (checks: string, canaries: string) => string> = {
  run: (checks) => `Run ${checks} now?`,
  pause: (_, canaries) => `Pause ${canaries}?`,
  resume: (_, canaries) => `Resume ${canaries}?`,
  label: (_, canaries) => `Label ${canaries}`,
  delete: (checks) => `Delete ${checks}?`,
};

interface Work {
  title: string;
  items: readonly BulkItem[];
  isUndo?: boolean;
  start: (signal: AbortSignal) => Promise<void>;
}

export interface BulkDialogProps {
  action: BulkAction;
  chosen: readonly CheckSummary[];
  all: readonly CheckSummary[];
  onClose: () => void;
}

/** Says what an action reaches, does it, and says what became of each. */
export function BulkDialog({ action, chosen, all, onClose }: BulkDialogProps) {
  const client = useQueryClient();
  const ids = [...new Set(chosen.map(({ canary_id: id }) => id))];
  const isTooMuch = chosen.length > mostChecks;
  const canaries = useQuery({
    ...bulkQueries.canaries(ids),
    enabled: action !== "run" && !isTooMuch,
  });
  const [label, setLabel] = useState<LabelEdit>({ name: "", value: "" });
  const [work, setWork] = useState<Work>();
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map());
  const [isBusy, setIsBusy] = useState(false);
  const stopping = useRef<AbortController>(null);
  useEffect(() => () => stopping.current?.abort(), []);

  const reach = canaries.data ? reachOf(chosen, all, canaries.data) : [];
  const open = reach.filter(({ refused }) => refused === undefined);
  const deletable = open.reduce((sum, { chosen: own }) => sum + own.length, 0);

  const begin = async (next: Work) => {
    const controller = new AbortController();
    stopping.current = controller;
    setResults(new Map());
    setWork(next);
    setIsBusy(true);
    await next.start(controller.signal);
    setIsBusy(false);
    await client.invalidateQueries({ queryKey: ["health"] });
  };
  const add = (some: readonly BulkResult[]) =>
    setResults((before) => new Map([...before, ...some.map((one) => [one.id, one] as const)]));

  const change = (title: string, changes: readonly CanaryChange[], isUndo = false) =>
    void begin({
      title,
      isUndo,
      items: changes.map(({ canary }) => ({
        id: canary,
        name: reach.find(({ id }) => id === canary)?.name ?? canary,
        about:
          action === "delete"
            ? counted(reach.find(({ id }) => id === canary)?.chosen.length ?? 0, "check")
            : reach.find(({ id }) => id === canary)?.namespace,
      })),
      start: (signal) => changeCanaries(changes, { signal, onResults: add }),
    });
  const start = () => {
    const title = questions[action](
      counted(action === "delete" ? deletable : chosen.length, "check"),
      canariesWords(open.length),
    ).replace(/\?$/, "");
    if (action !== "run")
      return change(
        title,
        open.map((one) => changeOf(one, action, label)),
      );
    void begin({
      title,
      items: chosen.map(({ id, name, namespace }) => ({ id, name, about: namespace })),
      start: (signal) => runChecks(chosen, { signal, onResults: add }),
    });
  };
  const undo = [...results.values()].flatMap((result) => (result.undo ? [result.undo] : []));

  /** What was done can still be taken back for a while. */
  const leave = () => {
    onClose();
    if (isBusy || undo.length === 0 || !work || work.isUndo) return;
    toastDone(`${work.title}: done`, {
      label: "Undo",
      isUndo: true,
      onSelect: () => void undoAll(client, undo),
    });
  };

  if (work)
    return (
      <Dialog
        title={work.title}
        onClose={leave}
        footer={
          isBusy ? (
            <Button onClick={() => stopping.current?.abort()}>Stop</Button>
          ) : (
            <>
              {undo.length > 0 && (
                <Button
                  onClick={() => change(`Undo: ${canariesWords(undo.length)}`, undo, true)}
                >{`Undo ${undo.length}`}</Button>
              )}
              <Button kind="primary" onClick={leave}>
                Close
              </Button>
            </>
          )
        }
      >
        <BulkResults
          items={work.items}
          results={results}
          isBusy={isBusy}
          done={action === "run" ? "passed" : "done"}
        />
      </Dialog>
    );

  const isReady = action === "run" ? !isTooMuch : canaries.data !== undefined && open.length > 0;
  const verb = { run: "Run", pause: "Pause", resume: "Resume", label: "Label", delete: "Delete" };
  const object =
    action === "run"
      ? counted(chosen.length, "check")
      : action === "delete"
        ? counted(deletable, "check")
        : canariesWords(open.length);
  return (
    <Dialog
      title={questions[action](counted(chosen.length, "check"), canariesWords(ids.length))}
      onClose={onClose}
      keepOpenOnOutsidePress={action === "label"}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={action === "delete" ? "danger" : "primary"}
            disabled={!isReady || (action === "label" && label.name.trim() === "")}
            onClick={start}
          >
            {`${verb[action]} ${object}`}
          </Button>
        </>
      }
    >
      {isTooMuch ? (
        <p className="m-0 text-sm">
          {counted(chosen.length, "check")} are chosen. At most {mostChecks} are done at once:
          filter the list, or choose fewer.
        </p>
      ) : canaries.isError ? (
        <ErrorDisplay
          title="The canaries could not be loaded"
          message={messageOf(canaries.error)}
          onRetry={() => void canaries.refetch()}
        />
      ) : action !== "run" && !canaries.data ? (
        <SkeletonRows label="loading data..." />
      ) : (
        <BulkPreview
          action={action}
          chosen={chosen}
          reach={reach}
          label={label}
          onLabel={setLabel}
        />
      )}
    </Dialog>
  );
}
