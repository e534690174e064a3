import { useRouter } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import { changedNotice, useEdited } from "#lib/use-edited.ts";
import { useTeamChanges } from "./mutations.ts";
import type { Team } from "./queries.ts";
import { readTeamForm, type TeamErrors, TeamForm, teamValues } from "./TeamForm.tsx";

const labels = { name: "name", icon: "icon", spec: "spec" };

export interface SpecTabProps {
  team: Team;
  /** Why nothing can be changed. */
  locked: string | undefined;
  /** It was deleted while it was open. */
  isGone: boolean;
}

/** What a team is called and consists of, to be changed. */
export function SpecTab({ team, locked, isGone }: SpecTabProps) {
  const latest = useMemo(() => teamValues(team), [team]);
  const { values, change, changedMeanwhile } = useEdited(latest);
  const [errors, setErrors] = useState<TeamErrors>({});
  const [refusal, setRefusal] = useState<string>();
  const [isDeleting, setIsDeleting] = useState(false);
  const router = useRouter();
  const { update, remove } = useTeamChanges();
  const leave = (said: string) => {
    toastDone(said);
    router.history.push(paths.teams());
  };
  const save = () => {
    setRefusal(undefined);
    const read = readTeamForm(values);
    setErrors("errors" in read ? read.errors : {});
    if ("errors" in read) return;
    update.mutate(
      { team: read.team, seen: team },
      {
        onError: (failure) => setRefusal(messageOf(failure)),
        onSuccess: () => leave(`${read.team.name} updated successfully`),
      },
    );
  };
  const notice = update.isPending ? undefined : changedNotice("team", changedMeanwhile, labels);
  return (
    <form
      noValidate
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        if (locked === undefined && !isGone && !update.isPending) save();
      }}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4">
        {locked !== undefined && (
          <p role="status" className="m-0 text-sm text-muted">
            {locked}
          </p>
        )}
        {notice !== undefined && !isGone && (
          <p role="status" className="m-0 rounded-control bg-info-bg p-2 text-sm text-info-fg">
            {notice}
          </p>
        )}
        <TeamForm
          values={values}
          errors={errors}
          onChange={change}
          readOnly={locked !== undefined}
        />
        {refusal !== undefined && (
          <p role="alert" className="m-0 text-sm text-unhealthy-fg">
            {refusal}
          </p>
        )}
      </div>
      {locked === undefined && !isGone && (
        <footer className="flex shrink-0 justify-end gap-2 border-t px-4 py-2">
          <Button kind="danger" className="mr-auto" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
          <Button kind="primary" type="submit" disabled={update.isPending}>
            {update.isPending ? "Updating" : "Update"}
          </Button>
        </footer>
      )}
      {isDeleting && (
        <Confirm
          title={`Delete the team ${team.name}?`}
          action={remove.isPending ? "Deleting" : "Delete"}
          isBusy={remove.isPending}
          onClose={() => setIsDeleting(false)}
          onConfirm={() =>
            remove.mutate(team, {
              onError: (failure) => {
                setIsDeleting(false);
                setRefusal(messageOf(failure));
              },
              onSuccess: () => leave(`${team.name} deleted successfully`),
            })
          }
        >
          <p className="m-0 text-sm">
            {team.members.length === 0
              ? "Nobody is in it."
              : `Its ${team.members.length === 1 ? "member stays a user" : `${team.members.length} members stay users`}; what goes to the team goes to nobody.`}
          </p>
        </Confirm>
      )}
    </form>
  );
}
