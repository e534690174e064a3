import type { CheckSummary } from "@mainstay/contract/health.ts";
import { SegmentedField } from "@mainstay/ui/fields/SegmentedField.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import type { BulkAction, LabelEdit, Reach } from "./plan-bulk.ts";
import { canariesWords, counted } from "./plan-bulk.ts";

const listed = 100;
const named = 5;

const names = (checks: readonly CheckSummary[]): string =>
  checks.length <= named
    ? checks.map(({ name }) => name).join(", ")
    : `${checks
        .slice(0, named)
        .map(({ name }) => name)
        .join(", ")} and ${checks.length - named} more`;

const effects: Record<BulkAction, string> = {
  run: "Each is run once, at once, some at a time; what it says is kept like any other result. Those that may not run say why.",
  pause:
    "The checks of a paused canary do not run by the clock until it is resumed, and show as paused. It is noted in its document, as the annotation paused.",
  resume: "The checks run by the clock again.",
  label: "All checks of a canary carry its labels.",
  delete:
    "The checks stop running and leave the Health page, with their history. They are taken out of the documents of their canaries, where all else stays as it is written; a canary of which every check is chosen goes with them. It can be undone until somebody changes the document, or for a week.",
};

export interface BulkPreviewProps {
  action: BulkAction;
  chosen: readonly CheckSummary[];
  reach: readonly Reach[];
  label: LabelEdit;
  onLabel: (label: LabelEdit) => void;
}

/** What an action reaches, before it is done. */
export function BulkPreview({ action, chosen, reach, label, onLabel }: BulkPreviewProps) {
  const isOfChecks = action === "delete";
  const others = isOfChecks
    ? 0
    : reach
        .filter(({ refused }) => refused === undefined)
        .reduce((sum, one) => sum + one.others.length, 0);
  const refused = reach.filter((one) => one.refused !== undefined).length;
  return (
    <div className="flex flex-col gap-3 text-sm">
      {action === "label" && (
        <div className="flex flex-wrap items-start gap-3">
          <SegmentedField
            label="What to do"
            value={label.value === null ? "remove" : "set"}
            options={[
              { value: "set", label: "Set" },
              { value: "remove", label: "Take away" },
            ]}
            onChange={(what) => onLabel({ ...label, value: what === "remove" ? null : "" })}
          />
          <TextField
            label="Label"
            required
            maxLength={1024}
            className="min-w-40 flex-1"
            value={label.name}
            onChange={(name) => onLabel({ ...label, name })}
          />
          {label.value !== null && (
            <TextField
              label="Value"
              maxLength={1024}
              className="min-w-40 flex-1"
              value={label.value}
              onChange={(value) => onLabel({ ...label, value })}
            />
          )}
        </div>
      )}
      <p className="m-0 text-muted">{effects[action]}</p>
      {others > 0 && (
        <p className="m-0 rounded-control bg-warning-bg p-2 text-warning-fg">
          A canary is changed as a whole: this reaches {counted(others, "more check")} that you did
          not choose.
        </p>
      )}
      {refused > 0 && (
        <p className="m-0">
          {canariesWords(refused)} will be left alone, for the reason that stands there.
        </p>
      )}
      {action === "run" ? (
        <ul className="m-0 flex list-none flex-col p-0">
          {chosen.slice(0, listed).map(({ id, name, namespace, held }) => (
            <li key={id} className="flex gap-2 border-b py-1 last:border-b-0">
              <span className="truncate">{name}</span>
              <span className="text-muted">{namespace}</span>
              {held !== undefined && <span className="truncate text-muted">{held}</span>}
            </li>
          ))}
        </ul>
      ) : (
        <ul className="m-0 flex list-none flex-col p-0">
          {reach.slice(0, listed).map((canary) => (
            <li key={canary.id} className="flex flex-col border-b py-1.5 last:border-b-0">
              <span className="flex min-w-0 gap-2">
                <span className="truncate font-medium">{canary.name}</span>
                <span className="shrink-0 text-muted">{canary.namespace}</span>
              </span>
              {canary.refused !== undefined ? (
                <span className="text-xs text-warning-fg">{canary.refused}</span>
              ) : (
                <span className="text-xs text-muted">
                  {names(canary.chosen)}
                  {isOfChecks
                    ? canary.others.length === 0
                      ? " – with the canary, which has no others"
                      : ` – ${counted(canary.others.length, "other")} of it ${canary.others.length === 1 ? "stays" : "stay"}`
                    : canary.others.length > 0 && (
                        <span className="text-text"> – also reaches {names(canary.others)}</span>
                      )}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {(action === "run" ? chosen : reach).length > listed && (
        <p className="m-0 text-xs text-muted">
          and {(action === "run" ? chosen : reach).length - listed} more
        </p>
      )}
    </div>
  );
}
