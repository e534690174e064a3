import type { SecurityFact } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { type HowProgramsRun, howProgramsRun } from "#platform/outbound/how-programs-run.ts";
import { factsThatHold } from "#platform/security-facts.ts";

/** What the settings of checks weaken; `how` the programs of documents run here. */
export async function checkFacts(
  { config }: Pick<Ctx, "config">,
  how: HowProgramsRun = howProgramsRun(config),
): Promise<SecurityFact[]> {
  return factsThatHold([
    [
      how.as === "same-user",
      () => ({
        id: "programs.same.user",
        title: "Scripts run as the server itself",
        state: how.sentence,
        cost: "Whoever may save scripts has everything the server has: its data, its secrets and every account on it.",
        remedy:
          "Start the server as root, which runs each script under a user number of its own, or leave EXEC out.",
        setting: "EXEC",
        weight: "serious",
      }),
    ],
    [
      config.socketDirs.length > 0,
      () => ({
        id: "sockets.allowed",
        title: "Checks may reach sockets of this machine",
        state: `SOCKET_DIRS names ${config.socketDirs.join(", ")}.`,
        cost: "Programs that listen there mostly trust whoever can reach them; whoever may save such checks speaks to them as the server's user.",
        remedy:
          "Have these programs listen on an address and ask for a password, or leave SOCKET_DIRS out.",
        setting: "SOCKET_DIRS",
        weight: "notable",
      }),
    ],
    [
      config.checkAllow.length > 0,
      () => ({
        id: "addresses.allowed",
        title: "Checks may reach addresses that are denied otherwise",
        state: `CHECK_ALLOW names ${config.checkAllow.join(", ")}.`,
        cost: "Whoever may edit checks has the server speak to these addresses; metadata services among them hand out the machine's credentials.",
        remedy: "Name only the addresses that checks need, or leave CHECK_ALLOW out.",
        setting: "CHECK_ALLOW",
        weight: "notable",
      }),
    ],
  ]);
}
