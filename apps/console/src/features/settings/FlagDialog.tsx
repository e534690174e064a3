import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { TextAreaField, TextField } from "@mainstay/ui/fields/TextField.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { useAccess } from "#lib/use-access.ts";
import { type Flag, useFlagChanges } from "./queries.ts";

/** Makes a flag, or changes or removes the one that is there. */
export function FlagDialog({ flag, onClose }: { flag: Flag | null; onClose: () => void }) {
  const [name, setName] = useState(flag?.name ?? "");
  const [value, setValue] = useState(flag?.value ?? "");
  const [error, setError] = useState<string>();
  const [isRemoving, setIsRemoving] = useState(false);
  const mayWrite = useAccess().may("write", "feature_flags");
  const { add, update, remove } = useFlagChanges();
  const isLocal = flag?.source === "local";

  const save = () => {
    setError(undefined);
    if (name.trim() === "" || value.trim() === "") return setError("please provide all details");
    (flag ? update : add).mutate(
      { name: name.trim(), value },
      {
        onError: (failure) => setError(messageOf(failure)),
        onSuccess: () => {
          toastDone(flag ? "Feature flag updated successfully" : "Feature flag added successfully");
          onClose();
        },
      },
    );
  };
  const drop = () =>
    remove.mutate(
      { name },
      {
        onError: (failure) => {
          setIsRemoving(false);
          setError(messageOf(failure));
        },
        onSuccess: () => {
          toastDone("Feature flag removed successfully");
          onClose();
        },
      },
    );
  const isMissing = error !== undefined && value.trim() === "";

  if (isRemoving)
    return (
      <Confirm
        title={`Delete the feature flag ${name}?`}
        action={remove.isPending ? "Deleting" : "Delete"}
        isBusy={remove.isPending}
        onConfirm={drop}
        onClose={() => setIsRemoving(false)}
      >
        <p className="m-0 text-sm">
          Its value <code className="font-mono break-all">{flag?.value}</code> is lost; what it
          switches goes back to the default.
        </p>
      </Confirm>
    );
  return (
    <FormDialog
      title={flag ? "Edit feature flag" : "Add feature flag"}
      action={flag ? "Update" : "Save"}
      busyAction={flag ? "Updating" : "Saving"}
      isBusy={add.isPending || update.isPending}
      error={error}
      locked={
        isLocal
          ? "Cannot edit local feature flags"
          : mayWrite
            ? undefined
            : "Your role may read feature flags but not change them."
      }
      onSubmit={save}
      onClose={onClose}
      footerStart={
        flag && !isLocal && mayWrite ? (
          <Button kind="danger" onClick={() => setIsRemoving(true)}>
            Delete
          </Button>
        ) : undefined
      }
    >
      <TextField
        label="Name"
        required
        value={name}
        onChange={setName}
        readOnly={flag !== null}
        maxLength={256}
        spellCheck={false}
        autoComplete="off"
        hint={flag ? flag.description : "A feature is switched off by <feature>.disable = true."}
        error={error !== undefined && name.trim() === "" ? "This field is required" : undefined}
      />
      <TextAreaField
        label="Value"
        required
        isCode
        rows={3}
        value={value}
        onChange={setValue}
        readOnly={isLocal || !mayWrite}
        spellCheck={false}
        error={isMissing ? "This field is required" : undefined}
      />
    </FormDialog>
  );
}
