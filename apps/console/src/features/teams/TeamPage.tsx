import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { isKeptInConsole } from "@mainstay/contract/sources.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { HistoryLink } from "#lib/resources/HistoryLink.tsx";
import { ResourceTabs } from "#lib/resources/ResourceTabs.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { MembersTab } from "./MembersTab.tsx";
import { type Team, teamQueries } from "./queries.ts";

const SpecTab = lazyPart(() => import("./SpecTab.tsx").then((module) => module.SpecTab));

export function TeamPage() {
  const { teamId = "" } = useParams({ strict: false }) as { teamId?: string };
  const query = useQuery(teamQueries.team(teamId));
  const access = useAccess();
  // A team that is deleted while its page is open stays to be read, with what was typed.
  const [known, setKnown] = useState<Team>();
  if (query.data && query.data !== known) setKnown(query.data);
  const isGone = query.data === null && known?.id === teamId;
  const team = isGone ? known : query.data;
  const bar = (
    <PageBar
      crumbs={[
        { label: "Settings" },
        { label: "Teams", to: paths.teams() },
        { label: team?.name ?? "Team" },
      ]}
      actions={team && <HistoryLink kind="team" id={team.id} />}
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
        <EmptyState
          title="There is no such team"
          actions={<AppLink to={paths.teams()}>All teams</AppLink>}
        >
          It may have been deleted.
        </EmptyState>
      </>
    );
  const isOurs = isKeptInConsole(team.source);
  const locked = !isOurs
    ? `This team is kept in ${team.source ?? ""} and changed there.`
    : access.whyNot("write", "database");
  return (
    <>
      {bar}
      {isGone && (
        <p
          role="alert"
          className="m-0 shrink-0 border-b bg-warning-bg px-4 py-2 text-sm text-warning-fg"
        >
          This team was deleted meanwhile. What is here can be read and copied, but not saved.
        </p>
      )}
      <ResourceTabs
        key={team.id}
        kind="team"
        id={team.id}
        label="Team"
        own={[
          {
            id: "members",
            label: "Members",
            render: () => (
              <MembersTab team={team} mayWrite={access.may("write", "database") && !isGone} />
            ),
          },
          {
            id: "spec",
            label: "Spec",
            isKept: true,
            render: () => (
              <Suspense fallback={<PageSkeleton />}>
                <SpecTab team={team} locked={locked} isGone={isGone} />
              </Suspense>
            ),
          },
        ]}
      />
    </>
  );
}
