import { BadXml, readXml, type XmlElement } from "./read-xml.ts";

export type TestStatus = "passed" | "failed" | "skipped" | "error";

export interface TestCase {
  name: string;
  classname: string;
  /** Seconds. */
  duration: number;
  status: TestStatus;
  message: string;
  error: string;
  properties: Record<string, string>;
  stdout: string;
  stderr: string;
}

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  error: number;
  /** Seconds. */
  duration: number;
}

export interface TestSuite extends Totals {
  name: string;
  tests: TestCase[];
}

export interface TestResults extends Totals {
  suites: TestSuite[];
}

/** Of what a test printed, in characters. */
const keptOutput = 16_384;

const childrenOf = ({ children }: XmlElement, name: string) =>
  children.filter((child) => child.name.toLowerCase() === name);

const textOf = (element: XmlElement, name: string): string =>
  childrenOf(element, name)
    .map(({ text }) => text)
    .join("")
    .trim()
    .slice(0, keptOutput);

/** `1,234.5` and `0.01` alike; nothing where there is no number. */
function secondsOf({ attributes: { time = "" } }: XmlElement): number {
  const seconds = Number(time.replaceAll(",", ""));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

const outcomes = [
  ["failure", "failed"],
  ["error", "error"],
  ["skipped", "skipped"],
] as const;

function testOf(element: XmlElement): TestCase {
  const { name = "", classname = "" } = element.attributes;
  const [outcome, status] = outcomes
    .map(([child, word]) => [childrenOf(element, child)[0], word] as const)
    .find(([found]) => found) ?? [undefined, "passed" as const];
  const properties = childrenOf(element, "properties").flatMap((one) =>
    childrenOf(one, "property"),
  );
  return {
    name,
    classname,
    duration: secondsOf(element),
    status,
    message: (outcome?.attributes.message ?? "").slice(0, keptOutput),
    error:
      status === "failed" || status === "error"
        ? (outcome?.text ?? "").trim().slice(0, keptOutput)
        : "",
    properties: Object.fromEntries(
      properties.map(({ attributes, text }) => [
        attributes.name ?? "",
        attributes.value ?? text.trim(),
      ]),
    ),
    stdout: textOf(element, "system-out"),
    stderr: textOf(element, "system-err"),
  };
}

const count = (tests: readonly TestCase[], status: TestStatus) =>
  tests.filter((test) => test.status === status).length;

function suiteOf(element: XmlElement): TestSuite {
  const tests = childrenOf(element, "testcase").map(testOf);
  const own = tests.reduce((sum, { duration }) => sum + duration, 0);
  return {
    name: element.attributes.name ?? "",
    passed: count(tests, "passed"),
    failed: count(tests, "failed"),
    skipped: count(tests, "skipped"),
    error: count(tests, "error"),
    // What the suite says of itself counts the time between tests as well.
    duration: childrenOf(element, "testsuite").length > 0 ? own : secondsOf(element) || own,
    tests,
  };
}

/** Suites in suites become a flat list; one that only holds others is none. */
function suitesOf(element: XmlElement): TestSuite[] {
  const inner = childrenOf(element, "testsuite").flatMap(suitesOf);
  const own = suiteOf(element);
  return own.tests.length > 0 || inner.length === 0 ? [own, ...inner] : inner;
}

/** @throws BadXml */
export function parseJunit(text: string): TestSuite[] {
  const root = readXml(text.replace(/^\uFEFF/, ""));
  switch (root.name.toLowerCase()) {
    case "testsuites":
      return childrenOf(root, "testsuite").flatMap(suitesOf);
    case "testsuite":
      return suitesOf(root);
    default:
      throw new BadXml(`it is no JUnit result: it begins with <${root.name.slice(0, 50)}>`);
  }
}

export function totalOf(suites: TestSuite[]): TestResults {
  const sum = (key: keyof Totals) => suites.reduce((total, suite) => total + suite[key], 0);
  return {
    suites,
    passed: sum("passed"),
    failed: sum("failed"),
    skipped: sum("skipped"),
    error: sum("error"),
    duration: sum("duration"),
  };
}
