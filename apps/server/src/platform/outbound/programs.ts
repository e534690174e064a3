import { randomBytes } from "node:crypto";
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { endMarked, markName } from "./end-marked.ts";
import {
  hasTool,
  type HowProgramsRun,
  howProgramsRun,
  type ProgramsConfig,
} from "./how-programs-run.ts";
import { asNumber, asOurselves } from "./launch-command.ts";
import { exportsOf, makeFolder, placeForFolders, type PrivateFolder } from "./private-folder.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { trustedPath } from "./run-as.ts";
import { userNumbers } from "./user-numbers.ts";

/**
 * Runs what documents bring: as somebody else where the server can, else only when it was told to. Scrapers, playbooks
 * and whatever else starts a program of somebody's choice comes through here
 * (docs/decisions/0007-programs-run-as-somebody-else.md).
 */
export interface Programs {
  readonly how: HowProgramsRun;
  /** Throws `ProgramsOff` where such programs are not run. */
  run(script: Script): Promise<ProgramRun>;
}

export interface Script {
  /** The script, and how it is started when it lies in a file. */
  text: string;
  command(file: string): [program: string, args: string[]];
  /** Beside PATH, HOME, TMPDIR, LANG and TZ. */
  env: Record<string, string>;
  signal: AbortSignal;
  /** Bytes kept of each stream. */
  keptOutput: number;
}

/** Such programs are not run here; the message says why and what to do. */
export class ProgramsOff extends Error {}

/** What a script sees of our environment; everything else may be a secret of ours. */
const passedOn = ["PATH", "LANG", "TZ"] as const;
/** A run that has ended waits this long for its folder to go; a folder that takes longer is removed meanwhile. */
const removalWaitMs = 250;

export function createPrograms(config: ProgramsConfig): Programs {
  const how = howProgramsRun(config);
  return {
    how,
    run(script) {
      switch (how.as) {
        case "off":
          return Promise.reject(new ProgramsOff(how.sentence));
        case "own-user":
          return runAsNumber(config, script);
        case "same-user":
          return runAsOurselves(script);
      }
    },
  };
}

async function runAsNumber({ execUids }: ProgramsConfig, script: Script): Promise<ProgramRun> {
  const number = await userNumbers(execUids).take(script.signal);
  let folder: PrivateFolder | undefined;
  try {
    const { uid } = number;
    const prepared = await prepare(script, { uid });
    ({ folder } = prepared);
    const launched = await asNumber(uid, prepared.launched);
    return await launch(script, { launched, folder, end: () => number.end() });
  } finally {
    await removeInTime(folder, () => number.giveBack());
  }
}

async function runAsOurselves(script: Script): Promise<ProgramRun> {
  const mark = randomBytes(16).toString("hex");
  const { folder, launched } = await prepare(script, { env: { [markName]: mark } });
  try {
    const isComplete =
      process.platform === "linux" && ["prlimit", "setpriv"].every((tool) => hasTool(tool));
    return await launch(script, {
      launched: await asOurselves(isComplete, launched),
      folder,
      end: (pid) => endMarked(pid, mark),
    });
  } finally {
    await removeInTime(folder, () => undefined);
  }
}

/** Makes the folder and finds the program; nothing of it runs with more rights than the script. */
async function prepare(script: Script, { uid, env }: { uid?: number; env?: object }) {
  const wrong = Object.entries(script.env).find(
    ([name, value]) => !/^[A-Za-z_]\w*$/.test(name) || value.includes("\0"),
  );
  if (wrong) throw new Error(`"${wrong[0]}" cannot be a variable of a script`);
  const environment = (work: string) => ({
    PATH: trustedPath,
    ...inherited(),
    HOME: work,
    TMPDIR: work,
    ...script.env,
    ...env,
  });
  const isInFile = script.command("\0")[1].includes("\0");
  const folder = await makeFolder(await placeForFolders(uid !== undefined), uid, {
    ...(isInFile && { script: script.text }),
    environment: (work) => exportsOf(environment(work)),
  });
  try {
    const [program, args] = script.command(folder.scriptFile);
    const found = await findProgram(program, environment(folder.work).PATH);
    const { environmentFile } = folder;
    return { folder, launched: { environmentFile, command: [found, ...args] } };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = process.env[name];
      return value ? [[name, value]] : [];
    }),
  );
}

async function findProgram(program: string, path: string): Promise<string> {
  const candidates = program.includes("/")
    ? [program]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  throw new Error(`${program} is not installed on this machine`);
}

interface Launch {
  launched: string[];
  folder: PrivateFolder;
  end(pid: number): Promise<void>;
}

function launch(script: Script, { launched, folder, end }: Launch): Promise<ProgramRun> {
  const [program, ...args] = launched as [string, ...string[]];
  return runProgram({
    program,
    args,
    // Not the script's: what it names must not be obeyed before the user has changed.
    env: { PATH: trustedPath },
    cwd: folder.work,
    signal: script.signal,
    keptOutput: script.keptOutput,
    end,
  });
}

/** The number is free for another run only when nothing of this one is left. */
async function removeInTime(folder: PrivateFolder | undefined, done: () => void): Promise<void> {
  const removal = async () => {
    await folder?.remove();
    done();
  };
  const removed = removal().catch((error: unknown) => process.emitWarning(error as Error));
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, removalWaitMs);
  });
  await Promise.race([removed, enough]);
  clearTimeout(timer);
}
