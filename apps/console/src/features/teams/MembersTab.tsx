import { useQuery } from "@tanstack/react-query";
import { UserMinus, UserPlus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { CheckboxField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { useTeamChanges } from "./mutations.ts";
import { type Member, type Team, teamQueries } from "./queries.ts";

/** Boxes that are drawn at once. */
const MOST_SHOWN = 200;

function AddMembersDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const people = useQuery(teamQueries.people);
  const [picked, setChosen] = useState<readonly Member[]>([]);
  const [text, setText] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const { addMembers } = useTeamChanges();
  const already = new Set(team.members.map(({ person }) => person.id));
  const outside = people.data?.filter(({ id }) => !already.has(id)) ?? [];
  // Somebody else may have added or deleted whom was chosen here.
  const chosen = picked.filter((person) => outside.some(({ id }) => id === person.id));
  const shown = outside.filter(({ name, email }) =>
    `${name} ${email ?? ""}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const isChosen = (person: Member) => chosen.some(({ id }) => id === person.id);

  const save = () => {
    setRefusal(undefined);
    if (chosen.length === 0) return setRefusal("Choose at least one user.");
    addMembers.mutate(
      { teamId: team.id, people: chosen },
      {
        onError: (failure) => setRefusal(messageOf(failure)),
        onSuccess: () => {
          toastDone(`${chosen.map(({ name }) => name).join(", ")} added to the team successfully`);
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title="Add users to the team"
      action={chosen.length > 1 ? `Add ${chosen.length} users` : "Add"}
      busyAction="Adding"
      isBusy={addMembers.isPending}
      error={refusal ?? (people.isError ? messageOf(people.error) : undefined)}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Search users"
        hideLabel
        type="search"
        placeholder="Search by name or email"
        value={text}
        onChange={setText}
      />
      <fieldset className="m-0 max-h-[40vh] overflow-auto border-0 p-0">
        <legend className="sr-only">Users</legend>
        {shown.slice(0, MOST_SHOWN).map((person) => (
          <CheckboxField
            key={person.id}
            checked={isChosen(person)}
            onChange={(checked) =>
              setChosen(checked ? [...chosen, person] : chosen.filter(({ id }) => id !== person.id))
            }
            label={
              <span className="flex min-w-0 items-center gap-2">
                <Avatar name={person.name} src={person.avatar} size={20} />
                <bdi className="truncate">{person.name}</bdi>
                <span className="truncate text-xs text-muted">{person.email}</span>
              </span>
            }
          />
        ))}
        {shown.length > MOST_SHOWN && (
          <p className="m-0 py-2 text-center text-sm text-muted">
            {shown.length - MOST_SHOWN} more: search for them by name or email.
          </p>
        )}
        {shown.length === 0 && (
          <p className="m-0 py-4 text-center text-sm text-muted">
            {people.isPending || (people.isError && people.isFetching)
              ? "loading data..."
              : people.isError
                ? "The users could not be loaded."
                : outside.length === 0
                  ? "Everybody is in the team already."
                  : "Nobody matches what is searched for."}
          </p>
        )}
        {people.isError && !people.isFetching && (
          <p className="m-0 text-center">
            <Button onClick={() => void people.refetch()}>Try again</Button>
          </p>
        )}
      </fieldset>
    </FormDialog>
  );
}

/** Who is in a team. */
export function MembersTab({ team, mayWrite }: { team: Team; mayWrite: boolean }) {
  const [isAdding, setIsAdding] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const wasEmpty = useRef(team.members.length === 0);
  const isEmpty = team.members.length === 0;
  // With the first member the button moves to the top: the focus that it had goes with it.
  useEffect(() => {
    if (wasEmpty.current && !isEmpty && document.activeElement === document.body)
      adder.current?.focus();
    wasEmpty.current = isEmpty;
  }, [isEmpty]);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const { removeMember } = useTeamChanges();
  const add = mayWrite && (
    <Button
      ref={adder}
      kind="primary"
      icon={<UserPlus size={14} strokeWidth={1.75} />}
      onClick={() => setIsAdding(true)}
    >
      Add users
    </Button>
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto">
      {team.members.length === 0 ? (
        <EmptyState title="You haven't added any team members to the team yet." actions={add} />
      ) : (
        <>
          <div className="flex items-center gap-2 px-4 py-2">{add}</div>
          <ul aria-label="Members" className="m-0 list-none p-0">
            {team.members.map(({ person }) => (
              <li key={person.id} className="flex min-h-11 items-center gap-3 border-t px-4">
                <Avatar name={person.name} src={person.avatar} />
                <span className="flex min-w-0 flex-1 flex-col">
                  <bdi className="truncate text-left">{person.name}</bdi>
                  <span className="truncate text-xs text-muted">{person.email}</span>
                </span>
                {mayWrite && (
                  <IconButton
                    label={`Remove user ${person.name}`}
                    icon={<UserMinus size={16} strokeWidth={1.75} />}
                    onClick={() => setLeaving(person)}
                  />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {isAdding && <AddMembersDialog team={team} onClose={() => setIsAdding(false)} />}
      {leaving && (
        <Confirm
          title={`Remove ${leaving.name} from ${team.name}?`}
          action="Remove user"
          isBusy={removeMember.isPending}
          onClose={() => setLeaving(null)}
          onConfirm={() =>
            removeMember.mutate(
              { teamId: team.id, person: leaving },
              {
                onSuccess: () => {
                  toastDone(`${leaving.name} removed from team successfully`);
                  setLeaving(null);
                },
              },
            )
          }
        >
          <p className="m-0 text-sm">
            What goes to the team no longer goes to {leaving.name}. Other teams are not touched.
          </p>
        </Confirm>
      )}
    </div>
  );
}
