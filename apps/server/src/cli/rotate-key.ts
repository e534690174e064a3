import { StartupError } from "@mainstay/embedded-postgres";
import { ask, findServer, type ServerFlags } from "./server-access.ts";

interface Rotated {
  key: string;
  previous: string[];
  rows: number;
  left: number;
}

/** Calls without progress after which somebody must look: rows that others hold all the time. */
const mostIdle = 20;

/** Encrypts stored secrets anew through the running server, a portion at a time; may be ended and begun again. */
export async function rotateKeys(options: ServerFlags & { new?: boolean }): Promise<void> {
  const access = findServer(options);
  let isNew = options.new === true;
  let rows = 0;
  let idle = 0;
  for (;;) {
    const answer = await ask<Rotated>(access, "POST", "/api/security/rotate-key", { new: isNew });
    isNew = false;
    rows += answer.rows;
    idle = answer.rows === 0 ? idle + 1 : 0;
    if (answer.left === 0) {
      console.log(`${rows} rows of stored secrets were encrypted anew with key ${answer.key}.`);
      if (answer.previous.length > 0)
        console.log(
          `Nothing lasting needs the key ${answer.previous.join(" or ")} any more. Forms that are open may, for a day: then take it away.`,
        );
      return;
    }
    console.log(`${rows} rows done, ${answer.left} left.`);
    if (idle >= mostIdle)
      throw new StartupError(`${answer.left} rows cannot be changed just now: run this again.`);
  }
}
