import { ResourceSelector } from "@mainstay/contract";
import {
  type Ask,
  type Evaluation,
  type Evaluator,
  isMapping,
  type Value,
} from "@mainstay/scripting";

/*
 * Functions of scripts that ask the catalog: `catalog.query(selector)`, `catalog.query_one(selector)`,
 * `catalog.traverse(id, types, direction)`, `gitops.source(item)`, and their twins with underscores, as Go templates
 * write them. Only scripts that name one of them can ask; the others cost what they did.
 */

export const directions = ["incoming", "outgoing", "all"] as const;
export type Direction = (typeof directions)[number];

/** Who answers. What is thrown is told to the script by its message. */
export interface CatalogAnswers {
  /** Items that any of the selectors selects, by name. */
  query(
    selectors: readonly ResourceSelector[],
    options: { most?: number; signal: AbortSignal },
  ): Promise<Value[]>;
  /** Items that a way leads to from one; each step is a type, and nothing any. */
  traverse(
    way: { id: string; types: readonly string[]; direction: Direction },
    signal: AbortSignal,
  ): Promise<Value[]>;
  /** Where an item that is delivered by GitOps comes from; empty texts where that is not known. */
  source(id: string, signal: AbortSignal): Promise<Value>;
}

const names = /\b(?:catalog[._](?:query|query_one|traverse)|gitops[._]source)\b/;
const mostSteps = 5;

/** The evaluator whose scripts can ask. */
export function withCatalog(evaluator: Evaluator, answers: CatalogAnswers): Evaluator {
  const asks = asksOf(answers);
  const asking = <E extends Pick<Evaluation, "script">>(evaluation: E): E =>
    names.test(evaluation.script) ? { ...evaluation, asks } : evaluation;
  return {
    evaluate: (evaluation) => evaluator.evaluate(asking(evaluation)),
    check: (script) => evaluator.check(asking(script)),
    close: () => evaluator.close(),
  };
}

/** For programs that have no server: what scripts are told that ask nevertheless. */
export function withoutCatalog(evaluator: Evaluator): Evaluator {
  const refuse = () =>
    Promise.reject(
      new Error("there is no catalog here: a server has one, and this program asks none"),
    );
  return withCatalog(evaluator, { query: refuse, traverse: refuse, source: refuse });
}

function asksOf(answers: CatalogAnswers): Record<string, Ask> {
  const query: Ask = (given, signal) => answers.query(selectorsOf(given), { signal });
  const queryOne: Ask = async (given, signal) => {
    const [first] = await answers.query(selectorsOf(given), { most: 1, signal });
    return first ?? null;
  };
  const traverse: Ask = ([item, types = "", direction = "outgoing"], signal) =>
    answers.traverse(
      { id: idOf(item), types: stepsOf(types), direction: wayOf(direction) },
      signal,
    );
  const source: Ask = ([item], signal) => answers.source(idOf(item), signal);
  return {
    "catalog.query": query,
    catalog_query: query,
    "catalog.query_one": queryOne,
    catalog_query_one: queryOne,
    "catalog.traverse": traverse,
    catalog_traverse: traverse,
    "gitops.source": source,
    gitops_source: source,
  };
}

/** A search, with what stands for its `%s`; or a selector; or a list of them, of which any may select. */
function selectorsOf([first = null, ...more]: readonly Value[]): ResourceSelector[] {
  if (typeof first === "string") {
    const [list] = more;
    const values = more.length === 1 && Array.isArray(list) ? (list as readonly Value[]) : more;
    return [parsed({ search: filled(first, values) })];
  }
  if (more.length > 0) throw new Error("only a text takes values for its %s");
  return (Array.isArray(first) ? (first as readonly Value[]) : [first]).map(parsed);
}

function parsed(selector: Value): ResourceSelector {
  const read = ResourceSelector.safeParse(
    isMapping(selector) ? JSON.parse(JSON.stringify(selector, plain)) : selector,
  );
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join(".");
  throw new Error(`${place ? `${place}: ` : ""}${issue?.message ?? "it is no selector"}`);
}

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/** `%s`, `%d` and `%v` become the values in their order, `%%` a percent sign. */
function filled(text: string, values: readonly Value[]): string {
  if (values.length === 0) return text;
  let next = 0;
  const made = text.replaceAll(/%([sdv%])/g, (_, verb: string) => {
    if (verb === "%") return "%";
    const value = values[next];
    next += 1;
    if (value === undefined) throw new Error(`"${text}" has more places than values`);
    if (typeof value === "object")
      throw new Error(`value ${next} for "${text}" is no text or number`);
    return String(value);
  });
  if (next < values.length) throw new Error(`"${text}" has fewer places than values`);
  return made;
}

const isId = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** An id, or something that has one, such as an item. */
function idOf(item: Value = null): string {
  const id = isMapping(item) ? item.id : item;
  if (typeof id === "string" && isId(id)) return id;
  throw new Error("the id of an item is wanted, or an item");
}

function stepsOf(types: Value): string[] {
  if (typeof types !== "string") throw new Error("the types are a text: Kubernetes::Pod");
  const steps = types.split("/");
  if (steps.length > mostSteps) throw new Error(`a way has ${mostSteps} steps at most`);
  return steps;
}

function wayOf(direction: Value): Direction {
  const way = directions.find((one) => one === direction);
  if (!way) throw new Error(`the direction is one of ${directions.join(", ")}`);
  return way;
}
