import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useHideDeleted } from "../shared/hide-deleted.ts";
import type { Completing } from "./completing.ts";
import { askedField } from "./fields-of.ts";
import { valueQueries } from "./queries.ts";
import type { SearchedKind } from "./searched-kind.ts";
import type { KnownValue } from "./suggestions.ts";

const none: readonly KnownValue[] = [];

/** The values, or the keys, that there are of what stands at the caret; those that are found by what is typed of them. */
export function useKnownValues(
  of: SearchedKind,
  completing: Completing,
  isOn: boolean,
): readonly KnownValue[] {
  const hidesDeleted = useHideDeleted();
  const { kind, field, typed } = completing;
  const query = useMemo(() => {
    if (kind === "key") return valueQueries.keys(field, typed);
    if (kind === "value")
      return valueQueries.values({ ...askedField(of, field), typed, hidesDeleted });
    return undefined;
  }, [of, kind, field, typed, hidesDeleted]);
  // Without them what is typed is as good: nobody is told that they could not be had.
  const found = useQuery({
    ...(query ?? valueQueries.nothing()),
    enabled: isOn && query !== undefined,
  });
  return found.data ?? none;
}
