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
export const configHealthy = defineEvent({ name: "config.healthy", payload: state });
export const configUnhealthy = defineEvent({ name: "config.unhealthy", payload: state });
export const configWarning = defineEvent({ name: "config.warning", payload: state });
export const configUnknown = defineEvent({ name: "config.unknown", payload: state });
export const configHealthEvents = {
  healthy: configHealthy,
  unhealthy: configUnhealthy,
  warning: configWarning,
  unknown: configUnknown,
} satisfies Record<Health, unknown>;

/** It is no longer as it was scraped (a change of type `diff`), or something else has happened to it. */
export const configUpdated = defineEvent({ name: "config.updated", payload: change });
export const configChanged = defineEvent({ name: "config.changed", payload: change });
