import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useUrlState } from "#lib/url-state.ts";
import { useHideDeleted } from "../shared/hide-deleted.ts";
import { ChangeList, toLines } from "./ChangeList.tsx";
import { changeQueries } from "./queries.ts";
import type { ChangesOf } from "./search-body.ts";
import { changesCodec } from "./view.ts";

/** What has happened to one item, to what lies below it, and to what it hangs on. */
export function ChangesTab({ item: { id: itemId } }: { item: { id: string } }) {
  const [view, change] = useUrlState(changesCodec);
  const hidesDeleted = useHideDeleted();
  const of = useMemo((): ChangesOf => ({ itemId, hidesDeleted }), [itemId, hidesDeleted]);
  const page = useQuery({ ...changeQueries.page(view, of), select: toLines });
  return <ChangeList of={of} view={view} change={change} page={page} />;
}
