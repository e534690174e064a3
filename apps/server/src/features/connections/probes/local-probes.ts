import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { basic, below, call } from "./http-probe.ts";
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

/** The repository lists its branches, as the first step of a clone asks. */
export const git: Probe = async ({ connection, send }) => {
  const { url = "", password = "", username } = connection;
  if (!/^https?:/.test(url))
    throw new Error("Only repositories at http:// and https:// addresses can be tested.");
  await call(
    send,
    {
      url: below(url, "info/refs?service=git-upload-pack"),
      // A token alone is a password of whoever it belongs to.
      ...basic({ ...connection, username: username || (password ? "git" : "") }),
    },
    connection,
  );
};
