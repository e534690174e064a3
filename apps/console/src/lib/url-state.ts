import { useLocation, useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { parseSearch, stringifySearch, type RawSearch } from "./search-params.ts";

/** How a page's state is written in the address. `format` gives `undefined` for what need not be written. */
export interface UrlCodec<State> {
  parse: (raw: RawSearch) => State;
  format: (state: State) => Record<string, string | undefined>;
}

export type ChangeUrl<State> = (change: Partial<State>, options?: { replace?: boolean }) => void;

/** The page's state, read from the address, and a way to change parts of it. Names the codec does not know are kept. */
export function useUrlState<State extends object>(
  codec: UrlCodec<State>,
): [State, ChangeUrl<State>] {
  const router = useRouter();
  const searchText = useLocation({ select: (location) => location.searchStr });
  const state = useMemo(() => codec.parse(parseSearch(searchText)), [codec, searchText]);

  const change = useCallback<ChangeUrl<State>>(
    (changes, options = {}) => {
      // Read at the time of the change: two changes in one turn must not undo each other.
      const { pathname, search } = router.history.location;
      const raw = parseSearch(search);
      const next = stringifySearch({
        ...raw,
        ...codec.format({ ...codec.parse(raw), ...changes }),
      });
      if (next === search) return;
      if (options.replace) router.history.replace(`${pathname}${next}`);
      else router.history.push(`${pathname}${next}`);
    },
    [codec, router],
  );
  return [state, change];
}
