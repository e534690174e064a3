import { closeInherited } from "../close-inherited.ts";
import { createPrograms } from "../programs.ts";
import { runScript, testUids, uniqueSleep, processesWith } from "./run-script.ts";

/** For tests: what scripts can do where the server is an ordinary user; prints one JSON object. */
closeInherited();
const off = createPrograms({ exec: "auto", execUids: testUids });
const on = createPrograms({ exec: "on", execUids: testUids });
const refused = await runScript("true", { programs: off }).then(
  () => "was run",
  (error: Error) => `${error.constructor.name}: ${error.message}`,
);
process.env.MAINSTAY_TEST_SECRET = "sesame";
const surroundings = await runScript(
  "env | cut -d= -f1; echo ---; ls -A | wc -l; ls /proc/$$/fd >list; echo $(cat list); grep NoNewPrivs /proc/self/status; ulimit -c; pwd; touch left; chmod 0500 .",
  { programs: on },
);
const sleep = uniqueSleep();
const started = performance.now();
const timedOut = await runScript(
  `( ( exec setsid ${sleep} </dev/null >/dev/null 2>&1 ) & ) ; ( ( exec setsid bash -c "trap '' TERM; ${sleep}; :" </dev/null >/dev/null 2>&1 ) & ) ; env -i ${sleep} & trap '' TERM; echo ready; ${sleep}`,
  { programs: on, timeoutMs: 3000 },
);
const endedMs = performance.now() - started;
const mark = uniqueSleep().split(" ")[1]!;
await runScript(`bomb() { bomb | bomb & }; : ${mark}; bomb; while :; do :; done`, {
  programs: on,
  timeoutMs: 1500,
});
console.log(
  JSON.stringify({
    how: [off.how.as, on.how.as],
    refused,
    surroundings,
    timedOut: timedOut.stdout.text,
    endedMs,
    left: [...(await processesWith(sleep)), ...(await processesWith(mark))],
  }),
);
