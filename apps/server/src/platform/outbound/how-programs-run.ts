import { accessSync, constants, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import type { Config } from "#platform/config.ts";
import { trustedPath } from "./run-as.ts";

/** How the programs that documents bring are run on this server, and a sentence that says it to people. */
export interface HowProgramsRun {
  /** `own-user`: each under a user number of its own; `same-user`: as the server itself; `off`: not at all. */
  as: "own-user" | "same-user" | "off";
  sentence: string;
}

export type ProgramsConfig = Pick<Config, "exec" | "execUids">;

/** What matters of the machine and of who we are on it. */
export interface Machine {
  isRoot: boolean;
  userName: string;
  /** What changing the user still lacks; empty when it works. */
  missing: readonly string[];
}

/** Rights (linux/capability.h) without which root is not enough: containers take some of them away. */
const neededRights = { CHOWN: 0, KILL: 5, SETGID: 6, SETUID: 7, SETPCAP: 8 };
const neededTools = ["prlimit", "setpriv"];

export const hasTool = (name: string): boolean =>
  trustedPath.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

function missingRights(): string[] {
  const status = readFileSync("/proc/self/status", "utf8");
  const rights = BigInt(`0x${/^CapEff:\s*(\w+)$/m.exec(status)?.[1] ?? "0"}`);
  return Object.entries(neededRights)
    .filter(([, bit]) => ((rights >> BigInt(bit)) & 1n) === 0n)
    .map(([name]) => `the capability ${name}`);
}

export function thisMachine(): Machine {
  const isRoot = process.getuid?.() === 0;
  const isLinux = process.platform === "linux";
  return {
    isRoot,
    userName: userName(),
    missing: isLinux
      ? [
          ...missingRights(),
          ...neededTools
            .filter((tool) => !hasTool(tool))
            .map((tool) => `the program ${tool} (package util-linux)`),
        ]
      : ["Linux"],
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A number without an entry in the password file.
    return `number ${process.getuid?.()}`;
  }
}

export function howProgramsRun(
  { exec, execUids }: ProgramsConfig,
  { isRoot, userName: name, missing }: Machine = thisMachine(),
): HowProgramsRun {
  if (exec === "off")
    return { as: "off", sentence: "Scripts are switched off on this server (EXEC=off)." };
  if (isRoot && missing.length === 0) {
    return {
      as: "own-user",
      sentence: `Scripts run as somebody else: each under a user number of its own between ${execUids.from} and ${execUids.to}, without any right on this machine.`,
    };
  }
  if (exec === "on") {
    return {
      as: "same-user",
      sentence: `Scripts run as the user ${name}, like this server itself (EXEC=on): they can read its data directory, its key and its database, and end it.`,
    };
  }
  const reason = isRoot
    ? `it runs as root but cannot change the user here, for which it lacks ${missing.join(" and ")}`
    : "it does not run as root and so cannot run them as somebody else";
  return {
    as: "off",
    sentence: `Scripts are off on this server: ${reason}. With EXEC=on (--exec on) they run as the user ${name}, like the server itself: they can then read its data directory, its key and its database, and end it.`,
  };
}
