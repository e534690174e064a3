import { Suspense, useState } from "react";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import type { ListedKind, ListedResource } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";

interface ListedTeam extends ListedResource {
  members: { person: { name: string } }[];
}

const memberNames = ({ members }: ListedTeam) =>
  members
    .map(({ person }) => person.name)
    .toSorted((one, other) => one.localeCompare(other))
    .join(", ");

const teams: ListedKind<ListedTeam> = {
  kind: "team",
  view: "teams_with_status",
  table: "teams",
  without: ["namespace", "schedule", "labels"],
  own: {
    select: "members:team_members(person:people(name))",
    tables: ["team_members", "people"],
    search: {
      select: "found:team_members(people!inner(id))",
      column: "found.people.name",
      placeholder: "Search by name or member",
    },
    columns: [
      {
        id: "members",
        header: "Members",
        width: 260,
        value: memberNames,
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
    ],
  },
};

const AddTeamDialog = lazyPart(() =>
  import("./AddTeamDialog.tsx").then((module) => module.AddTeamDialog),
);

/** /settings/teams: who is told and asked together. */
export function TeamsPage() {
  const [isAdding, setIsAdding] = useState(false);
  const mayWrite = useAccess().may("write", "database");
  return (
    <ResourceListPage
      of={teams}
      title="Teams"
      to={paths.team}
      create={mayWrite ? { label: "Add team", onCreate: () => setIsAdding(true) } : undefined}
      about="A team is a group of people who are told and asked together."
    >
      <Suspense>{isAdding && <AddTeamDialog onClose={() => setIsAdding(false)} />}</Suspense>
    </ResourceListPage>
  );
}
