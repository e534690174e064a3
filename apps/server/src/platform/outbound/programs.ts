import { randomBytes } from "node:crypto";
import { access, constants, rm, unlink } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { endMarked, markName } from "./end-marked.ts";
import {
  hasTool,
  type HowProgramsRun,
  howProgramsRun,
  type ProgramsConfig,
} from "./how-programs-run.ts";
import { createKeeper, type Given, type Keeper, type KeptFiles } from "./kept-files.ts";
import { asNumber, asOurselves, type Launched } from "./launch-command.ts";
import { type Left, leftFiles, type WantedFiles } from "./left-files.ts";
import { exportsOf, makeFolder, placeForFolders, type PrivateFolder } from "./private-folder.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { NotTried } from "./not-tried.ts";
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
  /** Files that it may read; they lie apart from its working directory. */
  files?: readonly ScriptFile[];
  /** Runs before it, as the same user and in the same working directory, and is all that sees its variables and files. */
  before?: Preparation;
  /** Files that it finds as an earlier run that ended well has left them; none where this server keeps no files. */
  kept?: KeptFiles;
  /** Looks into what it has left, when all that it started has ended and before its folder goes. */
  collect?(left: LeftFolder): Promise<void>;
  signal: AbortSignal;
  /** Bytes kept of each stream. */
  keptOutput: number;
}

export interface LeftFolder {
  /** Files below the working directory, which nobody but the script could write in. */
  files(wanted: WantedFiles): AsyncIterable<Left>;
  run: ProgramRun;
}

export interface ScriptFile {
  name: string;
  text: string;
  /** Of the variable that says where it lies. */
  variable: string;
  isProgram?: boolean;
}

/** A text of ours for bash; what it needs to know is in variables. */
export interface Preparation {
  text: string;
  env: Record<string, string>;
  files: readonly ScriptFile[];
}

/** What was to run before the script has failed, so the script was not run. */
export class PreparationFailed extends Error {
  readonly run: ProgramRun;
  constructor(run: ProgramRun) {
    super("what was to run before the script has failed");
    this.run = run;
  }
}

/** Such programs are not run here; the message says why and what to do. */
export class ProgramsOff extends NotTried {}

/** What a script sees of our environment; everything else may be a secret of ours. */
const passedOn = ["PATH", "LANG", "TZ"] as const;
/** A run that has ended waits this long for its folder to go; a folder that takes longer is removed meanwhile. */
const removalWaitMs = 250;

export interface ProgramsOptions extends ProgramsConfig {
  /** A folder that only the server enters; nothing is kept without one. */
  dataDir?: string;
}

export function createPrograms(config: ProgramsOptions): Programs {
  const how = howProgramsRun(config);
  const { dataDir } = config;
  const keeper = dataDir === undefined ? undefined : createKeeper(join(dataDir, "kept-files"));
  return {
    how,
    run(script) {
      switch (how.as) {
        case "off":
          return Promise.reject(new ProgramsOff(how.sentence));
        case "own-user":
          return runAsNumber(config, script, keeper);
        case "same-user":
          return runAsOurselves(script, keeper);
      }
    },
  };
}

async function runAsNumber(
  { execUids }: ProgramsConfig,
  script: Script,
  keeper: Keeper | undefined,
): Promise<ProgramRun> {
  const number = await userNumbers(execUids).take(script.signal);
  let folder: PrivateFolder | undefined;
  try {
    const { uid } = number;
    const prepared = await prepare(script, { uid });
    ({ folder } = prepared);
    const end = () => number.end();
    const given = await giveKept(script, { keeper, folder, uid });
    const run = await launchAll(script, prepared, async (one) => ({
      launched: await asNumber(uid, one),
      end,
    }));
    await collect(script, { folder, run, owner: uid });
    await takeKept(script, { keeper, folder, uid, given, run });
    return run;
  } finally {
    await removeInTime(folder, () => number.giveBack());
  }
}

async function runAsOurselves(script: Script, keeper: Keeper | undefined): Promise<ProgramRun> {
  const mark = randomBytes(16).toString("hex");
  const prepared = await prepare(script, { env: { [markName]: mark } });
  const { folder } = prepared;
  try {
    const isComplete =
      process.platform === "linux" && ["prlimit", "setpriv"].every((tool) => hasTool(tool));
    const given = await giveKept(script, { keeper, folder, uid: undefined });
    const run = await launchAll(script, prepared, async (one) => ({
      launched: await asOurselves(isComplete, one),
      end: (pid) => endMarked(pid, mark),
    }));
    await collect(script, { folder, run });
    await takeKept(script, { keeper, folder, uid: undefined, given, run });
    return run;
  } finally {
    await removeInTime(folder, () => undefined);
  }
}

/** Makes the folder and finds the program; nothing of it runs with more rights than the script. */
async function prepare(
  script: Script,
  { uid, env }: { uid?: number; env?: Record<string, string> },
): Promise<Prepared> {
  const { before } = script;
  const wrong = Object.entries({ ...script.env, ...before?.env }).find(
    ([name, value]) => !/^[A-Za-z_]\w*$/.test(name) || value.includes("\0"),
  );
  if (wrong) throw new Error(`"${wrong[0]}" cannot be a variable of a script`);
  const environment = (work: string, own: Record<string, string>): Record<string, string> => ({
    PATH: trustedPath,
    ...inherited(),
    HOME: work,
    TMPDIR: work,
    ...own,
    ...env,
  });
  const isInFile = script.command("\0")[1].includes("\0");
  const files = script.files ?? [];
  const place = await placeForFolders(uid !== undefined);
  // Where the files lie follows from where the folder does, which is made with the variables in it.
  const folder = await makeFolder(place, uid, {
    ...(isInFile && { script: script.text }),
    environment: (work) =>
      exportsOf(environment(work, { ...script.env, ...placesOf(files, work) })),
  });
  try {
    const { work, environmentFile } = folder;
    for (const { name, text, isProgram } of files)
      await folder.add(fileName(name), text, { isProgram });
    const [program, args] = script.command(folder.scriptFile);
    const found = await findProgram(program, environment(work, script.env).PATH ?? "");
    const main = { environmentFile, command: [found, ...args] };
    if (!before) return { folder, main };
    const own = [...before.files];
    const paths: string[] = [];
    for (const { name, text, isProgram } of own)
      paths.push(await folder.add(fileName(name), text, { isProgram }));
    const variables = environment(work, { ...before.env, ...placesOf(own, work) });
    const first = await folder.add("environment-before", exportsOf(variables));
    const bash = await findProgram("bash", variables.PATH ?? "");
    return {
      folder,
      main,
      before: { environmentFile: first, command: [bash, "-c", before.text] },
      beforeFiles: [...paths, first],
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

const fileName = (name: string) => `file-${name}`;
const placesOf = (files: readonly ScriptFile[], work: string): Record<string, string> =>
  Object.fromEntries(
    files.map(({ name, variable }) => [variable, join(dirname(work), fileName(name))]),
  );

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
  throw new NotTried(`${program} is not installed on this machine`);
}

interface Prepared {
  folder: PrivateFolder;
  main: Launched;
  before?: Launched;
  /** What goes away before the script runs. */
  beforeFiles?: readonly string[];
}

interface Launch {
  launched: string[];
  end(pid: number): Promise<void>;
}

async function launchAll(
  script: Script,
  { folder, main, before, beforeFiles = [] }: Prepared,
  how: (one: Launched) => Promise<Launch>,
): Promise<ProgramRun> {
  if (!before) return launch(script, folder, await how(main));
  const first = await launch(script, folder, await how(before));
  if (first.exitCode !== 0) throw new PreparationFailed(first);
  await Promise.all(beforeFiles.map((path) => unlink(path)));
  const run = await launch(script, folder, await how(main));
  return { ...run, before: first.stdout.text };
}

function launch(
  script: Script,
  folder: PrivateFolder,
  { launched, end }: Launch,
): Promise<ProgramRun> {
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

async function collect(
  script: Script,
  { folder, run, owner }: { folder: PrivateFolder; run: ProgramRun; owner?: number },
): Promise<void> {
  const { signal } = script;
  const files = (wanted: WantedFiles) => leftFiles(folder.work, wanted, { owner, signal });
  await script.collect?.({ files, run });
}

interface Keeping {
  keeper: Keeper | undefined;
  folder: PrivateFolder;
  uid: number | undefined;
}

/** A run whose files cannot be given to it begins without any. */
async function giveKept(
  { kept }: Script,
  { keeper, folder, uid }: Keeping,
): Promise<Given | undefined> {
  if (!kept || !keeper) return undefined;
  try {
    return await keeper.give(kept, { work: folder.work, uid });
  } catch (error) {
    process.emitWarning(`Kept files of ${kept.name} cannot be read: ${(error as Error).message}`);
    await rm(join(folder.work, kept.folder), { recursive: true, force: true });
    return undefined;
  }
}

/** That files cannot be kept takes nothing from a run that has ended well: the next one makes them again. */
async function takeKept(
  { kept, signal }: Script,
  { keeper, folder, uid, given, run }: Keeping & { given: Given | undefined; run: ProgramRun },
): Promise<void> {
  if (!kept || !keeper || run.exitCode !== 0 || signal.aborted) return;
  try {
    await keeper.take(kept, { work: folder.work, uid, given, signal });
  } catch (error) {
    process.emitWarning(
      `Files of ${kept.name} could not be kept for its next run: ${(error as Error).message}`,
    );
  }
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
