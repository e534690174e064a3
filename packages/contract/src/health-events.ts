import { z } from "zod";
import { defineEvent } from "./event.ts";

/** The check, and the time of the run that told its new state. */
const payload = z.object({ id: z.guid(), last_runtime: z.string().nullable() });

/** A check has become healthy, or has failed; raised by the database when the state that is stored changes. */
export const checkPassed = defineEvent({ name: "check.passed", payload });
export const checkFailed = defineEvent({ name: "check.failed", payload });
