const examples = [
  ["level>=warn", "what matters"],
  ['timeout "connection refused"', "both texts, in any case"],
  ["app=web,api -health", "of one of two programs, without a word"],
  ["pod=~^web- message!~probe", "by patterns (RE2) of a label and of the message"],
  ["time>now-15m", "no earlier than a moment"],
] as const;

const signs = [
  ["a b", "both are in the message"],
  ['"a phrase"', 'literally; a quotation mark in it is written \\"'],
  ["-a", "not so"],
  ["label=x,y", "the label is one of these; != none of these"],
  ["label=~x", "the label has what the pattern says; !~ has not"],
  ["level>=warn", "trace, debug, info, warn, error, fatal"],
  ["time>, time<", "a moment, or now-2h"],
] as const;

/** The language that log lines are searched in, with examples that can be tried. */
export function LogSearchHelp({ onTry }: { onTry: (search: string) => void }) {
  return (
    <div className="flex max-h-[min(520px,var(--available-height))] w-[min(480px,calc(100vw-24px))] flex-col gap-3 overflow-y-auto p-3 text-sm">
      <section>
        <h2 className="m-0 mb-1 text-xs font-semibold text-muted">Examples</h2>
        <ul className="m-0 list-none p-0">
          {examples.map(([search, says]) => (
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
                <th scope="row" className="py-0.5 pr-3 text-left align-top font-normal">
                  <code className="whitespace-nowrap">{sign}</code>
                </th>
                <td className="py-0.5 align-top text-muted">{says}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
