import { defineService } from "../service.ts";
import { createLanes } from "./lanes.ts";

/** All scripts of a program run in one thread, which starts when the first comes, but for those that stall it. */
export const scriptEvaluator = defineService("scripts", () => createLanes());
