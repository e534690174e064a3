import { useState } from "react";
import { ResourceSelector } from "@mainstay/ui/choice/ResourceSelector.tsx";
import type { Choice } from "@mainstay/ui/choice/choice.ts";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { useAccess } from "#lib/use-access.ts";
import { useLinks } from "./mutations.ts";
import { findItems } from "./queries.ts";

export interface LinkDialogProps {
  component: { id: string; name: string };
  onClose: () => void;
}

/** Says which item of the catalog a component is. */
export function LinkDialog({ component, onClose }: LinkDialogProps) {
  const [chosen, setChosen] = useState<readonly Choice[]>([]);
  const [isTried, setIsTried] = useState(false);
  const { link } = useLinks(component.id);
  return (
    <FormDialog
      title={`Link ${component.name} to catalog`}
      action="Link"
      busyAction="Linking..."
      isBusy={link.isPending}
      error={link.error ? messageOf(link.error) : undefined}
      locked={useAccess().whyNot("write", "topologies")}
      onClose={onClose}
      onSubmit={() => {
        setIsTried(true);
        const [item] = chosen;
        if (!item) return;
        link.mutate(item.value, {
          onSuccess: () => {
            toastDone("config link successful");
            onClose();
          },
        });
      }}
    >
      <ResourceSelector
        label="Catalog item"
        required
        search={findItems}
        chosen={chosen}
        onChange={setChosen}
        placeholder="Search by name or type"
        {...(isTried && chosen.length === 0 && { error: "This field is required" })}
      />
    </FormDialog>
  );
}
