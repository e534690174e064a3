import type { Tx } from "../context.ts";
import type { Queryable } from "../db/database.ts";
import { emit } from "../events/emit.ts";
import type { Queue } from "./queue.ts";

/** Gives a transaction its two further verbs. */
export function createToTx(queue: Pick<Queue, "enqueue">): (queryable: Queryable) => Tx {
  return (queryable) => ({
    ...queryable,
    enqueue: (job, payload, options) => queue.enqueue(queryable, job, payload, options),
    emit: (event, payload) => emit(queryable, event, payload),
  });
}
