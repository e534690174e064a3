import { filterText, searchText, topologyOrders } from "@mainstay/contract";
import { z } from "zod";
import { invalid } from "#platform/errors.ts";

const mostIds = 100;
const mostLevels = 64;
const levels = 3;

const filter = filterText.optional();
const flag = z.string().max(8).optional();

/** The query of `GET /api/topology`, as it is sent. */
export const TopologyQuery = z.object({
  id: z.string().max(4000).optional(),
  owner: filter,
  labels: z.string().max(4000).optional(),
  status: filter,
  type: filter,
  team: filter,
  agent_id: filter,
  hidden: flag,
  depth: z.coerce.number().int().min(1).max(mostLevels).optional(),
  flatten: flag,
  /** What every component is told with, and no more: a graph needs all of them and little of each. */
  brief: flag,
  sortBy: searchText.max(256).optional(),
  sortOrder: z.string().max(8).optional(),
  /** Answers are never remembered beyond what the database says is current, so it changes nothing. */
  noCache: flag,
  "no-cache": flag,
});
export type TopologyQuery = z.infer<typeof TopologyQuery>;

type Order = (typeof topologyOrders)[number];

/** What is asked. Equal questions have equal JSON. */
export interface TopologyQuestion {
  /** The components that are asked for; without it every root. */
  ids?: readonly string[];
  /** `a,!b,c*`, as they were sent. */
  filters: { owner?: string; status?: string; team?: string; agent_id?: string };
  type?: string;
  /** By label, one of these values. */
  labels: Readonly<Record<string, readonly string[]>>;
  withHidden: boolean;
  /** How many levels are told, the roots' included. */
  depth: number;
  isFlat: boolean;
  isBrief: boolean;
  /** Without it by their place among their siblings. */
  order?: { by: Order } | { field: string };
  isDescending: boolean;
}

/** The console says `All` where it does not filter. */
const given = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" || text.trim().toLowerCase() === "all"
    ? undefined
    : text.trim();
const isTrue = (text: string | undefined) => text?.toLowerCase() === "true";

/** @throws invalid */
export function readQuestion(query: TopologyQuery): TopologyQuestion {
  const ids = given(query.id) === undefined ? undefined : idsOf(query.id!);
  const isFlat = isTrue(query.flatten);
  const type = given(query.type);
  const order = orderOf(given(query.sortBy));
  const filters: TopologyQuestion["filters"] = {};
  for (const name of ["owner", "status", "team", "agent_id"] as const) {
    const text = given(query[name]);
    if (text !== undefined) filters[name] = text;
  }
  return {
    ...(ids && { ids }),
    filters,
    ...(type !== undefined && { type }),
    labels: labelsOf(given(query.labels)),
    withHidden: query.hidden?.toLowerCase() !== "false",
    depth: query.depth ?? (isFlat ? mostLevels : levels),
    isFlat,
    isBrief: isTrue(query.brief),
    ...(order && { order }),
    isDescending: query.sortOrder?.toLowerCase() === "desc",
  };
}

function idsOf(text: string): string[] {
  const ids = [...new Set(text.split(",").map((id) => id.trim().toLowerCase()))];
  const wrong = ids.find((id) => !z.guid().safeParse(id).success);
  if (wrong !== undefined) throw refused("id", `${wrong.slice(0, 100)} is not an id.`);
  if (ids.length > mostIds) throw refused("id", `At most ${mostIds} components are asked for.`);
  return ids;
}

function orderOf(text: string | undefined): TopologyQuestion["order"] {
  if (text === undefined) return undefined;
  if (text.startsWith("field:")) return { field: text.slice("field:".length) };
  const by = topologyOrders.find((order) => order === text);
  if (by) return { by };
  throw refused(
    "sortBy",
    `Components are sorted by ${topologyOrders.join(", ")} or field:<property>, not by "${text}".`,
  );
}

function labelsOf(text: string | undefined): Record<string, string[]> {
  const labels = new Map<string, string[]>();
  for (const part of (text ?? "").split(",").filter((pair) => pair.trim() !== "")) {
    const at = part.indexOf("=");
    if (at < 1)
      throw refused("labels", `Labels are asked for as key=value: "${part.slice(0, 100)}" is not.`);
    const key = part.slice(0, at).trim();
    labels.set(key, [...(labels.get(key) ?? []), part.slice(at + 1).trim()]);
  }
  return Object.fromEntries(labels);
}

const refused = (path: string, message: string) => invalid(message, [{ path, message }]);
