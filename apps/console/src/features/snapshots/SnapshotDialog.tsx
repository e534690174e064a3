import { useEffect, useRef, useState } from "react";
import { CheckboxField, SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { type SnapshotWanted, useSnapshot } from "./mutations.ts";

/** How far back, from the nearest; the first is what is asked for unless somebody chooses. */
const ranges = [
  { value: "15m", label: "Last 15 minutes" },
  { value: "1h", label: "Last hour" },
  { value: "6h", label: "Last 6 hours" },
  { value: "1d", label: "Last day" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
] as const;

const size = new Intl.NumberFormat(undefined, {
  style: "unit",
  unit: "megabyte",
  maximumFractionDigits: 1,
});

interface FormProps {
  of: Pick<SnapshotWanted, "kind" | "id" | "name">;
  /** What related ones are called. */
  related: string;
  /** What a snapshot of it holds. */
  about: string;
  onClose: () => void;
}

/** Fetches a zip of what is known of something. It stays open when that fails, as it was filled in. */
function SnapshotForm({ of, related, about, onClose }: FormProps) {
  const [start, setStart] = useState<string>(ranges[0].value);
  const [withRelated, setWithRelated] = useState(false);
  const [bytes, setBytes] = useState(0);
  const snapshot = useSnapshot();
  const fetching = useRef<AbortController>(undefined);
  // Nobody waits for it any more.
  useEffect(() => () => fetching.current?.abort(), []);
  return (
    <FormDialog
      title={`Snapshot of ${of.name}`}
      action="Download"
      busyAction="Downloading..."
      isBusy={snapshot.isPending}
      error={snapshot.error ? `Error downloading file. ${messageOf(snapshot.error)}` : undefined}
      onClose={onClose}
      onSubmit={() => {
        const controller = new AbortController();
        fetching.current = controller;
        setBytes(0);
        snapshot.mutate(
          { ...of, start, withRelated, signal: controller.signal, onProgress: setBytes },
          {
            onSuccess: () => {
              toastDone(`${of.name}-snapshot.zip downloaded`);
              onClose();
            },
          },
        );
      }}
    >
      <p className="m-0 text-sm text-muted">{about}</p>
      <SelectField
        label="Time range"
        value={start}
        options={ranges}
        disabled={snapshot.isPending}
        onChange={setStart}
      />
      <CheckboxField
        label={`Include related ${related}`}
        checked={withRelated}
        disabled={snapshot.isPending}
        onChange={setWithRelated}
      />
      <p role="status" className="m-0 min-h-5 text-sm text-muted tabular-nums">
        {snapshot.isPending && `${size.format(bytes / 1_000_000)} so far`}
      </p>
    </FormDialog>
  );
}

export interface SnapshotDialogProps {
  /** What it is of: one of the two. */
  component?: { id: string; name: string };
  item?: { id: string; name: string | null };
  onClose: () => void;
}

/** Fetches what is known of a component or of an item of the catalog. */
export function SnapshotDialog({ component, item, onClose }: SnapshotDialogProps) {
  if (component)
    return (
      <SnapshotForm
        of={{ kind: "topology", id: component.id, name: component.name }}
        related="components"
        about="A zip with everything below it: components, checks and their results, catalog items, changes, insights and log lines."
        onClose={onClose}
      />
    );
  return (
    item && (
      <SnapshotForm
        of={{ kind: "config", id: item.id, name: item.name ?? item.id }}
        related="items"
        about="A zip with the item, its components and checks with their results, its changes, insights and log lines."
        onClose={onClose}
      />
    )
  );
}
