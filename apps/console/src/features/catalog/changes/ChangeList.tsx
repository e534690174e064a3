import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { FoundChange } from "@mainstay/contract/catalog-answers.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { pageSizes } from "@mainstay/ui/list-table/Pagination.tsx";
import { Suspense, useMemo } from "react";
import { PagedList } from "#lib/PagedList.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import { PeopleContext } from "./Author.tsx";
import { asLines, burstName, type ChangeLine, gatherBursts, opened } from "./bursts.ts";
import { ChangeFilters } from "./ChangeFilters.tsx";
import { ChangeTimeline, countAll } from "./ChangeTimeline.tsx";
import { changeColumns, phoneRow } from "./columns.tsx";
import { changeQueries } from "./queries.ts";
import type { ChangesOf } from "./search-body.ts";
import { type ChangesView, isFiltered } from "./view.ts";

const ChangeDialog = lazyPart(() =>
  import("./dialog/ChangeDialog.tsx").then((module) => module.ChangeDialog),
);

const noChanges: readonly FoundChange[] = [];
const idsOf = (lines: readonly ChangeLine[]) =>
  [...new Set(lines.flatMap(({ change }) => change.created_by ?? []))].toSorted();

export interface ChangeLines {
  rows: readonly ChangeLine[];
}

export const toLines = (changes: readonly FoundChange[]): ChangeLines => ({
  rows: asLines(changes),
});

export interface ChangeListProps {
  of: ChangesOf;
  view: ChangesView;
  change: ChangeUrl<ChangesView>;
  page: UseQueryResult<ChangeLines>;
}

/** Changes of one item and its relatives, or of everything: when they came, what they are, and one of them whole. */
export function ChangeList({ of, view, change, page }: ChangeListProps) {
  const timeline = useQuery(changeQueries.timeline(view, of));
  const lines = page.data?.rows;
  const changes = useMemo(() => lines?.map((line) => line.change) ?? noChanges, [lines]);
  const ids = useMemo(() => idsOf(lines ?? []), [lines]);
  const people = useQuery(changeQueries.people(ids));
  const named = useMemo(
    () => new Map(people.data?.map((person) => [person.id, person])),
    [people.data],
  );
  // In another order they did not happen one after the other.
  const isInTime = view.sortBy === undefined || view.sortBy === "created_at";
  const gathered = useMemo(
    () => (isInTime ? gatherBursts(changes) : asLines(changes)),
    [changes, isInTime],
  );
  const isOpen = (line: ChangeLine) => view.open.includes(burstName(line));
  const isOfOne = of.itemId !== undefined;
  return (
    <PeopleContext value={named}>
      <ChangeTimeline view={view} timeline={timeline} change={change} />
      <PagedList
        noun="changes"
        view={view}
        change={change}
        page={page}
        counted={timeline.isPlaceholderData ? undefined : timeline.data && countAll(timeline.data)}
        {...(gathered.some(({ burst }) => burst) && {
          tree: {
            rows: opened(gathered, view.open),
            level: ({ isMember }: ChangeLine) => (isMember ? 2 : 1),
            isExpanded: (line: ChangeLine) => (line.burst ? isOpen(line) : undefined),
            onToggle: (line: ChangeLine) => {
              const name = burstName(line);
              change({
                open: isOpen(line) ? view.open.filter((one) => one !== name) : [...view.open, name],
              });
            },
          },
        })}
        columns={changeColumns}
        rowId={({ id }) => id}
        onOpen={(line) => change({ change: line.change.id })}
        sizes={pageSizes}
        storageKey={isOfOne ? "item-changes" : "catalog-changes"}
        loadAll={async (limit) => asLines(await changeQueries.all(view, of, limit))}
        filters={<ChangeFilters view={view} change={change} shown={changes} isOfOne={isOfOne} />}
        isFiltered={isFiltered(view)}
        renderPhoneRow={phoneRow}
        empty={
          <EmptyState title="No changes">
            {isOfOne
              ? "Nothing has changed here in this range of time. Choose a longer one, or look downstream and upstream."
              : "Nothing has changed in this range of time. Scrapers find changes; choose a longer range to see older ones."}
          </EmptyState>
        }
      />
      {view.change !== "" && (
        <Suspense>
          <ChangeDialog
            id={view.change}
            part={view.part}
            onPart={(part) => change({ part }, { replace: true })}
            inOrder={changes.map(({ id }) => id)}
            onShow={(id) => change({ change: id, part: "" }, { replace: true })}
            onClose={() => change({ change: "", part: "" })}
          />
        </Suspense>
      )}
    </PeopleContext>
  );
}
