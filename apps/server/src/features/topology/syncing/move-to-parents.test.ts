import { expect, test } from "vitest";
import { type Component, everyComponent } from "./component.ts";
import { moveToParents } from "./move-to-parents.ts";
import { componentOf } from "./read-found.ts";

const component = (name: string, children: Component[] = [], parent?: string): Component => ({
  ...componentOf({ name, ...(parent !== undefined && { parentLookup: { name: parent } }) }),
  externalId: name,
  children,
});
const levels = (components: readonly Component[]): number =>
  components.length === 0 ? 0 : 1 + levels(components.flatMap(({ children }) => children));

test.each([
  ["the one before it", (n: number) => `c${n - 1}`],
  ["the one after it", (n: number) => `c${n + 1}`],
])("of a chain in which each is to be in %s only so much is made", async (_, parentOf) => {
  const many = 20_000;
  const chain = Array.from({ length: many }, (__, n) => component(`c${n}`, [], parentOf(n)));
  const root = component("root", chain);
  const notices = await moveToParents([root]);
  const all = Array.from(everyComponent([root]));
  expect(new Set(all).size).toBe(many + 1);
  expect(all).toHaveLength(many + 1);
  expect(levels([root])).toBe(50);
  expect(notices).toContainEqual(
    expect.stringMatching(
      /: its parent is to be "c\d+", and it would lie more than 50 levels deep/,
    ),
  );
});

test("many that move away from one parent keep their order, and those that stay theirs", async () => {
  const many = 20_000;
  const to = component("to");
  const from = component(
    "from",
    Array.from({ length: many }, (_, n) => component(`c${n}`, [], n % 2 === 0 ? "to" : undefined)),
  );
  expect(await moveToParents([component("root", [from, to])])).toEqual([]);
  const names = ({ children }: Component) => children.map(({ name }) => name);
  const each = (first: number) => Array.from({ length: many / 2 }, (_, n) => `c${2 * n + first}`);
  expect([names(to), names(from)]).toEqual([each(0), each(1)]);
});
