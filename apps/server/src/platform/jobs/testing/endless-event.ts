import { defineEvent } from "@mainstay/contract";
import { z } from "zod";
import { createDispatcher } from "../../events/dispatcher.ts";
import { onEvent } from "../../events/event-handler.ts";
import { connectTestParts } from "./parts.ts";

/** Takes the event `a` and never ends it. Started by dispatcher.test.ts, which kills it. */
const parts = connectTestParts(JSON.parse(process.argv[2] ?? "{}") as object);
const a = defineEvent({ name: "a", payload: z.looseObject({}) });
const handler = onEvent(a, {
  concurrency: 1,
  run: () => {
    console.log("handling");
    return new Promise(() => undefined);
  },
});
await createDispatcher({
  ...parts,
  events: [a],
  handlers: [{ feature: "feature-1", handler }],
}).start();
console.log("ready");
