import { type ComponentSummary, type Health, isHealth, worstHealth } from "@mainstay/contract";
import { Turn } from "#platform/with-turns.ts";
import {
  addAll,
  addChild,
  addFound,
  asSummary,
  type Counts,
  healthOf,
  healthOfCounts,
  noCounts,
  type State,
  stateOf,
  states,
} from "./counts.ts";
import { type Circle, orderComponents, type Tied } from "./order-components.ts";

/** What is known of one component before it is judged. */
export interface Source extends Tied {
  name: string;
  /** It has no parent; where that one is gone it still is none. */
  isRoot: boolean;
  /** What its source says of it alone. */
  given: { status?: string | null; health?: string | null; summary?: ComponentSummary | null };
  /** Its own checks, by status. */
  checks?: Readonly<Record<string, number>> | null;
  /** Open insights of the items that are linked with it. */
  insights?: ComponentSummary["insights"] | null;
  statusExpr?: string | null;
  healthExpr?: string | null;
  /** It was judged elsewhere, by the agent that has it, and counts as that found. */
  judged?: Pick<Judgement, "status" | "health" | "summary">;
}

/** What a component comes to with all that hangs on it. */
export interface Judgement {
  status: string;
  health: Health;
  summary: ComponentSummary;
  /** What was wrong: a script that failed, ties that do not count. */
  fault: string | null;
}

export interface Judged {
  judgements: Map<string, Judgement>;
  circles: Circle[];
  /** Components whose scripts failed. */
  failed: string[];
}

/** Evaluates a script of a component. @throws ScriptFault */
export type Evaluate = (
  script: { name: "statusExpr" | "healthExpr"; text: string },
  context: { summary: ScriptSummary },
  component: Source,
) => Promise<string>;

/** A script that did not give a state, and why. */
export class ScriptFault extends Error {
  override readonly name = "ScriptFault";
}

/** As scripts see it: every count is there, so that nobody has to ask whether it is. */
export type ScriptSummary = Counts;

const longestStatus = 256;
const mostNamed = 3;

/**
 * Judges components from those on which nothing hangs upwards, each once.
 *
 * Health, without a script: the worst of its own, its checks' and its children's; unknown is least, so that it stays only
 * where nobody says more. Status, without one: what the source says; of a root with children, and where the source says
 * nothing, what its children and checks come to.
 */
export async function judgeComponents(
  sources: readonly Source[],
  evaluate: Evaluate,
  signal?: AbortSignal,
): Promise<Judged> {
  const turn = new Turn();
  const { order, children, circles } = orderComponents(sources);
  const faultsOf = circleFaults(circles, sources);
  /** By the places of the components. */
  const parts: Part[] = [];
  const judgements = new Map<string, Judgement>();
  const failed: string[] = [];
  for (const place of order) {
    if (turn.isOver) {
      await turn.end();
      signal?.throwIfAborted();
    }
    const source = sources[place]!;
    const { id } = source;
    if (source.judged) {
      const own = noCounts();
      addAll(own, source.judged.summary);
      if (states.every((state) => own[state] === 0))
        own[stateOfLeaf(source.judged.status, source.judged.health)] = 1;
      parts[place] = { counts: own, health: source.judged.health };
      judgements.set(id, { ...source.judged, fault: null });
      continue;
    }
    const below = children[place]!.map((child) => parts[child]!);
    const judged = await judgeOne(source, below, evaluate);
    parts[place] = judged;
    if (judged.fault !== null) failed.push(id);
    const fault = [judged.fault, faultsOf.get(id)].filter((text) => text != null).join(" ");
    judgements.set(id, {
      status: judged.status,
      health: judged.health,
      summary: asSummary(judged.counts),
      fault: fault === "" ? null : fault,
    });
  }
  return { judgements, circles, failed };
}

interface Part {
  counts: Counts;
  health: Health;
}

async function judgeOne(
  source: Source,
  children: readonly Part[],
  evaluate: Evaluate,
): Promise<{ counts: Counts; status: string; health: Health; fault: string | null }> {
  const { given } = source;
  const counts = noCounts();
  addFound(counts, { insights: source.insights ?? {}, checks: source.checks ?? {} });
  if (given.summary) addAll(counts, given.summary);
  /** Of a leaf of which nothing is counted it is itself that counts. */
  const countsItself = children.length === 0 && states.every((state) => counts[state] === 0);
  for (const child of children) addChild(counts, child.counts);

  const checks = Object.keys(source.checks ?? {}).map((status) =>
    isHealth(status) ? status : "unknown",
  );
  const own = ownHealth(source);
  let health = worstHealth([
    ...(own ? [own] : []),
    ...checks,
    ...children.map((one) => one.health),
  ]);
  const said = given.status?.trim() ?? "";
  const isSaid = said !== "" && !(source.isRoot && children.length > 0);
  let status = isSaid
    ? said
    : countsItself
      ? health
      : worstHealth([healthOfCounts(counts), ...checks]);
  if (!isSaid && status === "unknown" && said !== "") status = said;

  const setItself = () => {
    if (!countsItself) return;
    for (const state of states) counts[state] = 0;
    counts[stateOfLeaf(status, health)] = 1;
  };
  setItself();
  try {
    // What is counted of it does not change between the two.
    const give = (script: Script) => evaluate(script, { summary: counts }, source);
    const told = await ask("statusExpr", source.statusExpr, give);
    const found = await ask("healthExpr", source.healthExpr, give);
    if (told !== undefined) status = told.slice(0, longestStatus);
    if (found !== undefined) {
      const word = found.toLowerCase();
      if (!isHealth(word))
        throw new ScriptFault(
          `healthExpr: it gave "${found.slice(0, 100)}", which is none of healthy, warning, unhealthy and unknown.`,
        );
      health = word;
    }
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error;
    status = "unknown";
    health = "unknown";
    setItself();
    return { counts, status, health, fault: error.message };
  }
  setItself();
  return { counts, status, health, fault: null };
}

type Script = Parameters<Evaluate>[0];

/** What a script gives; undefined where there is none, or it says nothing. */
async function ask(
  name: Script["name"],
  text: string | null | undefined,
  evaluate: (script: Script) => Promise<string>,
): Promise<string | undefined> {
  if (text == null || text.trim() === "") return undefined;
  const told = (await evaluate({ name, text })).trim();
  return told === "" ? undefined : told;
}

function ownHealth({ given }: Source): Health | undefined {
  const health = given.health?.trim().toLowerCase();
  if (isHealth(health)) return health;
  const state = stateOf(given.status);
  if (state) return healthOf(state);
  const counted = given.summary ? healthOfCounts(given.summary) : "unknown";
  return counted === "unknown" ? undefined : counted;
}

/** As which one that nothing hangs on counts. */
function stateOfLeaf(status: string, health: Health): State {
  const state = stateOf(status);
  if (state === undefined) return health;
  if (state === "info") return worstHealth([health, "healthy"]) === "healthy" ? "info" : health;
  return worstHealth([state, health]);
}

/** What is said of components with ties that do not count. */
function circleFaults(circles: readonly Circle[], sources: readonly Source[]): Map<string, string> {
  if (circles.length === 0) return new Map();
  const nameOf = new Map(sources.map(({ id, name }) => [id, name]));
  const ties = Map.groupBy(circles, ({ below }) => below);
  return new Map(
    [...ties].map(([id, ends]) => {
      const names = ends.slice(0, mostNamed).map(({ above }) => nameOf.get(above)!);
      const more = ends.length > mostNamed ? ` and ${ends.length - mostNamed} more` : "";
      return [
        id,
        `It hangs on itself by way of ${names.join(", ")}${more}: that tie does not count.`,
      ];
    }),
  );
}
