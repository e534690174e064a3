import { useQuery } from "@tanstack/react-query";
import type { TopologyNode } from "@mainstay/contract/topology-answers.ts";
import { Age, momentText } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { topologyQueries } from "../queries.ts";
import { healthWord, ownStatus, toneOf } from "../shared/component-words.ts";

export interface PastDetailsProps {
  component: TopologyNode;
  at: number;
  onNow: () => void;
}

/** How a component was, and since when. What else is known of it is known of now. */
export function PastDetails({ component, at, onNow }: PastDetailsProps) {
  const { data } = useQuery(topologyQueries.states(at));
  const state = data?.components.find(({ id }) => id === component.id);
  const was = state && { health: state.health ?? undefined, status: state.status ?? "" };
  const tone = was && toneOf(was);
  return (
    <section aria-label={`As of ${momentText(at)}`} className="flex flex-col items-start gap-2 p-4">
      <h2 className="m-0 text-sm font-semibold">As of {momentText(at)}</h2>
      {!data ? (
        <SkeletonRows rows={2} />
      ) : was && tone ? (
        <p className="m-0 flex flex-wrap items-center gap-1.5 text-sm">
          <StatusDot tone={tone} />
          {[healthWord(tone), ownStatus(was)].filter(Boolean).join(", ")}
          <span className="text-muted">
            since <Age at={state.since} />
          </span>
        </p>
      ) : (
        <p className="m-0 text-sm">It was not there.</p>
      )}
      <p className="m-0 text-xs text-muted">
        Over time it is kept how components were. All else is known of now.
      </p>
      <Button onClick={onNow}>Back to now</Button>
    </section>
  );
}
