import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { StartupError } from "@mainstay/embedded-postgres";
import type { Log } from "#platform/log.ts";
import { defineService } from "#platform/service.ts";
import { readProperties } from "./read-properties.ts";

const MAX_FILE_BYTES = 1024 * 1024;

/** Properties of this server's file. They win over those in the database and are changed in the file only. */
export type LocalProperties = ReadonlyMap<string, string>;

interface Store {
  /** As the file is now, or as it was when it could last be read. */
  current(): Promise<LocalProperties>;
}

/** Reads the file of the setting; from then on whoever asks is told what is in it at that moment. */
export const localProperties = defineService("local properties", ({ config, log }): Store => {
  const { propertiesFile } = config;
  return propertiesFile === undefined
    ? { current: async () => new Map() }
    : openStore(propertiesFile, log);
});

function openStore(file: string, log: Log): Store {
  let { mark, properties } = readAtStart(file);
  return {
    async current() {
      let found = "unreadable";
      try {
        const stats = await stat(file, { bigint: true });
        found = markOf(stats);
        if (found === mark) return properties;
        refuseLarge(stats.size);
        // What is written meanwhile changes the mark again.
        properties = readProperties(await readFile(file, "utf8"));
      } catch (error) {
        // Said once, not at every request.
        if (found !== mark)
          log.error(
            { err: error, file },
            "the properties file cannot be read; what it said before stays in force",
          );
      }
      mark = found;
      return properties;
    },
  };
}

function readAtStart(file: string): { mark: string; properties: LocalProperties } {
  try {
    const stats = statSync(file, { bigint: true });
    refuseLarge(stats.size);
    return { mark: markOf(stats), properties: readProperties(readFileSync(file, "utf8")) };
  } catch (error) {
    throw new StartupError(
      `The file ${file} of PROPERTIES_FILE cannot be read: ${(error as Error).message}`,
    );
  }
}

interface FileMark {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
}

const markOf = ({ dev, ino, size, mtimeNs, ctimeNs }: FileMark): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(":");

function refuseLarge(size: bigint): void {
  if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes.`);
}
