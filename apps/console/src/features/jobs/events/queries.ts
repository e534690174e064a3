import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { contains, db, isNotNull, isNull, type Query } from "#lib/db.ts";
import { orderOf, pagedCodec, rangeOf } from "#lib/paged-view.ts";

export type Delivery = Rows["event_deliveries"];

/** What is parked is what somebody must look at: it is shown unless something else is asked for. */
export const deliveryStates = ["waiting", "all"] as const;

export const deliveriesCodec = pagedCodec({
  sortKeys: ["parked_at", "event", "handler", "attempts", "due_at"] as const,
  filters: { state: deliveryStates },
});
export type DeliveriesView = ReturnType<typeof deliveriesCodec.parse>;

export const deliveriesKey = ["event-deliveries"] as const;
// They come and go many times a second: nobody announces them.
const refetchMs = 15_000;

const found = (view: DeliveriesView): Query<"event_deliveries"> => {
  const text = view.query.trim();
  const part = contains(text);
  return {
    where: { parked_at: { "": isNotNull, waiting: isNull, all: undefined }[view.state] },
    ...(text !== "" && {
      anyOf: [{ event: part }, { handler: part }, { subject: part }, { error: part }],
    }),
    order: orderOf(view, ["parked_at.desc.nullslast", "due_at.asc", "id.desc"]),
  };
};

/** What waits of one event. PostgreSQL does not know that a group has a name. */
export type QueuedEvents = Omit<Rows["event_queue_summary"], "name"> & { name: string };

export const eventQueries = {
  /** J3 */
  queue: queryOptions({
    queryKey: [...deliveriesKey, "queue"],
    queryFn: ({ signal }) =>
      db.list<"event_queue_summary", QueuedEvents>(
        "event_queue_summary",
        { order: ["last_failure.desc.nullslast", "name.asc"] },
        { signal },
      ),
    staleTime: 0,
    refetchInterval: refetchMs,
  }),
};

export const deliveryQueries = {
  page: (view: DeliveriesView) =>
    queryOptions({
      queryKey: [...deliveriesKey, view],
      queryFn: ({ signal }) =>
        db.page("event_deliveries", { ...found(view), ...rangeOf(view) }, { signal }),
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: refetchMs,
    }),
  all: (view: DeliveriesView, limit: number) =>
    db.list("event_deliveries", { ...found(view), limit }),
};
