import { useQuery } from "@tanstack/react-query";
import { ShieldAlert, ShieldCheck, ShieldQuestion } from "lucide-react";
import type { SecurityFact } from "@mainstay/contract/security.ts";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { securityQuery } from "./queries.ts";

const looks = {
  serious: { word: "Serious", tone: "unhealthy", icon: ShieldAlert, mark: "text-unhealthy" },
  notable: { word: "Notable", tone: "warning", icon: ShieldQuestion, mark: "text-warning" },
} as const;

function Fact({ fact }: { fact: SecurityFact }) {
  const { word, tone, icon: Icon, mark } = looks[fact.weight];
  const parts = [
    ["Now", fact.state],
    ["Costs", fact.cost],
    ["Instead", fact.remedy],
  ] as const;
  return (
    <li className="rounded-card border bg-raised p-4">
      <h2 className="m-0 flex items-start gap-2 text-md font-medium">
        <Icon
          aria-hidden="true"
          size={16}
          strokeWidth={1.75}
          className={`mt-0.5 shrink-0 ${mark}`}
        />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
          {fact.title}
          <Badge tone={tone}>{word}</Badge>
          {fact.setting !== undefined && (
            <code className="ml-auto font-mono text-xs font-normal text-muted max-tablet:ml-0">
              {fact.setting}
            </code>
          )}
        </span>
      </h2>
      <dl className="m-0 mt-2 grid grid-cols-[4rem_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {parts.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="m-0 max-w-prose break-words">{text}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function summary(facts: readonly SecurityFact[]): string {
  const serious = facts.filter(({ weight }) => weight === "serious").length;
  const things = `${facts.length} ${facts.length === 1 ? "thing weakens" : "things weaken"} this server`;
  return serious === 0
    ? `${things}, none of them seriously.`
    : `${things}, ${serious} of them seriously.`;
}

/** What weakens the server, what each costs, and what to do instead. */
export function SecurityPage() {
  const { data, error, isPending, isFetching, dataUpdatedAt, refetch } = useQuery(securityQuery);
  return (
    <>
      <PageBar
        crumbs={[{ label: "Settings" }, { label: "Security" }]}
        refresh={{
          onRefresh: () => void refetch(),
          isRefreshing: isFetching,
          updatedAt: dataUpdatedAt,
        }}
      />
      {isPending ? (
        <SkeletonRows rows={6} />
      ) : error && data === undefined ? (
        <ErrorDisplay
          title="What weakens the server could not be loaded"
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : data?.length === 0 ? (
        <EmptyState
          title="Nothing weakens this server"
          icon={<ShieldCheck aria-hidden="true" size={20} strokeWidth={1.75} />}
        >
          Settings that give up a line of defence, and what people have left undone, would be listed
          here with what they cost and what to do instead.
        </EmptyState>
      ) : (
        <section
          aria-label="Security"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
          tabIndex={0}
          className="min-h-0 flex-1 overflow-auto p-4 outline-offset-[-2px]"
        >
          <div className="mx-auto max-w-4xl">
            <p className="m-0 mb-3 text-sm text-muted">{summary(data ?? [])}</p>
            <ul
              aria-label="What weakens this server"
              className="m-0 flex list-none flex-col gap-3 p-0"
            >
              {data?.map((fact) => (
                <Fact key={fact.id} fact={fact} />
              ))}
            </ul>
          </div>
        </section>
      )}
    </>
  );
}
