import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { paths } from "#lib/paths.ts";
import { useTeamChanges } from "./mutations.ts";
import { readTeamForm, type TeamErrors, TeamForm, teamValues } from "./TeamForm.tsx";

export function AddTeamDialog({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState(() => teamValues(null));
  const [errors, setErrors] = useState<TeamErrors>({});
  const [refusal, setRefusal] = useState<string>();
  const router = useRouter();
  const { add } = useTeamChanges();
  const save = () => {
    setRefusal(undefined);
    const read = readTeamForm(values);
    setErrors("errors" in read ? read.errors : {});
    if ("errors" in read) return;
    add.mutate(read.team, {
      onError: (failure) => setRefusal(messageOf(failure)),
      onSuccess: ({ id }) => {
        toastDone(`${read.team.name} added successfully`);
        router.history.push(paths.team(id));
      },
    });
  };
  return (
    <FormDialog
      title="Add team"
      size="medium"
      action="Save"
      busyAction="Saving"
      isBusy={add.isPending}
      error={refusal}
      onSubmit={save}
      onClose={onClose}
    >
      <TeamForm
        values={values}
        errors={errors}
        onChange={(part) => setValues((before) => ({ ...before, ...part }))}
      />
    </FormDialog>
  );
}
