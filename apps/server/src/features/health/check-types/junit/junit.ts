import { checkSpecs, type JunitSpec, parseDuration } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import type { Left } from "#platform/outbound/left-files.ts";
import { coreKinds } from "#platform/kubernetes/kinds.ts";
import {
  attempt,
  type CheckInput,
  checkType,
  type CheckOutcome,
  failed,
  passed,
} from "../check-type.ts";
import { inCluster } from "../kubernetes/in-cluster.ts";
import { freshName, markOf, sweep } from "../kubernetes/ownership.ts";
import { namespaceOf } from "../pod/run-life.ts";
import { podFiles } from "./pod-files.ts";
import { parseJunit, type TestResults, type TestSuite, totalOf } from "./parse-junit.ts";
import { podOfTests, readPodResults, waitForTests } from "./pod-results.ts";
import { readLocalResults } from "./local-results.ts";
import { readResultPlace, type ResultFile, type ResultPlace } from "./result-place.ts";
import { BadXml } from "./read-xml.ts";

const defaultMinutes = 5;
const minuteMs = 60_000;
const cleanUpMs = 30_000;
/** Tests that a result names one by one, and that an error does. */
const mostDescribed = 100;
const mostNamed = 5;

const timeoutOf = ({ timeout = defaultMinutes }: JunitSpec): number =>
  typeof timeout === "number" ? timeout * minuteMs : parseDuration(timeout);

function read(files: readonly ResultFile[]): TestResults {
  const suites = files.flatMap(({ path, text }) => {
    try {
      return parseJunit(text);
    } catch (error) {
      if (error instanceof BadXml)
        throw new Error(`${path} cannot be read: ${error.message}`, { cause: error });
      throw error;
    }
  });
  return totalOf(suites);
}

const withoutTests = ({
  name,
  passed: good,
  failed: bad,
  skipped,
  error,
  duration,
}: TestSuite) => ({
  name,
  passed: good,
  failed: bad,
  skipped,
  error,
  duration,
});

function describe(results: TestResults): CheckOutcome["details"] {
  const { suites, ...totals } = results;
  const bad = suites.flatMap((suite) =>
    suite.tests
      .filter(({ status }) => status === "failed" || status === "error")
      .map(({ name, classname, status, message, error }) => ({
        suite: suite.name,
        name,
        classname,
        status,
        message: (message || error).slice(0, 500),
      })),
  );
  return {
    ...totals,
    suites: suites.slice(0, mostDescribed).map(withoutTests),
    ...(bad.length > 0 && { failures: bad.slice(0, mostDescribed) }),
  };
}

function judge(files: readonly ResultFile[], note = ""): CheckOutcome {
  const results = read(files);
  const { passed: good, failed: bad, error: broken, skipped } = results;
  const outcome = {
    details: describe(results),
    data: () => ({ results: results as unknown as Value }),
    ...(results.duration > 0 && { durationMs: results.duration * 1000 }),
  };
  const tests = good + bad + broken + skipped;
  if (tests === 0) return failed(`there are no results${note}`, outcome);
  const names = results.suites.flatMap((suite) =>
    suite.tests.filter(({ status }) => status === "failed" || status === "error"),
  );
  if (names.length === 0)
    return passed(
      `${good} of ${tests} tests passed${skipped ? `, ${skipped} skipped` : ""}`,
      outcome,
    );
  const named = names
    .slice(0, mostNamed)
    .map(({ name, message }) =>
      message ? `${name} (${message.split("\n")[0]!.slice(0, 200)})` : name,
    );
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return failed(`${names.length} of ${tests} tests failed: ${named.join(", ")}${more}`, {
    ...outcome,
    isDefaultVerdict: true,
  });
}

function runInPod(input: CheckInput<JunitSpec>, place: ResultPlace): Promise<CheckOutcome> {
  const { spec, signal } = input;
  const { artifacts = [] } = spec;
  return inCluster(input, async ({ client, clientFor }) => {
    const namespace = namespaceOf(spec, input);
    const mark = markOf("junit", input.namespace, spec.name ?? spec.testResults);
    const podPlace = { namespace, name: freshName("mainstay-junit") };
    await sweep(client, coreKinds.pod, { namespace, mark });
    try {
      const pod = podOfTests(spec.spec!, { folder: place.folder, mark, ...podPlace });
      await client.create(coreKinds.pod, pod, namespace);
      const count = spec.spec!.containers!.length;
      const ended = await waitForTests(client, podPlace, {
        count,
        timeoutMs: timeoutOf(spec),
        signal,
      });
      const codes = ended
        .filter(({ exitCode }) => exitCode !== 0)
        .map(
          ({ name, exitCode, reason }) =>
            `${name} ended with code ${exitCode}${reason ? ` (${reason})` : ""}`,
        );
      try {
        const files = await readPodResults(client, podPlace, place);
        return judge(files, codes.length > 0 ? `: ${codes.join(", ")}` : "");
      } finally {
        await input.artifacts?.keep(
          podFiles(client, podPlace, { wanted: artifacts, place }),
          input,
        );
      }
    } finally {
      await clientFor(AbortSignal.timeout(cleanUpMs))
        .delete(coreKinds.pod, { ...podPlace, graceSeconds: 0 })
        .catch(() => undefined);
    }
  });
}

/** Files of the server itself are for nobody to carry away. */
async function* noFilesOfServer({ artifacts = [] }: JunitSpec): AsyncGenerator<Left> {
  for (const { path } of artifacts)
    yield { path, problem: "only files of a pod are kept, and there is none" };
}

export const junit = checkType<JunitSpec>({
  type: "junit",
  spec: checkSpecs.junit,
  network: true,
  endpoint: (spec) => spec.testResults,
  async run(input) {
    const { spec, signal } = input;
    const place = readResultPlace(spec.testResults);
    if (!place)
      return failed("testResults names no folder: write a whole path, such as /tmp/results/", {
        invalid: true,
      });
    if (spec.spec === undefined)
      return attempt(input, async () => {
        const files = await readLocalResults(place, signal);
        await input.artifacts?.keep(noFilesOfServer(spec), { signal });
        return judge(files);
      });
    if (!spec.spec.containers?.length)
      return failed("the spec of the pod has no containers", { invalid: true });
    return runInPod(input, place);
  },
});
