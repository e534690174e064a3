import { Pause, Play, RotateCcw, Tag, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { runCheckRoles } from "@mainstay/contract/permissions.ts";
import { BulkBar } from "@mainstay/ui/list-table/BulkBar.tsx";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { GatedButton } from "#lib/GatedButton.tsx";
import { useAccess } from "#lib/use-access.ts";
import type { HealthCheck } from "../view/group-checks.ts";
import type { BulkAction } from "./plan-bulk.ts";

const BulkDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("./BulkDialog.tsx").then((module) => module.BulkDialog);
});

const actions = [
  { action: "run", label: "Run now", Mark: Play },
  { action: "pause", label: "Pause", Mark: Pause },
  { action: "resume", label: "Resume", Mark: RotateCcw },
  { action: "label", label: "Label", Mark: Tag },
  { action: "delete", label: "Delete", Mark: Trash2 },
] as const;

export interface BulkActionsProps {
  chosen: readonly HealthCheck[];
  all: readonly HealthCheck[];
  onClear: () => void;
  /** Something is being done with them: what says so stays, also when they leave the list. */
  onActing: (isActing: boolean) => void;
}

/** What can be done with the chosen checks. */
export function BulkActions({ chosen, all, onClear, onActing }: BulkActionsProps) {
  const access = useAccess();
  // Kept as it was when it began: what the list becomes of it changes nothing of what was asked.
  const [open, setOpen] = useState<{ action: BulkAction; chosen: readonly HealthCheck[] }>();
  const whyNot = (action: BulkAction) =>
    action === "run" ? access.whyNotRole(runCheckRoles) : access.whyNot("write", "canaries");
  return (
    <>
      {chosen.length > 0 && (
        <BulkBar count={chosen.length} onClear={onClear}>
          {actions.map(({ action, label, Mark }) => (
            <GatedButton
              key={action}
              kind={action === "delete" ? "danger" : "plain"}
              whyNot={whyNot(action)}
              icon={<Mark aria-hidden="true" size={14} strokeWidth={1.75} />}
              onClick={() => {
                setOpen({ action, chosen });
                onActing(true);
              }}
            >
              {label}
            </GatedButton>
          ))}
        </BulkBar>
      )}
      {open && (
        <Suspense>
          <BulkDialog
            action={open.action}
            chosen={open.chosen.map(({ check }) => check)}
            all={all.map(({ check }) => check)}
            onClose={() => {
              setOpen(undefined);
              onActing(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
