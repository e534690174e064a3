import { checkSpecs, formatDuration, parseDuration, type ResticSpec } from "@mainstay/contract";
import { NotTried } from "#platform/outbound/not-tried.ts";
import { ProgramsOff } from "#platform/outbound/programs.ts";
import type { ProgramRun } from "#platform/outbound/run-program.ts";
import { attempt, type CheckInput, checkType, failed, passed } from "../check-type.ts";
import { readSnapshots, type Snapshot } from "./read-snapshots.ts";
import { repositoryHost } from "./repository-host.ts";

const keptOutput = 1_048_576;
const longestError = 2000;
/** Newest snapshots that a result names, one for each host and paths. */
const mostNamed = 50;

/** Everything that differs is in variables: nothing of a document becomes an argument, and secrets least of all. */
const script = (command: string) =>
  `exec restic --no-cache --no-lock \${PROBE_CACERT:+--cacert "$PROBE_CACERT"} ${command}\n`;

async function run(
  { spec, connector, signal }: CheckInput<ResticSpec>,
  command: string,
): Promise<ProgramRun> {
  const { repository = "", password, accessKey, secretKey, caCert } = spec;
  const isPem = caCert?.includes("-----BEGIN") === true;
  const done = await connector.programs.run({
    text: script(command),
    command: (file) => ["bash", [file]],
    env: {
      RESTIC_REPOSITORY: repository,
      RESTIC_PASSWORD: password?.value ?? "",
      ...(accessKey?.value && { AWS_ACCESS_KEY_ID: accessKey.value }),
      ...(secretKey?.value && { AWS_SECRET_ACCESS_KEY: secretKey.value }),
      ...(caCert && !isPem && { PROBE_CACERT: caCert }),
    },
    ...(caCert && isPem && { files: [{ name: "ca.pem", text: caCert, variable: "PROBE_CACERT" }] }),
    signal,
    keptOutput,
  });
  // What ended it then is the time, not restic.
  signal.throwIfAborted();
  if (done.exitCode === 127)
    throw new NotTried("the program restic is not installed on this server");
  return done;
}

function explain(done: ProgramRun, what: string): string {
  const said = done.stderr.text.trim().slice(-longestError);
  if (/wrong password|no key found/i.test(said)) return "the password does not open the repository";
  const end = done.killedBy ? `was killed by ${done.killedBy}` : `ended with code ${done.exitCode}`;
  return `${what}: restic ${end}${said === "" ? "" : `: ${said}`}`;
}

export const restic = checkType<ResticSpec>({
  type: "restic",
  spec: checkSpecs.restic,
  network: true,
  endpoint: ({ repository = "" }) => repository.replace(/\/\/[^/@\s]*@/, "//"),
  async run(input) {
    const { spec, connector, signal } = input;
    const { repository, password } = spec;
    if (!repository) return failed("the check does not say which repository", { invalid: true });
    if (!password?.value)
      return failed("the check has no password for the repository", { invalid: true });
    return attempt(input, async () => {
      // What is asked is judged here: the program opens its sockets by itself.
      const host = repositoryHost(repository);
      if (host) await connector.judge(host, { signal });
      let listed: ProgramRun;
      let checked: ProgramRun | undefined;
      try {
        listed = await run(input, "snapshots --json --latest 1");
        if (listed.exitCode === 0 && spec.checkIntegrity) checked = await run(input, "check");
      } catch (error) {
        if (error instanceof ProgramsOff) return failed(error.message, { invalid: true });
        throw error;
      }
      const durationMs = listed.durationMs + (checked?.durationMs ?? 0);
      if (listed.exitCode !== 0)
        return failed(explain(listed, "the snapshots cannot be listed"), { durationMs });
      const snapshots = listed.stdout.isCut ? undefined : readSnapshots(listed.stdout.text);
      if (!snapshots) return failed("restic listed the snapshots in a way that cannot be read");
      const details = { latest: snapshots.slice(0, mostNamed), isIntact: checked?.exitCode === 0 };
      const more = { durationMs, details };
      if (checked && checked.exitCode !== 0)
        return failed(explain(checked, "the repository is not intact"), more);
      return judge(spec, snapshots, more);
    });
  },
});

function judge(
  { maxAge }: ResticSpec,
  [newest]: readonly Snapshot[],
  more: { durationMs: number; details: Record<string, unknown> },
) {
  if (!newest) {
    const sentence = "the repository holds no snapshot";
    return maxAge === undefined ? passed(sentence, more) : failed(sentence, more);
  }
  const ageMs = Math.max(0, Date.now() - newest.time.getTime());
  const age = formatDuration(Math.floor(ageMs / 1000) * 1000);
  if (maxAge !== undefined && ageMs > parseDuration(maxAge))
    return failed(`the newest snapshot is ${age} old, at most ${maxAge} wanted`, more);
  return passed(`the newest snapshot is ${age} old`, more);
}
