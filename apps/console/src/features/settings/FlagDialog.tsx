import { useId, useState } from "react";
import { knownFlags } from "@mainstay/contract/known-flags.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { TextAreaField, TextField } from "@mainstay/ui/fields/TextField.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { useAccess } from "#lib/use-access.ts";
import { changedNotice, useEdited } from "#lib/use-edited.ts";
import { useFlagChanges } from "./mutations.ts";
import type { Flag } from "./queries.ts";

const short = (value: string) => (value.length > 200 ? `${value.slice(0, 200)}…` : value);
const MOST = 256;
const labels = { value: "value" };
/** Once it is on, there is no page to put it off again. */
const ownFlag = "settings.feature_flags.disable";
const describe = (name: string) =>
  knownFlags.find((known) => known.name === name.trim())?.description;

export interface FlagDialogProps {
  /** None yet: one is added. */
  flag: Flag | null;
  /** All there are, as they are now. */
  flags: readonly Flag[];
  onClose: () => void;
}

/** Makes a flag, or changes or removes the one that is there. */
export function FlagDialog({ flag: opened, flags, onClose }: FlagDialogProps) {
  const now = opened && flags.find((one) => one.name === opened.name);
  const flag = now ?? opened;
  const { values, change, changedMeanwhile } = useEdited({
    name: flag?.name ?? "",
    value: flag?.value ?? "",
  });
  const { name, value } = values;
  const suggestions = useId();
  const [error, setError] = useState<string>();
  const [isRemoving, setIsRemoving] = useState(false);
  const whyNot = useAccess().whyNot("write", "feature_flags");
  const mayWrite = whyNot === undefined;
  const { add, update, remove } = useFlagChanges();
  const isLocal = flag?.source === "local";
  const isBusy = add.isPending || update.isPending || remove.isPending;
  const isGone = opened !== null && !now && !isBusy;
  const notice = isBusy ? undefined : changedNotice("feature flag", changedMeanwhile, labels);

  const save = () => {
    setError(undefined);
    if (name.trim() === "" || value.trim() === "") return setError("please provide all details");
    // Not cut while it is typed or pasted: what is left would be another name.
    if (name.trim().length > MOST) return setError(`A name has at most ${MOST} characters.`);
    const onError = (failure: Error) => setError(messageOf(failure));
    const done = (text: string) => {
      toastDone(text);
      onClose();
    };
    if (flag)
      update.mutate(
        { value, seen: flag },
        { onError, onSuccess: () => done("Feature flag updated successfully") },
      );
    else
      add.mutate(
        { name: name.trim(), value },
        { onError, onSuccess: () => done("Feature flag added successfully") },
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
      isBusy={isBusy}
      error={error}
      locked={
        isLocal
          ? "Cannot edit local feature flags"
          : isGone
            ? "This feature flag was deleted meanwhile."
            : whyNot
      }
      onSubmit={save}
      onClose={onClose}
      footerStart={
        flag && !isLocal && !isGone && mayWrite ? (
          <Button kind="danger" onClick={() => setIsRemoving(true)}>
            Delete
          </Button>
        ) : undefined
      }
    >
      {notice !== undefined && !isGone && (
        <p role="status" className="m-0 rounded-control bg-info-bg p-2 text-sm text-info-fg">
          {notice} It is <code className="font-mono break-all">{short(flag?.value ?? "")}</code>{" "}
          now.
        </p>
      )}
      <TextField
        label="Name"
        required
        value={name}
        onChange={(typed) => change({ name: typed })}
        readOnly={flag !== null}
        list={suggestions}
        spellCheck={false}
        autoComplete="off"
        hint={
          flag?.description ??
          describe(name) ??
          "A feature is switched off by <feature>.disable = true."
        }
        error={error !== undefined && name.trim() === "" ? "This field is required" : undefined}
      />
      <datalist id={suggestions}>
        {flag === null &&
          knownFlags
            .filter((known) => !flags.some((there) => there.name === known.name))
            .map((known) => (
              <option key={known.name} value={known.name}>
                {known.description}
              </option>
            ))}
      </datalist>
      <TextAreaField
        label="Value"
        required
        isCode
        rows={3}
        value={value}
        onChange={(typed) => change({ value: typed })}
        hint={
          name.trim() === ownFlag && value === "true"
            ? "This page goes, too, for everybody: only the API or the server's properties file bring it back."
            : undefined
        }
        readOnly={isLocal || !mayWrite}
        spellCheck={false}
        error={isMissing ? "This field is required" : undefined}
      />
    </FormDialog>
  );
}
