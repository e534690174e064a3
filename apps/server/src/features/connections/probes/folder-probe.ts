import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Probe } from "./probe.ts";

/** The folder is there. */
export const folder: Probe = async ({ connection: { properties } }) => {
  const path = properties.path ?? "";
  if (!isAbsolute(path)) throw new Error("The path of a folder begins with a slash.");
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === "ENOENT" ? `There is no ${path} on the server.` : `${path} cannot be read.`,
    );
  });
  if (!found.isDirectory()) throw new Error(`${path} is no folder.`);
};
