import type { DocumentResult } from "#features/health/index.ts";

/** One suite per canary, one case per check: what build servers read. */
export function junitReport(results: readonly DocumentResult[]): string {
  const suites = new Map<string, DocumentResult[]>();
  for (const result of results)
    suites.set(result.canary, [...(suites.get(result.canary) ?? []), result]);
  const lines = [...suites].flatMap(([canary, cases]) => [
    `  <testsuite name="${text(canary)}" tests="${cases.length}" failures="${cases.filter(isFailure).length}" errors="${cases.filter(isUntried).length}" skipped="${cases.filter(isHeld).length}" time="${seconds(cases)}">`,
    ...cases.map(testCase),
    "  </testsuite>",
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...lines,
    "</testsuites>",
    "",
  ].join("\n");
}

const isHeld = (result: DocumentResult) => result.held !== undefined;
const isUntried = (result: DocumentResult) => result.untried === true && !isHeld(result);
const isFailure = (result: DocumentResult) => !result.pass && !isUntried(result) && !isHeld(result);
const seconds = (results: readonly DocumentResult[]) =>
  (results.reduce((sum, result) => sum + result.duration, 0) / 1000).toFixed(3);

function testCase(result: DocumentResult): string {
  const open = `    <testcase classname="${text(result.canary)}.${text(result.type)}" name="${text(result.name)}" time="${seconds([result])}"`;
  if (isHeld(result)) return `${open}><skipped message="${text(result.held ?? "")}"/></testcase>`;
  if (result.pass) return `${open}/>`;
  const what = isUntried(result) ? "error" : "failure";
  return `${open}><${what} message="${text(result.error ?? "failed")}"/></testcase>`;
}

/** XML has no way to write most control characters; they become the replacement sign. */
const text = (value: string) =>
  value
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- these are the characters that XML 1.0 excludes
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    // A parser would make spaces of them.
    .replaceAll(/[\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
