import { checkSpecs, type MultistepSpec, type MultistepStep } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { readableAddress, splitUserInfo } from "#platform/outbound/http/address.ts";
import { createCookieJar } from "#platform/outbound/http/cookies.ts";
import { readAddress } from "#platform/outbound/http/read-request.ts";
import { isNotTried } from "#platform/outbound/not-tried.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { attemptHttp } from "../attempt-http.ts";
import {
  abortMessage,
  type CheckInput,
  type CheckOutcome,
  checkType,
  inMs,
} from "../check-type.ts";
import { certificateExpiry, type Expiry, judgeEnd } from "../expiry.ts";
import { keptBegin } from "../http/kept-answer.ts";
import { MissingVariable } from "./fill-variables.ts";
import { runStep, type StepsParts } from "./run-step.ts";

/** What a result says of one step. */
interface StepResult {
  name: string;
  status: "passed" | "failed" | "skipped";
  cleanup?: true;
  code?: number;
  durationMs?: number;
  address?: string;
  error?: string;
}

/** Kept free at the end of a check's time, so that what was made can be taken away again. */
const cleanupShare = 0.25;
const longestCleanupMs = 15_000;
const leastCleanupMs = 1_000;
/** Half of a time that is too short for both. */
const cleanupTime = (timeoutMs: number) =>
  Math.max(
    Math.min(leastCleanupMs, timeoutMs / 2),
    Math.min(longestCleanupMs, timeoutMs * cleanupShare),
  );
/** Of an answer that was not as it should be. */
const keptContent = 2_048;

export const multistep = checkType<MultistepSpec>({
  type: "multistep",
  spec: checkSpecs.multistep,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? spec.connection ?? ""),
  run: (input) => attemptHttp(input, () => runSteps(input)),
});

/** Those in the address count where nothing else says who asks. */
const withCredentials = (
  spec: MultistepSpec,
  credentials: { username: string; password: string } | undefined,
): MultistepSpec =>
  !credentials || spec.username?.value !== undefined
    ? spec
    : {
        ...spec,
        username: { value: credentials.username },
        password: { value: credentials.password },
      };

const nameOf = ({ name }: MultistepStep, index: number, isCleanup: boolean) =>
  name || `${isCleanup ? "clean-up" : "step"} ${index + 1}`;

async function runSteps(input: CheckInput<MultistepSpec>): Promise<CheckOutcome> {
  const { connector, timeoutMs } = input;
  const { steps, cleanup = [] } = input.spec;
  const { url: base, credentials } = splitUserInfo(
    readAddress(input.spec.url ?? input.spec.connection ?? "", input.spec),
  );
  const spec = withCredentials(input.spec, credentials);
  const secrets: string[] = [];
  const parts: StepsParts = { spec, base, jar: createCookieJar(), connector, secrets };
  const variables = new Map((spec.env ?? []).map(({ name, value }) => [name, value ?? ""]));
  const cleanupMs = cleanup.length === 0 ? 0 : cleanupTime(timeoutMs);
  const until = AbortSignal.timeout(Math.max(1, timeoutMs - cleanupMs));
  const main = { signal: cleanupMs ? AbortSignal.any([input.signal, until]) : input.signal };

  const results: StepResult[] = [];
  let failure: Failure | undefined;
  let expires: Expiry | undefined;
  for (const [index, step] of steps.entries()) {
    const name = nameOf(step, index, false);
    if (failure) {
      results.push({ name, status: "skipped" });
      continue;
    }
    const done = await one(parts, step, { name, variables, signal: main.signal });
    results.push(done.result);
    expires = earliest(expires, done.expires);
    if (done.failure === undefined) continue;
    const isLate = until.aborted || input.signal.aborted;
    const said = isLate
      ? abortMessage({ signal: input.signal.aborted ? input.signal : until, timeoutMs })
      : done.failure.error;
    failure = { ...done.failure, error: `${placeOf(index, step)}: ${said}` };
    if (isLate) failure.isUntried = false;
  }
  const durationMs = results.reduce((sum, { durationMs: ms = 0 }) => sum + ms, 0);

  // With a time of its own: also when that of the check is over, or the server stops.
  const signal = AbortSignal.timeout(cleanupMs || 1);
  const left: string[] = [];
  for (const [index, step] of cleanup.entries()) {
    const name = nameOf(step, index, true);
    const { result } = await one(parts, step, { name, variables, signal, isCleanup: true });
    results.push({ ...result, cleanup: true });
    if (result.status === "failed") left.push(`${name}: ${result.error}`);
  }
  if (!failure && spec.maxSSLExpiry) failure = judgeCertificate(expires, spec.maxSSLExpiry);
  if (!failure && left.length > 0) failure = { error: `the clean-up failed: ${left.join("; ")}` };

  const shown = Object.fromEntries(
    [...steps, ...cleanup]
      .flatMap(({ extract = [] }) => extract)
      .flatMap(({ name, show }) =>
        show && variables.has(name) ? [[name, variables.get(name)!]] : [],
      ),
  );
  // Those too that a redirect set on a way that ended nowhere, and those whose place another took.
  secrets.push(...parts.jar.values());
  const hider = createHider(secrets);
  const hidden = <Found>(found: Found): Found => (hider?.value(found) ?? found) as Found;
  const details = hidden({
    steps: results,
    variables: shown,
    ...(failure?.answer && { answer: failure.answer }),
  });
  const outcome = {
    durationMs,
    details,
    data: () => ({ ...details, results: details }) as unknown as Record<string, Value>,
    ...(expires && { expires }),
  };
  if (!failure)
    return {
      ...outcome,
      pass: true,
      message: `${steps.length} step${steps.length === 1 ? "" : "s"} in ${inMs(durationMs)}`,
    };
  return {
    ...outcome,
    pass: false,
    error: hidden(failure.error),
    ...(failure.isUntried && { untried: true }),
  };
}

interface Failure {
  error: string;
  /** The target was not reached for want of something here. */
  isUntried?: boolean;
  /** What came instead. */
  answer?: ReturnType<typeof keptBegin> & { content: string };
}

const placeOf = (index: number, { name }: MultistepStep) =>
  name ? `step ${index + 1} "${name}"` : `step ${index + 1}`;

/** One step: its result, what failed, and what it learned, which goes into the variables. */
async function one(
  parts: StepsParts,
  step: MultistepStep,
  around: {
    name: string;
    variables: Map<string, string>;
    signal: AbortSignal;
    isCleanup?: boolean;
  },
): Promise<{ result: StepResult; failure?: Failure; expires?: Expiry }> {
  const { name, variables, signal, isCleanup = false } = around;
  const started = performance.now();
  try {
    const { answer, error, extracted } = await runStep(parts, step, { variables, signal });
    for (const [variable, value] of extracted) variables.set(variable, value);
    const result = {
      name,
      code: answer.code,
      durationMs: rounded(answer.elapsedMs),
      address: readableAddress(answer.address).slice(0, 500),
    };
    const { expires } = certificateExpiry(answer.certificateEnds);
    const more = expires ? { expires } : {};
    if (error === undefined) return { result: { ...result, status: "passed" }, ...more };
    const content = answer.body.toString("utf8").slice(0, keptContent);
    return {
      result: { ...result, status: "failed", error },
      failure: { error, answer: { ...keptBegin(answer), content } },
      ...more,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A step that would have told it did not come so far: there is nothing to take away.
    if (isCleanup && error instanceof MissingVariable)
      return { result: { name, status: "skipped", error: message } };
    const durationMs = rounded(performance.now() - started);
    return {
      result: { name, status: "failed", durationMs, error: message },
      failure: { error: message, isUntried: isNotTried(error) },
    };
  }
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;

const earliest = (a: Expiry | undefined, b: Expiry | undefined) =>
  !a || (b && b.at < a.at) ? b : a;

function judgeCertificate(expires: Expiry | undefined, wantedDays: number): Failure | undefined {
  if (!expires) return { error: "there is no certificate to judge: no step speaks https" };
  const { error } = judgeEnd("the certificate", expires.at, wantedDays);
  return error === undefined ? undefined : { error };
}
