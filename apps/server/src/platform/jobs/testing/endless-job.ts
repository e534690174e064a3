import { z } from "zod";
import { defineJob } from "../job.ts";
import { createQueue } from "../queue.ts";
import { connectTestParts } from "./parts.ts";

/** Takes the job `endless` and never ends it. Started by queue.test.ts, which kills it. */
const parts = connectTestParts(JSON.parse(process.argv[2] ?? "{}") as object);
const endless = defineJob({
  name: "endless",
  payload: z.object({ n: z.number() }),
  concurrency: 1,
  timeoutMs: 600_000,
  retries: 0,
  run: () => {
    console.log("running");
    return new Promise(() => undefined);
  },
});
await createQueue({ ...parts, jobs: [endless] }).start({ work: true });
console.log("ready");
