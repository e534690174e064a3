import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import type { Cause, CauseStep, Explanation } from "@mainstay/contract/topology-answers.ts";
import { isHealth } from "@mainstay/contract/health-words.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { messageOf } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { type AnyComponent, topologyQueries } from "../queries.ts";

const places = {
  component: (id: string) => paths.component(id),
  check: (id: string) => paths.check(id),
  config: (id: string) => paths.catalogItem(id),
} as const satisfies Record<CauseStep["kind"], (id: string) => string>;

/** What a cause is, in a word. */
const causeWords: Readonly<Record<Cause["kind"], string>> = {
  check: "Check",
  source: "Its source says so",
  script: "Its script says so",
  fault: "Its script failed",
  item: "Catalog item",
  insight: "Insight",
};

/** Where a cause itself is shown: what is no thing of its own stands where its path ends. */
function placeOf({ kind, id, path }: Cause): string | undefined {
  if (kind === "check") return places.check(id);
  if (kind === "item") return places.config(id);
  const end = path.at(-1);
  return end && places[end.kind](end.id);
}

function CauseLine({ cause }: { cause: Cause }) {
  const { kind, name, message, since, health, path } = cause;
  const to = placeOf(cause);
  // What is explained is where the reader is.
  const between = path.slice(1);
  return (
    <li className="flex min-w-0 flex-col gap-0.5 py-1">
      <span className="flex min-w-0 items-baseline gap-1.5">
        <span className="self-center">
          <StatusDot tone={isHealth(health) ? health : "unknown"} label={health ?? "unknown"} />
        </span>
        {to === undefined ? (
          <span className="min-w-0 truncate">{name}</span>
        ) : (
          <AppLink
            to={to}
            className="min-w-0 truncate font-medium hover:text-accent hover:underline"
          >
            <bdi>{name}</bdi>
          </AppLink>
        )}
        <span className="shrink-0 text-xs text-muted">{causeWords[kind]}</span>
        {since !== undefined && (
          <span className="ml-auto shrink-0 text-xs text-muted">
            <Age at={since} />
          </span>
        )}
      </span>
      {message && <span className="text-xs break-words text-muted">{message}</span>}
      {between.length > 0 && (
        <span className="text-xs break-words text-muted">
          by way of{" "}
          {between.map((step, index) => (
            <Fragment key={step.id}>
              {index > 0 && " › "}
              <AppLink
                to={places[step.kind](step.id)}
                className="hover:text-accent hover:underline"
              >
                <bdi>{step.name}</bdi>
              </AppLink>
            </Fragment>
          ))}
        </span>
      )}
    </li>
  );
}

function Changes({ changes, hasMoreChanges }: Explanation) {
  if (changes.length === 0) return null;
  return (
    <>
      <h4 className="m-0 mt-2 text-xs font-semibold text-muted">Changed in the hour before</h4>
      <ul className="m-0 list-none p-0 text-xs">
        {changes.map((change) => (
          <li key={change.id} className="flex min-w-0 items-baseline gap-1.5 py-0.5">
            <AppLink
              to={places.config(change.config_id)}
              className="max-w-[45%] shrink-0 truncate hover:text-accent hover:underline"
              data-tooltip={change.config_type}
            >
              <bdi>{change.config_name ?? change.config_id.slice(-12)}</bdi>
            </AppLink>
            <span className="min-w-0 flex-1 truncate text-muted" data-tooltip={change.summary}>
              {[change.change_type, change.summary].filter(Boolean).join(": ")}
            </span>
            <span className="shrink-0 text-muted">
              <Age at={change.created_at} />
            </span>
          </li>
        ))}
      </ul>
      {hasMoreChanges && <p className="m-0 text-xs text-muted">There were more.</p>}
    </>
  );
}

/** Why a component is as it is: what makes it so, by which way, since when, and what changed before. */
export function Why({ component }: { component: AnyComponent }) {
  const { data, error, isPending, refetch } = useQuery(topologyQueries.explanation(component.id));
  return (
    <section aria-label="Why">
      <h3 className="m-0 text-xs font-semibold text-muted">Why</h3>
      {data ? (
        <>
          <p className="m-0 text-sm">
            {data.text}
            {data.since !== undefined && !data.isWell && (
              <span className="text-xs text-muted">
                {" "}
                <Age at={data.since} />
              </span>
            )}
          </p>
          {data.causes.length > 0 && (
            <ul aria-label="Causes" className="m-0 list-none p-0 text-sm">
              {data.causes.map((cause, index) => (
                <CauseLine key={`${cause.kind} ${cause.id} ${index}`} cause={cause} />
              ))}
            </ul>
          )}
          {data.hasMoreCauses && <p className="m-0 text-xs text-muted">There are more causes.</p>}
          <Changes {...data} />
        </>
      ) : isPending ? (
        <SkeletonRows rows={1} label="Looking for causes" />
      ) : (
        <p role="alert" className="m-0 flex flex-wrap items-center gap-2 text-sm text-muted">
          It could not be found out why: {messageOf(error)}
          <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
    </section>
  );
}
