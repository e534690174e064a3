import { expect, test } from "vitest";
import { parseSearch } from "#lib/search-params.ts";
import { healthViewCodec } from "../view/health-view.ts";
import { isSameView } from "#lib/saved-views/saved-page.ts";
import { healthViews, searchOf } from "./view-search.ts";

const view = (search: string) => healthViewCodec.parse(parseSearch(search));

test("a view keeps filters, order, range and columns, and nothing that is open", () => {
  const kept = "?timeRange=6h&severity=high%3A1&sortBy=latency&sortDesc=true&columns=name%2Cuptime";
  expect(
    parseSearch(searchOf(view(`${kept}&checkId=c1&checkRange=2d&expanded=a:1&addCheck=true`))),
  ).toEqual(parseSearch(kept));
  expect(isSameView(searchOf(view(kept)), kept)).toBe(true);
  expect(isSameView(kept, "?timeRange=6h")).toBe(false);
});

test("what a stored view says and the page does not know is no address", () => {
  expect(healthViews.kept("javascript:alert(1)&groupBy=bogus&query=a%26b&__proto__=x")).toBe(
    "?query=a%26b",
  );
});
