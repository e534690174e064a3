import {
  type CatalogSpec,
  checkSpecs,
  ResourceSelector,
  readCatalogQuery,
} from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { attempt, checkType, failed, inMs, passed } from "../check-type.ts";

const keptItems = 100;
const longestText = 200;
const known = Object.keys(ResourceSelector.shape);

/** A query that is more than a selector is held before it comes here. */
const queryOf = ({ selector, query = "" }: CatalogSpec) =>
  selector === undefined ? readCatalogQuery(query) : undefined;

/** Unknown keys are no part of what is selected. */
const selectorsOf = ({ selector = [] }: CatalogSpec): ResourceSelector[] =>
  selector.map((one) =>
    Object.fromEntries(Object.entries(one).filter(([key]) => known.includes(key))),
  );

/** Whoever wrote a query reads its rows where queries have them. */
const forScripts = ({ selector }: CatalogSpec, found: Value): Value =>
  selector === undefined
    ? { results: found, count: Array.isArray(found) ? found.length : 0 }
    : found;

const shownText = (value: unknown) =>
  typeof value === "string" ? value.slice(0, longestText) : null;

export const catalog = checkType<CatalogSpec>({
  type: "catalog",
  spec: checkSpecs.catalog,
  network: false,
  endpoint: ({ selector = [], query }) => {
    const [first] = selector;
    if (!first && query !== undefined) return query.slice(0, longestText);
    const text = first?.search ?? first?.name ?? first?.id ?? [first?.types].flat().join(",");
    return (text ?? "").slice(0, longestText);
  },
  async run(input) {
    const { spec, configItems } = input;
    if (!configItems)
      return failed("there is no catalog without a server: this check runs on one alone", {
        invalid: true,
      });
    return attempt(input, async () => {
      const started = performance.now();
      const query = queryOf(spec);
      const equal = Object.entries(query?.equal ?? {});
      const selected = await configItems(query ? [query.selector] : selectorsOf(spec));
      const found = selected.filter((one) => equal.every(([name, text]) => one[name] === text));
      const durationMs = performance.now() - started;
      const items = found.slice(0, keptItems).map(({ id, name, type, status, health }) => ({
        id,
        name: shownText(name),
        type: shownText(type),
        status: shownText(status),
        health,
      }));
      return passed(
        `${found.length} ${found.length === 1 ? "item" : "items"} in ${inMs(durationMs)}`,
        {
          durationMs,
          details: {
            count: found.length,
            items,
            ...(items.length < found.length && { note: `the first ${items.length} are kept` }),
          },
          data: () => ({ results: forScripts(spec, found as unknown as Value) }),
        },
      );
    });
  },
});
