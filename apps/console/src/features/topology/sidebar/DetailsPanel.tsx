import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { TopologyComponent } from "@mainstay/contract/topology-answers.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { isOfHere } from "#lib/agents.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { ResourceLink } from "#lib/resources/ResourceLink.tsx";
import { CountMarks } from "../shared/CountMarks.tsx";
import { Headlines, PropertyLines } from "../shared/Properties.tsx";
import { topologyQueries } from "../queries.ts";
import { healthWord, ownStatus, toneOf } from "../shared/component-words.ts";
import { shownProperties } from "../shared/properties.ts";
import { Why } from "./Why.tsx";

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] items-baseline gap-2 py-0.5">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="m-0 min-w-0 text-sm break-words">{children}</dd>
    </div>
  );
}

function Agent({ id }: { id: string }) {
  const { data } = useQuery(topologyQueries.agent(id));
  return isOfHere(id) || !data ? null : <Fact label="Agent">{data.name}</Fact>;
}

function Source({ id }: { id: string }) {
  const { data } = useQuery(topologyQueries.document(id));
  if (!data) return null;
  return (
    <Fact label="Topology">
      <ResourceLink kind="topology" id={data.id} name={data.name} />
    </Fact>
  );
}

/** What a component is, how it is and why, and what it says of itself. */
export function DetailsPanel({ component }: { component: TopologyComponent }) {
  const { type, status_reason, description, namespace, owner, lifecycle, labels } = component;
  const tone = toneOf(component);
  const properties = shownProperties(component.properties);
  const pairs = Object.entries(labels ?? {}).toSorted(([one], [other]) => one.localeCompare(other));
  return (
    <div className="flex flex-col gap-3">
      <dl className="m-0">
        <Fact label="Health">
          <span className="inline-flex max-w-full items-center gap-1.5">
            <StatusDot tone={tone} />
            {[healthWord(tone), ownStatus(component)].filter(Boolean).join(", ")}
          </span>
        </Fact>
        {status_reason && <Fact label="Reason">{status_reason}</Fact>}
        {type && (
          <Fact label="Type">
            <AppLink
              to={paths.topology({ type })}
              className="hover:text-accent hover:underline"
              data-tooltip={`All of the type ${type}`}
            >
              {type}
            </AppLink>
          </Fact>
        )}
        {description && <Fact label="Description">{description}</Fact>}
        {namespace && <Fact label="Namespace">{namespace}</Fact>}
        {owner && <Fact label="Owner">{owner}</Fact>}
        {lifecycle && <Fact label="Lifecycle">{lifecycle}</Fact>}
        {component.topology_id && <Source id={component.topology_id} />}
        <Agent id={component.agent_id} />
        <Fact label="Created">
          <Age at={component.created_at} />
        </Fact>
        <Fact label="Updated">
          <Age at={component.updated_at} />
        </Fact>
      </dl>
      <Why component={component} />
      <CountMarks component={component} />
      {properties.some(({ isHeadline }) => isHeadline) && (
        <Headlines properties={properties.filter(({ isHeadline }) => isHeadline)} />
      )}
      {properties.some(({ isHeadline }) => !isHeadline) && (
        <PropertyLines properties={properties.filter(({ isHeadline }) => !isHeadline)} />
      )}
      {pairs.length > 0 && (
        <dl aria-label="Labels" className="m-0 font-mono text-xs">
          {pairs.map(([key, value]) => (
            <div key={key} className="flex items-baseline gap-2 py-0.5">
              <dt className="max-w-[45%] shrink-0 truncate text-muted" data-tooltip={key}>
                {key}
              </dt>
              <dd className="m-0 min-w-0 flex-1 truncate" data-tooltip={value}>
                {value}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
