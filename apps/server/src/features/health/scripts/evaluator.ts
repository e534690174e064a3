import { createEvaluator } from "@mainstay/scripting";
import { defineService } from "#platform/service.ts";

/** All scripts of a program run in one thread, which starts when the first comes. */
export const scriptEvaluator = defineService("scripts", () => createEvaluator());
