import { checkSpecs, type JmeterSpec, spanMs } from "@mainstay/contract";
import { ProgramsOff, type ScriptFile } from "#platform/outbound/programs.ts";
import type { ProgramRun } from "#platform/outbound/run-program.ts";
import {
  abortMessage,
  attempt,
  type CheckInput,
  type CheckOutcome,
  checkType,
  failed,
  inMs,
  passed,
  untried,
} from "../check-type.ts";
import { type JmeterLog, readJmeterLog, WrongLog } from "./read-log.ts";

/** Bytes of the log that are read. */
const mostLog = 8 * 1024 * 1024;
const longestText = 2000;
const notInstalled = 127;

/** What JMeter says goes where errors go; the log is what is put out. */
const wrapper = `
command -v jmeter >/dev/null || exit ${notInstalled}
[ -z "$JMETER_PROPERTIES" ] || set -- -q "$JMETER_PROPERTIES" "$@"
[ -z "$JAVA_PROPERTIES" ] || set -- -S "$JAVA_PROPERTIES" "$@"
jmeter -n -t "$JMETER_PLAN" -l samples.csv -j jmeter.log "$@" >&2 </dev/null
code=$?
[ ! -f samples.csv ] || cat samples.csv
exit $code
`;

/** The columns that are read, whatever the machine's own settings are. */
const columns = {
  output_format: "csv",
  print_field_names: "true",
  time: "true",
  label: "true",
  successful: "true",
  response_code: "true",
  response_message: "true",
  assertion_results_failure_message: "true",
};

/** By default whoever sends a word to a port of the machine ends the plan early, as if it had been run whole. */
const unheard = "-Jjmeterengine.nongui.port=0";

function partsOf(property: string): { name: string; value: string } {
  const at = property.indexOf("=");
  return { name: property.slice(0, at), value: property.slice(at + 1) };
}

/** As options, which have no value to hide, these take a property away; in a file they would be empty texts. */
const removals = (letter: string, properties: readonly string[] = []) =>
  properties
    .filter((property) => partsOf(property).value === "")
    .map((property) => `-${letter}${property}`);

const withValue = (properties: readonly string[] = []) =>
  properties.filter((property) => partsOf(property).value !== "");

function optionsOf(spec: JmeterSpec): string[] {
  return [
    ...removals("J", spec.properties),
    ...removals("D", spec.systemProperties),
    unheard,
    ...Object.entries(columns).map(([name, value]) => `-Jjmeter.save.saveservice.${name}=${value}`),
    ...(spec.host === undefined ? [] : ["-H", spec.host]),
    ...(spec.port === undefined ? [] : ["-P", String(spec.port)]),
  ];
}

/** A file of properties as Java reads it, in ASCII. Options would be for everybody on the machine to see. */
export const propertiesFile = (properties: readonly string[]): string =>
  properties
    .map((property) => {
      const { name, value } = partsOf(property);
      const escaped = value.replaceAll(
        /^ |[^ -~]|\\/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      return `${name}=${escaped}\n`;
    })
    .join("");

function filesOf(spec: JmeterSpec): ScriptFile[] {
  const properties = withValue(spec.properties);
  const systemProperties = withValue(spec.systemProperties);
  const file = (name: string, variable: string, text: string) => ({ name, variable, text });
  return [
    file("plan.jmx", "JMETER_PLAN", spec.jmx.value ?? ""),
    ...(properties.length === 0
      ? []
      : [file("jmeter.properties", "JMETER_PROPERTIES", propertiesFile(properties))]),
    ...(systemProperties.length === 0
      ? []
      : [file("java.properties", "JAVA_PROPERTIES", propertiesFile(systemProperties))]),
  ];
}

function judge(log: JmeterLog, spec: JmeterSpec): CheckOutcome {
  const { samples, elapsedMs, failures } = log;
  const outcome = {
    durationMs: elapsedMs,
    details: { samples, failed: log.failed, elapsedMs, failures },
  };
  if (samples === 0) return failed("the plan measured nothing", outcome);
  const [first] = failures;
  if (first) {
    const why = [first.label, first.code, first.message].filter((text) => text !== "").join(": ");
    return failed(`${log.failed} of ${samples} samples failed: ${why}`, outcome);
  }
  const most = spec.responseDuration === undefined ? 0 : spanMs(spec.responseDuration);
  if (most > 0 && elapsedMs > most)
    return failed(
      `the samples took ${inMs(elapsedMs)} together, at most ${inMs(most)} wanted`,
      outcome,
    );
  return passed(
    `${samples} ${samples === 1 ? "sample" : "samples"} took ${inMs(elapsedMs)} together`,
    outcome,
  );
}

/** Why it gave up, which JMeter says after the warnings of its libraries and before its own details. */
const reason = /Error in NonGUIDriver[^]*?(?=\n\s*\n|\nAn error occurred:|$)/;

function said({ stderr }: ProgramRun): string {
  const text = stderr.text.trim();
  return (reason.exec(text)?.[0] ?? text).slice(-longestText).trim();
}

function read(run: ProgramRun, input: CheckInput<JmeterSpec>): CheckOutcome {
  if (input.signal.aborted) return failed(abortMessage(input));
  if (run.exitCode === notInstalled && said(run) === "")
    return untried("jmeter is not installed on this machine");
  const end = run.killedBy
    ? `jmeter was killed by ${run.killedBy}`
    : `jmeter ended with code ${run.exitCode}`;
  const because = said(run) === "" ? "" : `: ${said(run)}`;
  if (run.exitCode !== 0) return failed(`${end}${because}`);
  if (run.stdout.text === "") return failed(`jmeter wrote no log${because}`);
  if (run.stdout.isCut) return failed(`the log of jmeter is longer than ${mostLog} bytes`);
  try {
    return judge(readJmeterLog(run.stdout.text), input.spec);
  } catch (error) {
    if (error instanceof WrongLog)
      return failed(`the log of jmeter cannot be read: ${error.message}`);
    throw error;
  }
}

export const jmeter = checkType<JmeterSpec>({
  type: "jmeter",
  spec: checkSpecs.jmeter,
  network: true,
  endpoint: ({ host, port }) => (host ? `${host}${port === undefined ? "" : `:${port}`}` : ""),
  async run(input) {
    const { spec, connector, signal } = input;
    const plan = spec.jmx.value ?? "";
    if (!plan.includes("<jmeterTestPlan"))
      return failed("jmx is not a plan of JMeter", { invalid: true });
    return attempt(input, async () => {
      try {
        const run = await connector.programs.run({
          text: "",
          command: () => ["bash", ["-c", wrapper, "jmeter", ...optionsOf(spec)]],
          env: {},
          files: filesOf(spec),
          signal,
          keptOutput: mostLog,
        });
        return read(run, input);
      } catch (error) {
        if (error instanceof ProgramsOff) return failed(error.message, { invalid: true });
        throw error;
      }
    });
  },
});
