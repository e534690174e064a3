import { defineService } from "../service.ts";
import { createTwoLanes } from "./two-lanes.ts";

/** All scripts of a program run in one thread, which starts when the first comes, but for those that stall it. */
export const scriptEvaluator = defineService("scripts", () => createTwoLanes());
