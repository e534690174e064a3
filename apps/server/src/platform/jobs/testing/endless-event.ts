import { connectTestParts } from "./parts.ts";
import { createDispatcher } from "../../events/outbox.ts";

/** Takes the event `a` and never ends it. Started by outbox.test.ts, which kills it. */
const parts = connectTestParts(JSON.parse(process.argv[2] ?? "{}") as object);
await createDispatcher({
  ...parts,
  handlers: {
    a: [
      {
        feature: "stuck",
        handler: () => {
          console.log("handling");
          return new Promise(() => undefined);
        },
      },
    ],
  },
}).start();
console.log("ready");
