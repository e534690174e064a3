import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { MembersTab } from "./MembersTab.tsx";
import { type Team, teamQueries, useTeamChanges } from "./queries.ts";
import { readTeamForm, TeamForm, useTeamForm } from "./TeamForm.tsx";

type Tab = "members" | "spec";

const codec = {
  parse: (raw: Record<string, string | undefined>): { tab: Tab } => ({
    tab: raw["tab"] === "spec" ? "spec" : "members",
  }),
  format: ({ tab }: { tab: Tab }) => ({ tab: tab === "members" ? undefined : tab }),
};
const panelId = "team";

function SpecTab({ team, locked }: { team: Team; locked: string | undefined }) {
  const [form, setForm] = useTeamForm(team);
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
    const read = readTeamForm(form);
    if ("errors" in read) return setForm({ ...form, errors: read.errors });
    update.mutate(
      { id: team.id, ...read.team },
      {
        onError: (failure) => setRefusal(messageOf(failure)),
        onSuccess: () => leave(`${read.team.name} updated successfully`),
      },
    );
  };
  return (
    <form
      noValidate
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4">
        {locked !== undefined && (
          <p role="status" className="m-0 text-sm text-muted">
            {locked}
          </p>
        )}
        <TeamForm form={form} onChange={setForm} readOnly={locked !== undefined} />
        {refusal !== undefined && (
          <p role="alert" className="m-0 text-sm text-unhealthy-fg">
            {refusal}
          </p>
        )}
      </div>
      {locked === undefined && (
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
              : `Its ${team.members.length} members stay users; what goes to the team goes to nobody.`}
          </p>
        </Confirm>
      )}
    </form>
  );
}

export function TeamPage() {
  const { teamId = "" } = useParams({ strict: false }) as { teamId?: string };
  const query = useQuery(teamQueries.team(teamId));
  const [{ tab }, change] = useUrlState(codec);
  const access = useAccess();
  const team = query.data;
  const bar = (
    <PageBar
      crumbs={[
        { label: "Settings" },
        { label: "Teams", to: paths.teams() },
        { label: team?.name ?? "Team" },
      ]}
      refresh={{
        onRefresh: () => void query.refetch(),
        isRefreshing: query.isFetching,
        updatedAt: query.dataUpdatedAt,
      }}
    />
  );
  if (query.isError && team === undefined)
    return (
      <>
        {bar}
        <ErrorDisplay
          title="The team could not be loaded"
          message={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      </>
    );
  if (team === undefined) return <PageSkeleton />;
  if (team === null)
    return (
      <>
        {bar}
        <EmptyState title="There is no such team">It may have been deleted.</EmptyState>
      </>
    );
  const isOurs = team.source === null || team.source === "UI";
  const locked = !isOurs
    ? `This team is kept in ${team.source ?? ""} and changed there.`
    : access.whyNot("write", "database");
  return (
    <>
      {bar}
      <div className="-mb-px shrink-0 border-b pt-1">
        <Tabs
          label="Team"
          panelId={panelId}
          selected={tab}
          onSelect={(id) => change({ tab: id === "spec" ? "spec" : "members" })}
          tabs={[
            { id: "members", label: "Members" },
            { id: "spec", label: "Spec" },
          ]}
        />
      </div>
      <div id={panelId} role="tabpanel" className="flex min-h-0 flex-1 flex-col">
        {tab === "members" ? (
          <MembersTab team={team} mayWrite={access.may("write", "database")} />
        ) : (
          <SpecTab key={team.id} team={team} locked={locked} />
        )}
      </div>
    </>
  );
}
