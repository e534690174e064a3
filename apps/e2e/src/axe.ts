import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What is no finding is neither written down nor sent: of a long table it is megabytes, and takes longer than to look. */
const run = `axe
  .run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    resultTypes: ["violations"],
  })
  .then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, help, nodes }) => id + ": " + help + " (" + nodes.length + "): " + nodes[0]?.html.slice(0, 200)),
  )`;

/** Serious and critical findings on the page as it is now, one line each. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  // Through the debugger: the page's own policy allows no script from outside.
  await page.evaluate(source);
  // Version 4.14.1 falls over itself when an element goes while it writes down where it was: no finding of the page's.
  return page.evaluate<string[]>(run).catch((error: Error) => {
    if (!error.message.includes("reading 'nthChild'")) throw error;
    return page.evaluate<string[]>(run);
  });
}
