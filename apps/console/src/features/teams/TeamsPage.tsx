import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { type ListColumn, ListPage } from "#lib/ListPage.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { type Team, teamQueries, useTeamChanges } from "./queries.ts";
import { readTeamForm, TeamForm, useTeamForm } from "./TeamForm.tsx";

const memberNames = (team: Team) => team.members.map(({ person }) => person.name).join(", ");

const columns: readonly ListColumn<Team>[] = [
  { id: "name", header: "Name", sortBy: ({ name }) => name, renderCell: ({ name }) => name },
  {
    id: "members",
    header: "Members",
    width: 320,
    sortBy: ({ members }) => members.length,
    renderCell: (team) =>
      team.members.length === 0 ? (
        <span className="text-muted">none</span>
      ) : (
        <span data-tooltip={memberNames(team)} className="truncate">
          <span className="tabular-nums">{team.members.length}</span>{" "}
          <span className="text-muted">{memberNames(team)}</span>
        </span>
      ),
  },
  { id: "source", header: "Source", width: 100, renderCell: ({ source }) => source ?? "–" },
  {
    id: "created_by",
    header: "Created By",
    width: 150,
    sortBy: (team) => team.created_by?.name,
    renderCell: (team) => team.created_by?.name ?? "–",
  },
  {
    id: "created_at",
    header: "Created",
    width: 110,
    sortBy: (team) => team.created_at,
    renderCell: (team) => <Age at={team.created_at} />,
  },
  {
    id: "updated_at",
    header: "Updated",
    width: 110,
    sortBy: (team) => team.updated_at,
    renderCell: (team) => <Age at={team.updated_at} />,
  },
];

function AddTeamDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useTeamForm(null);
  const [refusal, setRefusal] = useState<string>();
  const router = useRouter();
  const { add } = useTeamChanges();
  const save = () => {
    setRefusal(undefined);
    const read = readTeamForm(form);
    if ("errors" in read) return setForm({ ...form, errors: read.errors });
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
      <TeamForm form={form} onChange={setForm} />
    </FormDialog>
  );
}

export function TeamsPage() {
  const [isAdding, setIsAdding] = useState(false);
  const router = useRouter();
  const mayWrite = useAccess().may("write", "database");
  return (
    <ListPage
      crumbs={[{ label: "Settings" }, { label: "Teams" }]}
      noun="teams"
      query={useQuery(teamQueries.list)}
      columns={columns}
      rowId={({ id }) => id}
      searchIn={(team) => `${team.name} ${memberNames(team)}`}
      onOpen={({ id }) => router.history.push(paths.team(id))}
      create={mayWrite ? { label: "Add team", onCreate: () => setIsAdding(true) } : undefined}
      storageKey="teams"
      renderPhoneRow={(team) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium">{team.name}</span>
          <span className="truncate text-xs text-muted">{memberNames(team) || "no members"}</span>
        </span>
      )}
      empty={
        <EmptyState
          title="No resources found"
          actions={
            mayWrite && (
              <Button kind="primary" onClick={() => setIsAdding(true)}>
                Add team
              </Button>
            )
          }
        >
          A team is a group of people who are told and asked together.
        </EmptyState>
      }
    >
      {isAdding && <AddTeamDialog onClose={() => setIsAdding(false)} />}
    </ListPage>
  );
}
