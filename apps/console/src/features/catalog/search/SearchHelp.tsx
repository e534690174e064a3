import { fieldsOf } from "./fields-of.ts";
import type { SearchedKind } from "./searched-kind.ts";

const examples: Readonly<
  Record<SearchedKind, readonly (readonly [search: string, says: string])[]>
> = {
  items: [
    ["type=Kubernetes::Pod health!=healthy", "pods that are not well"],
    ["tag:cluster=prod name*=api", "of a cluster, with api in their names"],
    ["changed>now-1h", "changed in the last hour"],
    ["insights>0 severity=critical,high", "with open insights that matter"],
    ["cost>100 is:unowned", "dear, and nobody's"],
    ['"order service" -type=secret', "a text anywhere, without secrets"],
  ],
  changes: [
    ["type=diff severity>=high", "what changed, and matters"],
    ["by=vera created>now-2d", "what somebody did in two days"],
    ["tag:cluster=prod name*=api", "of a cluster, of items with api in their names"],
    ["config:health=unhealthy", "of items that are not well now"],
    ['"image pull" -source=*events', "words of the summary, not told by events"],
  ],
  insights: [
    ["type=security severity>=high status=open", "what is insecure, and matters"],
    ["analyzer*=trivy first_observed>now-7d", "found by trivy for the first time this week"],
    ["tag:cluster=prod config_type=pod", "of the pods of a cluster"],
    ["config:is:unowned type=cost", "costs of what is nobody's"],
  ],
};

const signs = [
  ["a b", "both hold; a word by itself is looked for in the texts"],
  ["a | b, (a b)", "one or the other; groups"],
  ["-a", "not so"],
  ["field=x,y*,!z", "one of these, and not that; * is anything"],
  ["field!=x, field*=x", "not so; has it somewhere"],
  [">5, <=now-2h, >=high", "numbers, moments and how much it matters"],
] as const;

const cell = "py-0.5 pr-3 align-top";

/** The language of a search box, with examples that can be tried. */
export function SearchHelp({ of, onTry }: { of: SearchedKind; onTry: (search: string) => void }) {
  return (
    <div className="flex max-h-[min(520px,var(--available-height))] w-[min(560px,calc(100vw-24px))] flex-col gap-3 overflow-y-auto p-3 text-sm">
      <section>
        <h2 className="m-0 mb-1 text-xs font-semibold text-muted">Examples</h2>
        <ul className="m-0 list-none p-0">
          {examples[of].map(([search, says]) => (
            <li key={search}>
              <button
                type="button"
                onClick={() => onTry(search)}
                className="flex w-full flex-wrap items-baseline gap-x-3 rounded-control border-0 bg-transparent px-1 py-1 text-left hover:bg-hover"
              >
                <code className="break-all">{search}</code>
                <span className="text-xs text-muted">{says}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2 className="m-0 mb-1 text-xs font-semibold text-muted">Signs</h2>
        <table className="border-0 text-xs">
          <tbody>
            {signs.map(([sign, says]) => (
              <tr key={sign}>
                <th scope="row" className={`${cell} text-left font-normal`}>
                  <code className="whitespace-nowrap">{sign}</code>
                </th>
                <td className={`${cell} text-muted`}>{says}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section>
        <h2 className="m-0 mb-1 text-xs font-semibold text-muted">Fields</h2>
        <table className="border-0 text-xs">
          <tbody>
            {fieldsOf[of].map(({ name, says }) => (
              <tr key={name}>
                <th scope="row" className={`${cell} text-left font-normal`}>
                  <code>{name}</code>
                </th>
                <td className={`${cell} text-muted`}>{says}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
