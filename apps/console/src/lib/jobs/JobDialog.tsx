import { useId, useState } from "react";
import { exactTime } from "@mainstay/ui/Age.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { type Counts, type JobDetails, tabsOf } from "./details.ts";
import { JobStatus } from "./JobStatus.tsx";

function CountsTable({ label, counts }: { label: string; counts: Counts }) {
  return (
    <div className="overflow-auto">
      <table aria-label={label} className="w-full border-collapse text-sm">
        <thead>
          <tr className="text-xs text-muted">
            <th className="p-1 text-left font-medium">Name</th>
            {counts.columns.map((column) => (
              <th key={column} className="p-1 text-right font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {counts.lines.map(({ name, cells, notes }) => (
            <tr key={name} className="border-t align-top">
              <th scope="row" className="p-1 text-left font-normal break-all">
                {name}
                {notes.map((note) => (
                  <span key={note} className="block text-xs text-warning-fg">
                    {note}
                  </span>
                ))}
              </th>
              {cells.map((cell, index) => (
                <td key={counts.columns[index]} className="p-1 text-right tabular-nums">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What of a run stands beside its details. */
export interface ToldRun {
  name: string | null;
  status: string | null;
  resource_name: string | null;
  time_start: string | null;
  duration_millis: number | null;
  hostname: string | null;
}

export interface JobDialogProps {
  run: ToldRun;
  details: JobDetails;
  onClose: () => void;
}

/** What a run of a job has said of itself. */
export function JobDialog({ run, details, onClose }: JobDialogProps) {
  const tabs = tabsOf(details);
  const panelId = useId();
  const [chosen, setChosen] = useState<string>();
  const tab = tabs.find(({ id }) => id === chosen) ?? tabs[0];
  const { scrape, reconcile, errors } = details;
  const facts = [
    run.resource_name,
    run.time_start && exactTime(Date.parse(run.time_start)).split("\n")[0],
    run.duration_millis !== null && formatDuration(run.duration_millis),
    run.hostname && `on ${run.hostname}`,
  ].filter(Boolean);
  return (
    <Dialog
      title={`Details for job ${run.name ?? ""}`}
      size="large"
      onClose={onClose}
      bodyClassName="flex flex-col"
    >
      <p className="m-0 flex flex-wrap gap-x-3 gap-y-1 px-4 pt-3 text-sm text-muted">
        <JobStatus status={run.status} />
        {facts.map((fact) => (
          <span key={String(fact)} className="break-all">
            {fact}
          </span>
        ))}
      </p>
      <div className="pt-2">
        <Tabs
          label="Details"
          panelId={panelId}
          selected={tab?.id ?? ""}
          onSelect={setChosen}
          tabs={tabs.map(({ id, label }) => ({
            id,
            label,
            badge: id === "errors" && errors.length > 1 && (
              <span className="text-xs text-muted tabular-nums">{errors.length}</span>
            ),
          }))}
        />
      </div>
      <div id={panelId} role="tabpanel" aria-label={tab?.label} className="min-h-40 p-4">
        {tab?.id === "errors" && (
          <CodeView label="Errors" language="text" text={errors.join("\n")} />
        )}
        {tab?.id === "scrape" && scrape && <CountsTable label={tab.label} counts={scrape} />}
        {tab?.id === "reconcile" && reconcile && (
          <CountsTable label={tab.label} counts={reconcile} />
        )}
      </div>
    </Dialog>
  );
}
