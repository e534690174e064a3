import type { UrlCodec } from "./url-state.ts";

/** What of a list is shown whose rows the server finds, orders and cuts into pages. */
export interface PagedView<SortKey extends string = string> {
  /** What is searched for. */
  query: string;
  sortBy: SortKey | undefined;
  sortDesc: boolean;
  pageIndex: number;
  pageSize: number;
}

/** Document 1, section 9. */
export const pagedSizes: readonly number[] = [50, 100, 200];

export const firstPage: PagedView<never> = {
  query: "",
  sortBy: undefined,
  sortDesc: false,
  pageIndex: 0,
  pageSize: 50,
};

type Choices = Readonly<Record<string, readonly string[]>>;
/** A filter is one of its values, or nothing. */
export type Chosen<Filters extends Choices> = {
  [Name in keyof Filters]: Filters[Name][number] | "";
};

/** How such a list is written in the address: what is as usual is left out, what nobody offers is not read. */
export function pagedCodec<SortKey extends string, Filters extends Choices>(offered: {
  sortKeys: readonly SortKey[];
  filters: Filters;
  /** Other sizes of a page than most lists have, and which of them is usual. */
  sizes?: readonly number[];
  pageSize?: number;
}): UrlCodec<PagedView<SortKey> & Chosen<Filters>> {
  const names = Object.keys(offered.filters);
  const { sizes = pagedSizes, pageSize: usualSize = firstPage.pageSize } = offered;
  return {
    parse: (raw) => {
      const chosen = Object.fromEntries(
        names.map((name) => [
          name,
          offered.filters[name]?.find((value) => value === raw[name]) ?? "",
        ]),
      ) as Chosen<Filters>;
      return {
        query: raw["query"] ?? "",
        sortBy: offered.sortKeys.find((key) => key === raw["sortBy"]),
        sortDesc: raw["sortOrder"] === "desc",
        pageIndex: Math.max(0, Math.trunc(Number(raw["pageIndex"] ?? 0)) || 0),
        pageSize: sizes.find((size) => String(size) === raw["pageSize"]) ?? usualSize,
        ...chosen,
      };
    },
    format: (view) => ({
      query: view.query === "" ? undefined : view.query,
      sortBy: view.sortBy,
      sortOrder: view.sortBy === undefined ? undefined : view.sortDesc ? "desc" : "asc",
      pageIndex: view.pageIndex === 0 ? undefined : String(view.pageIndex),
      pageSize: view.pageSize === usualSize ? undefined : String(view.pageSize),
      ...Object.fromEntries(
        names.map((name) => {
          const value = (view as Readonly<Record<string, unknown>>)[name];
          return [name, typeof value === "string" && value !== "" ? value : undefined];
        }),
      ),
    }),
  };
}

/** The rows of a page. */
export const rangeOf = ({ pageIndex, pageSize }: PagedView) => ({
  limit: pageSize,
  offset: pageIndex * pageSize,
});

/** The chosen order, then the usual one, so that rows that are equal keep their places from page to page. */
export function orderOf<SortKey extends string, Usual extends string>(
  { sortBy, sortDesc }: PagedView<SortKey>,
  usual: readonly Usual[],
): (`${SortKey}.${"asc" | "desc"}.nullslast` | Usual)[] {
  if (sortBy === undefined) return [...usual];
  return [`${sortBy}.${sortDesc ? "desc" : "asc"}.nullslast` as const, ...usual];
}
