import { writeFileSync } from "node:fs";

/** Longest of one failure's text that is told again at the end, in characters. */
const mostOfOne = 600;

const told = (errors) =>
  errors
    .map((error) => error.stack ?? error.message ?? String(error))
    .join("\n")
    .replaceAll(/^.*\/node_modules\/.*\n?/gm, "")
    .slice(0, mostOfOne);

/**
 * A reporter of vitest that writes what failed to the file named by MAINSTAY_FAILURES, as JSON: a list of
 * `{name, error}`. It also has what no test is to blame for, which vitest's own JSON leaves out.
 */
export default class FailuresReporter {
  onTestRunEnd(modules, unhandled) {
    const failures = modules.flatMap((module) => [
      ...(module.errors().length > 0
        ? [{ name: module.relativeModuleId, error: told(module.errors()) }]
        : []),
      ...[...module.children.allTests("failed")].map((test) => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        error: told(test.result().errors),
      })),
    ]);
    for (const error of unhandled)
      failures.push({ name: "an error outside of every test", error: told([error]) });
    writeFileSync(process.env.MAINSTAY_FAILURES, JSON.stringify(failures));
  }
}
