import type { Value } from "@mainstay/scripting";
import type { CheckOutcome } from "../check-type.ts";
import type { Crawled, MissingPage } from "./crawl.ts";

/** Missing pages that are stored and shown, and those that the sentence names. */
const mostShown = 100;
const mostNamed = 3;

const told = ({ url, code, error, from }: MissingPage) => `${url} (${code ?? error}, from ${from})`;

/** What came out of the first page, with what its links led to: a page that is missing fails the check. */
export function crawledOutcome(outcome: CheckOutcome, crawled: Crawled): CheckOutcome {
  const { visited, missing, isCutBy } = crawled;
  const most = isCutBy === undefined ? "" : `; more are left, at ${isCutBy} the crawl ends`;
  const whole: CheckOutcome = {
    ...outcome,
    message: `${outcome.message}, ${visited} pages${most}`,
    details: { ...outcome.details, visited, missing: missing.slice(0, mostShown) },
    data: () => ({
      ...(outcome.data?.() ?? { results: (outcome.details ?? {}) as Value }),
      visited,
      missing: missing as unknown as Value,
    }),
  };
  if (missing.length === 0) return whole;
  const names = missing.slice(0, mostNamed).map(told).join("; ");
  const others = missing.length > mostNamed ? `; and ${missing.length - mostNamed} more` : "";
  const what = missing.length === 1 ? "is missing" : "are missing";
  const error = `${missing.length} of ${visited} pages ${what}: ${names}${others}${most}`;
  return { ...whole, pass: false, error, isDefaultVerdict: true };
}
