import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { isKeptInConsole } from "@mainstay/contract/sources.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { messageOf } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { HistoryLink } from "#lib/resources/HistoryLink.tsx";
import { paths } from "#lib/paths.ts";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { MembersTab } from "./MembersTab.tsx";
import { type Team, teamQueries } from "./queries.ts";

type Tab = "members" | "spec";

const codec = {
  parse: (raw: Record<string, string | undefined>): { tab: Tab } => ({
    tab: raw["tab"] === "spec" ? "spec" : "members",
  }),
  format: ({ tab }: { tab: Tab }) => ({ tab: tab === "members" ? undefined : tab }),
};
const panelId = "team";

const SpecTab = lazy(() => import("./SpecTab.tsx").then((module) => ({ default: module.SpecTab })));

export function TeamPage() {
  const { teamId = "" } = useParams({ strict: false }) as { teamId?: string };
  const query = useQuery(teamQueries.team(teamId));
  const [{ tab }, change] = useUrlState(codec);
  const access = useAccess();
  // A team that is deleted while its page is open stays to be read, with what was typed.
  const [known, setKnown] = useState<Team>();
  if (query.data && query.data !== known) setKnown(query.data);
  const isGone = query.data === null && known?.id === teamId;
  const team = isGone ? known : query.data;
  const [wasEdited, setWasEdited] = useState(false);
  if (tab === "spec" && !wasEdited) setWasEdited(true);
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
      <div className="-mb-px shrink-0 border-b pt-1">
        <Tabs
          label="Team"
          panelId={panelId}
          selected={tab}
          onSelect={(id) => change({ tab: id === "spec" ? "spec" : "members" })}
          tabs={[
            { id: "spec", label: "Spec" },
            { id: "members", label: "Members" },
          ]}
        />
      </div>
      {isGone && (
        <p
          role="alert"
          className="m-0 shrink-0 border-b bg-warning-bg px-4 py-2 text-sm text-warning-fg"
        >
          This team was deleted meanwhile. What is here can be read and copied, but not saved.
        </p>
      )}
      <div id={panelId} role="tabpanel" className="flex min-h-0 flex-1 flex-col">
        {tab === "members" && (
          <MembersTab team={team} mayWrite={access.may("write", "database") && !isGone} />
        )}
        {wasEdited && (
          <div hidden={tab !== "spec"} className="flex min-h-0 flex-1 flex-col">
            <Suspense fallback={<PageSkeleton />}>
              <SpecTab key={team.id} team={team} locked={locked} isGone={isGone} />
            </Suspense>
          </div>
        )}
      </div>
    </>
  );
}
