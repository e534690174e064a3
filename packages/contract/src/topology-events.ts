import { z } from "zod";
import type { Health } from "./catalog.ts";
import { defineEvent } from "./event.ts";

/** A component, and how it is now. */
const state = z.object({
  id: z.guid(),
  status: z.string().nullable(),
  description: z.string().nullable(),
});

/** The health of a component, with all that hangs on it, has become another; raised by the database. */
export const componentHealthy = defineEvent({ name: "component.healthy", payload: state });
export const componentUnhealthy = defineEvent({ name: "component.unhealthy", payload: state });
export const componentWarning = defineEvent({ name: "component.warning", payload: state });
export const componentUnknown = defineEvent({ name: "component.unknown", payload: state });
export const componentHealthEvents = {
  healthy: componentHealthy,
  unhealthy: componentUnhealthy,
  warning: componentWarning,
  unknown: componentUnknown,
} satisfies Record<Health, unknown>;
