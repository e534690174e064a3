import { readFileSync } from "node:fs";

/** This program's own version, from its package. */
export const serverVersion: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;
