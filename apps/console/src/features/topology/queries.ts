import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type {
  Explanation,
  TopologyMoments,
  TopologyStates,
  TopologyAnswer,
  TopologyComponent,
  TopologyNode,
} from "@mainstay/contract/topology-answers.ts";
import { get, request } from "#lib/api.ts";
import { columns, db, eq, oneOf } from "#lib/db.ts";
import { isOfHere } from "#lib/agents.ts";
import { type TopologyQuestion, wireQuery } from "./shared/topology-view.ts";

/** What was answered, and the tag by which the server can say that nothing has changed. */
export interface TaggedTopology {
  tag: string | null;
  answer: TopologyAnswer;
}

/** Absent and null mean the same on this wire. */
const whole = (data: Partial<TopologyAnswer> | null): TopologyAnswer => ({
  components: data?.components ?? [],
  healthStatuses: data?.healthStatuses ?? [],
  teams: data?.teams ?? [],
  types: data?.types ?? [],
  tags: data?.tags ?? {},
});

async function read(
  url: string,
  known: TaggedTopology | undefined,
  signal: AbortSignal,
): Promise<TaggedTopology> {
  const reply = await request(url, {
    signal,
    headers: known?.tag ? { "If-None-Match": known.tag } : {},
  });
  if (reply.status === 304 && known) return known;
  return {
    tag: reply.headers.get("etag"),
    answer: whole(reply.data as Partial<TopologyAnswer> | null),
  };
}

const isoText = (time: number) => new Date(time).toISOString();

const address = "/api/topology";
/** What the answers are made of, as open pages are told of it. */
const tables = ["topology", "team_components"];

/** The breadcrumb's ends. */
export interface NamedComponent {
  id: string;
  name: string;
}

/** Ids of those above a component, from the root. */
export const idsAbove = (path: string | null | undefined): readonly string[] =>
  (path ?? "").split(".").filter(Boolean);

export const topologyQueries = {
  /** G1. What was shown stays while the same place is asked about otherwise. */
  tree: (question: TopologyQuestion, client: QueryClient) => {
    const asked = wireQuery(question);
    const queryKey = ["topology", "tree", question.id ?? "", asked.toString()];
    return queryOptions({
      queryKey,
      queryFn: ({ signal }) =>
        read(`${address}?${asked}`, client.getQueryData<TaggedTopology>(queryKey), signal),
      // Comparing thousands of components one by one costs more than drawing the few that are seen.
      structuralSharing: false,
      placeholderData: (before, query) =>
        query?.queryKey[2] === (question.id ?? "") ? before : undefined,
      staleTime: 0,
      meta: { tables, speaksForItself: true },
    });
  },

  /** G2: those above a component, from the root; what is not there any more is left out. */
  above: (path: string | null | undefined) => {
    const ids = idsAbove(path);
    return queryOptions({
      queryKey: ["topology", "names", ids],
      queryFn: async ({ signal }): Promise<NamedComponent[]> => {
        const rows = await db.list(
          "component_names_all",
          { select: columns("component_names_all", "id", "name"), where: { id: oneOf(ids) } },
          { signal },
        );
        return ids.flatMap((id) => {
          const row = rows.find((one) => one.id === id);
          return row ? [{ id, name: row.name ?? id.slice(-12) }] : [];
        });
      },
      enabled: ids.length > 0,
      staleTime: 300_000,
      meta: { tables: ["topology"] },
    });
  },

  /** G5 */
  agents: () =>
    queryOptions({
      queryKey: ["topology", "agents"],
      queryFn: ({ signal }) =>
        db.list(
          "agents",
          { select: columns("agents", "id", "name"), order: ["name.asc"] },
          { signal },
        ),
      staleTime: 300_000,
    }),

  /** G6: of what is here, none. */
  agent: (id: string) =>
    queryOptions({
      queryKey: ["topology", "agent", id],
      queryFn: ({ signal }) =>
        db.first(
          "agents",
          { select: columns("agents", "id", "name"), where: { id: eq(id) } },
          { signal },
        ),
      enabled: !isOfHere(id),
      staleTime: 300_000,
    }),

  /** Why a component is as it is. */
  explanation: (id: string) =>
    queryOptions({
      queryKey: ["topology", "explanation", id],
      queryFn: ({ signal }) =>
        get<Explanation>(`/api/explain/component/${encodeURIComponent(id)}`, { signal }),
      staleTime: 15_000,
      meta: { tables: ["topology"], speaksForItself: true },
    }),

  /** How all components were at a moment; of none, not asked. */
  states: (at: number | undefined) =>
    queryOptions({
      queryKey: ["topology", "states", at ?? 0],
      queryFn: ({ signal }) =>
        get<TopologyStates>(`/api/topology/states?at=${isoText(at ?? 0)}`, { signal }),
      enabled: at !== undefined,
      // What was stays as it was.
      staleTime: Infinity,
      gcTime: 60_000,
      structuralSharing: false,
      placeholderData: (before) => before,
      meta: { speaksForItself: true },
    }),

  /** When components turned, by steps of time. */
  turns: ({ from, to, steps }: { from: number; to: number; steps: number }) =>
    queryOptions({
      queryKey: ["topology", "turns", from, to, steps],
      queryFn: ({ signal }) =>
        get<TopologyMoments>(
          `/api/topology/states/turns?from=${isoText(from)}&to=${isoText(to)}&steps=${steps}`,
          { signal },
        ),
      staleTime: Infinity,
      gcTime: 60_000,
      placeholderData: (before) => before,
      meta: { speaksForItself: true },
    }),

  /** G8 */
  document: (id: string | null | undefined) =>
    queryOptions({
      queryKey: ["topology", "document", id ?? ""],
      queryFn: ({ signal }) =>
        db.first(
          "topologies",
          { select: columns("topologies", "id", "name"), where: { id: eq(id ?? "") } },
          { signal },
        ),
      enabled: Boolean(id),
      meta: { tables: ["topologies"] },
    }),
};

export type AnyComponent = TopologyComponent | TopologyNode;

/** What hangs directly below a component, as far as it was answered. */
export const below = (component: AnyComponent): readonly TopologyComponent[] =>
  component.components ?? [];
