import { type ComponentSummary, type CountsByType, type Health, healths } from "@mainstay/contract";
import { amount } from "@mainstay/testkit/sample.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Evaluate, judgeComponents, ScriptFault, type Source } from "./judge-components.ts";

/*
 * The roll-up beside one that is slow and obviously right: it asks every component for what hangs on it, again and again,
 * and writes each rule of the contract down as it reads.
 */

type Totals = Record<"healthy" | "unhealthy" | "warning" | "info" | "unknown", number> & {
  found: Record<string, number>;
};

/** Scripts of the test: a word, `fail`, or how many unhealthy ones make it so. */
function scripted(text: string, unhealthy: number): string {
  if (text === "fail") throw new ScriptFault("statusExpr: no");
  const limit = /^over (\d)$/.exec(text)?.[1];
  return limit === undefined ? text : unhealthy > Number(limit) ? "unhealthy" : "healthy";
}
const evaluate: Evaluate = async ({ text }, { summary }) => scripted(text, summary.unhealthy);

function slowly(all: readonly Source[]) {
  const byId = new Map(all.map((one) => [one.id, one]));
  const isThere = (id: string | null): id is string => id !== null && byId.has(id);
  const everyAbove = (id: string) =>
    [byId.get(id)!.parentId, ...byId.get(id)!.above].filter(isThere);
  const reaches = (from: string, to: string, step: (id: string) => string[]): boolean => {
    const seen = new Set<string>();
    const next = step(from);
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      if (id === to) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      next.push(...step(id));
    }
    return false;
  };
  const parentOf = (id: string) => [byId.get(id)!.parentId].filter(isThere);
  const hangs = (child: Source, above: string): boolean => {
    if (child.parentId === above) return !reaches(child.id, child.id, parentOf);
    return (
      child.above.includes(above) && child.id !== above && !reaches(above, child.id, everyAbove)
    );
  };
  const childrenOf = (id: string) => all.filter((child) => hangs(child, id));

  const worst = (words: readonly string[]): Health =>
    (["unhealthy", "warning", "healthy"] as const).find((word) => words.includes(word)) ??
    "unknown";
  const wordOf = (status: string) =>
    status === "error" ? "unhealthy" : [...healths, "info"].includes(status) ? status : undefined;
  const calm = (word: string) => (word === "info" ? "healthy" : word);

  interface Answer {
    status: string;
    health: Health;
    totals: Totals;
  }
  function judge(id: string): Answer {
    const one = byId.get(id)!;
    const children = childrenOf(id).map((child) => judge(child.id));
    const totals: Totals = { healthy: 0, unhealthy: 0, warning: 0, info: 0, unknown: 0, found: {} };
    const find = (name: string, n: number) => {
      totals.found[name] = (totals.found[name] ?? 0) + n;
    };
    for (const [status, n] of Object.entries(one.checks ?? {})) find(`check ${status}`, n);
    for (const [type, cells] of Object.entries(one.insights ?? {}))
      for (const [severity, n] of Object.entries(cells)) find(`insight ${type} ${severity}`, n);
    for (const { totals: of } of children) {
      for (const [name, n] of Object.entries(of.found)) find(name, n);
      totals.warning += of.warning;
      totals.info += of.info;
      if (of.healthy > 0 && of.unhealthy > 0) totals.warning += 1;
      else if (of.unhealthy > 0) totals.unhealthy += 1;
      else if (of.healthy > 0) totals.healthy += 1;
      else if (of.unknown > 0 && of.warning === 0 && of.info === 0) totals.unknown += 1;
    }
    const checks = Object.keys(one.checks ?? {});
    const given = one.given.status ?? "";
    const own = one.given.health ?? calm(wordOf(given) ?? "");
    const health = worst([own, ...checks, ...children.map((child) => child.health)]);
    const isLeaf = children.length === 0;
    let status = given;
    if (given === "" || (one.isRoot && !isLeaf)) {
      const counted =
        totals.unhealthy > 0
          ? "unhealthy"
          : totals.warning > 0
            ? "warning"
            : totals.healthy > 0
              ? "healthy"
              : "";
      status = isLeaf ? health : worst([counted, ...checks]);
      if (status === "unknown" && given !== "") status = given;
    }
    const count = (answer: { status: string; health: Health }): Answer => {
      if (!isLeaf) return { ...answer, totals };
      const word = wordOf(answer.status) ?? answer.health;
      const isInfo = word === "info" && ["healthy", "unknown"].includes(answer.health);
      const as = isInfo ? "info" : worst([word, answer.health]);
      return { ...answer, totals: { ...totals, [as]: 1 } };
    };
    try {
      const { unhealthy } = count({ status, health }).totals;
      const told = one.statusExpr ? scripted(one.statusExpr, unhealthy) : status;
      const found = one.healthExpr ? scripted(one.healthExpr, unhealthy) : health;
      if (!(healths as readonly string[]).includes(found)) throw new ScriptFault("no health");
      return count({ status: told, health: found as Health });
    } catch {
      return count({ status: "unknown", health: "unknown" });
    }
  }
  return judge;
}

const flat = ({ checks, insights, ...counts }: ComponentSummary): Totals => ({
  healthy: counts.healthy ?? 0,
  unhealthy: counts.unhealthy ?? 0,
  warning: counts.warning ?? 0,
  info: counts.info ?? 0,
  unknown: counts.unknown ?? 0,
  found: Object.fromEntries([
    ...Object.entries(checks ?? {}).map(([status, n]) => [`check ${status}`, n] as const),
    ...Object.entries(insights ?? {}).flatMap(([type, cells]) =>
      Object.entries(cells).map(([severity, n]) => [`insight ${type} ${severity}`, n] as const),
    ),
  ]),
});

const mostly = <T>(often: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: often }, { weight: 1, arbitrary: seldom });
const nothing = fc.constant(undefined);
const word = fc.constantFrom(
  "healthy",
  "unhealthy",
  "warning",
  "info",
  "unknown",
  "error",
  "Running",
  "",
);
const expression = (words: readonly string[]) =>
  mostly(nothing, fc.constantFrom("fail", "over 0", "over 1", ...words));

const components = fc.integer({ min: 1, max: 10 }).chain((size) => {
  const id = fc.integer({ min: 0, max: size - 1 }).map(String);
  const component = (index: number): fc.Arbitrary<Source> =>
    fc
      .record({
        // Mostly one that comes before it, and now and then any: itself, what hangs on it, or one that is not there.
        parentId: mostly(
          index === 0 ? fc.constant(null) : fc.integer({ min: 0, max: index - 1 }).map(String),
          fc.oneof(id, fc.constant("gone"), fc.constant(null)),
        ),
        above: mostly(fc.constant([] as string[]), fc.array(id, { maxLength: 2 })),
        given: fc.record({
          status: word,
          health: mostly<Health | undefined>(nothing, fc.constantFrom(...healths)),
        }),
        checks: mostly(
          nothing as fc.Arbitrary<Record<string, number> | undefined>,
          fc.dictionary(
            fc.constantFrom("healthy", "unhealthy", "unknown"),
            fc.integer({ min: 1, max: 3 }),
          ),
        ),
        insights: mostly(
          nothing as fc.Arbitrary<Source["insights"]>,
          fc.constantFrom<CountsByType>(
            { security: { high: 2 } },
            { cost: { low: 1 }, security: { low: 1 } },
          ),
        ),
        statusExpr: expression(["custom", "warning"]),
        healthExpr: expression(["nonsense", "warning"]),
      })
      .map((fields) => ({
        ...fields,
        id: String(index),
        name: `c${index}`,
        isRoot: fields.parentId === null,
      }));
  return fc.tuple(...Array.from({ length: size }, (_, index) => component(index)));
});

test("judging each once finds what asking each again and again finds", async () => {
  await fc.assert(
    fc.asyncProperty(components, async (all) => {
      const { judgements } = await judgeComponents(all, evaluate);
      const judge = slowly(all);
      for (const { id } of all) {
        const { status, health, summary } = judgements.get(id)!;
        expect({ id, status, health, totals: flat(summary) }).toEqual({ id, ...judge(id) });
      }
    }),
    { numRuns: amount(20_000, 2_000) },
  );
});

const leaf = (id: string, more: Partial<Source> = {}): Source => ({
  id,
  name: id.toUpperCase(),
  parentId: null,
  isRoot: more.parentId === undefined,
  above: [],
  given: {},
  ...more,
});
const judged = async (...all: Source[]) => judgeComponents(all, evaluate);

test("a circle over three levels ends, and is said where it is closed", async () => {
  const { judgements, circles } = await judged(
    leaf("a", { above: ["c"] }),
    leaf("b", { parentId: "a" }),
    leaf("c", { parentId: "b", given: { status: "unhealthy" } }),
  );
  expect(circles).toEqual([{ above: "c", below: "a" }]);
  expect(judgements.get("a")).toMatchObject({
    health: "unhealthy",
    fault: "It hangs on itself by way of C: that tie does not count.",
  });
  expect(judgements.get("b")).toMatchObject({ health: "unhealthy", fault: null });
});

test("what shares everything is counted as far as numbers are exact", async () => {
  const layers = Array.from({ length: 60 }, (_, layer) =>
    ["l", "r"].map((side) =>
      leaf(`${side}${layer}`, {
        above: layer === 0 ? [] : [`l${layer - 1}`, `r${layer - 1}`],
        ...(layer === 59 && { checks: { unhealthy: 1 } }),
      }),
    ),
  ).flat();
  const { judgements } = await judged(...layers);
  expect(judgements.get("l0")).toMatchObject({
    health: "unhealthy",
    summary: { checks: { unhealthy: Number.MAX_SAFE_INTEGER } },
  });
});

test("twenty thousand components in one chain are judged", async () => {
  const chain = Array.from({ length: 20_000 }, (_, n) =>
    leaf(`c${n}`, n === 0 ? {} : { parentId: `c${n - 1}`, given: { status: "warning" } }),
  );
  const { judgements } = await judged(...chain);
  expect(judgements.get("c0")).toMatchObject({ status: "warning", summary: { warning: 1 } });
});

test("what an agent has judged counts as it found", async () => {
  const { judgements } = await judged(
    leaf("a"),
    leaf("b", {
      parentId: "a",
      judged: { status: "warning", health: "warning", summary: { healthy: 3, unhealthy: 1 } },
    }),
  );
  expect(judgements.get("a")).toMatchObject({ health: "warning", summary: { warning: 1 } });
});

test("counts that a source gives stand for what it has", async () => {
  const { judgements } = await judged(
    leaf("a", { given: { summary: { healthy: 2, warning: 1 } } }),
  );
  expect(judgements.get("a")).toMatchObject({
    status: "warning",
    health: "warning",
    summary: { healthy: 2, warning: 1, unhealthy: 0 },
  });
});
