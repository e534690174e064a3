import { z } from "zod";
import type { Health } from "./catalog.ts";
import { defineEvent } from "./event.ts";

/** An item of the catalog. */
const item = z.object({ id: z.guid() });
/** The item, and how it is now. */
const state = item.extend({ status: z.string().nullable(), description: z.string().nullable() });
/** The item, and one of its changes. */
const change = item.extend({ change_id: z.guid() });

/** An item has come into the catalog, or has gone. */
export const configCreated = defineEvent({ name: "config.created", payload: item });
export const configDeleted = defineEvent({ name: "config.deleted", payload: item });

/** Its health has become another; a new item that is well, or of which nobody knows, raises none. */
export const configHealthEvents = {
  healthy: defineEvent({ name: "config.healthy", payload: state }),
  unhealthy: defineEvent({ name: "config.unhealthy", payload: state }),
  warning: defineEvent({ name: "config.warning", payload: state }),
  unknown: defineEvent({ name: "config.unknown", payload: state }),
} satisfies Record<Health, unknown>;

/** It is no longer as it was scraped (a change of type `diff`), or something else has happened to it. */
export const configUpdated = defineEvent({ name: "config.updated", payload: change });
export const configChanged = defineEvent({ name: "config.changed", payload: change });
