import { fileURLToPath } from "node:url";

/** The program as it is written. */
export const programSource = fileURLToPath(
  new URL("../../../apps/server/src/main.ts", import.meta.url),
);

/** What tests start: the bundled program where the run of tests has made one, which takes half as long to start. */
export const programFile = process.env["MAINSTAY_PROGRAM"] ?? programSource;
