import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ageColumn, createdByColumn, nameColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import { Source } from "#lib/documents/Source.tsx";
import { ListPage } from "#lib/ListPage.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { type Team, teamQueries } from "./queries.ts";

const memberNames = (team: Team) => team.members.map(({ person }) => person.name).join(", ");

const columns: readonly Column<Team>[] = [
  nameColumn({ mark: ({ icon, name }) => <Icon name={icon || name} /> }),
  {
    id: "members",
    header: "Members",
    width: 320,
    sortable: true,
    sortValue: ({ members }) => members.length,
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
  {
    id: "source",
    header: "Source",
    width: 100,
    sortable: true,
    value: ({ source }) => source ?? consoleSource,
    renderCell: ({ source }) => <Source source={source} />,
  },
  createdByColumn({ width: 150, sortable: true }),
  ageColumn("created_at", "Created"),
  ageColumn("updated_at", "Updated"),
];

const AddTeamDialog = lazy(() =>
  import("./AddTeamDialog.tsx").then((module) => ({ default: module.AddTeamDialog })),
);

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
          <span className="flex min-w-0 items-center gap-2">
            <Icon name={team.icon || team.name} />
            <bdi className="truncate font-medium">{team.name}</bdi>
          </span>
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
      <Suspense>{isAdding && <AddTeamDialog onClose={() => setIsAdding(false)} />}</Suspense>
    </ListPage>
  );
}
