import { readFileSync } from "node:fs";
import { StartupError } from "@mainstay/embedded-postgres";
import {
  type Context,
  createEvaluator,
  type Evaluator,
  isMapping,
  type Language,
  languages,
  type Result,
  ScriptError,
  valueAsJson,
} from "@mainstay/scripting";
import { withoutCatalog } from "#platform/scripts/ask-catalog.ts";

interface EvalOptions {
  language?: Language;
  context?: string;
  batch?: string;
  text?: true;
}

interface Case {
  language: Language;
  script: string;
  context: Context;
}

/** So many cases are evaluated before the first of them is printed. */
const atOnce = 1000;

/** Prints what a script gives, as JSON, or its mistake: then the exit code is 1. */
export async function evaluateScript(
  script: string | undefined,
  options: EvalOptions,
): Promise<void> {
  if ((script === undefined) === (options.batch === undefined))
    throw new StartupError("eval takes either a script or --batch with a file of cases.");
  const evaluator = withoutCatalog(createEvaluator());
  try {
    if (options.batch === undefined) await evaluateOne(evaluator, script!, options);
    else await evaluateBatch(evaluator, options.batch, options);
  } finally {
    await evaluator.close();
  }
}

async function evaluateOne(
  evaluator: Evaluator,
  script: string,
  { language, context, text }: EvalOptions,
): Promise<void> {
  if (!language) throw new StartupError(`eval needs --language: ${languages.join(", ")}.`);
  try {
    const result = await evaluator.evaluate({
      language,
      script: script === "-" ? readText("-") : script,
      context: context === undefined ? {} : readContext(context),
    });
    console.log(resultLine(result, text));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const place = [error.line, error.column].filter((part) => part !== undefined);
    console.error(`${[language, ...place].join(":")}: ${error.message}`);
    process.exitCode = 1;
  }
}

/** A line for each, in their order; a case that fails is answered like the others. */
async function evaluateBatch(
  evaluator: Evaluator,
  file: string,
  { language, text }: EvalOptions,
): Promise<void> {
  const lines = readText(file)
    .split("\n")
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "");
  for (let start = 0; start < lines.length; start += atOnce) {
    const answers = lines.slice(start, start + atOnce).map(async ({ line, number }) => {
      const given = readCase(line, language);
      if (typeof given === "string") {
        process.exitCode = 1;
        return JSON.stringify({ error: `line ${number} is no case: ${given}` });
      }
      return evaluator.evaluate(given).then(
        (result) => resultLine(result, text),
        (error: unknown) => {
          if (!(error instanceof ScriptError)) throw error;
          return JSON.stringify({ error: error.message, line: error.line, column: error.column });
        },
      );
    });
    for (const answer of await Promise.all(answers)) console.log(answer);
  }
}

const resultLine = ({ value, text }: Result, isText?: true) =>
  `{"result":${isText ? JSON.stringify(text) : valueAsJson(value)}}`;

/** What is wrong with the line, where it is no case. */
function readCase(line: string, language: Language | undefined): Case | string {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch (error) {
    return (error as Error).message;
  }
  if (!isMapping(given as never)) return "an object is expected";
  const read: Partial<Case> = { language, context: {}, ...(given as Partial<Case>) };
  if (!languages.includes(read.language!)) return `"language" is one of ${languages.join(", ")}`;
  if (typeof read.script !== "string") return '"script" is a text';
  if (!isMapping(read.context!)) return '"context" is an object';
  return { language: read.language!, script: read.script, context: read.context };
}

function readContext(file: string): Context {
  let context: unknown;
  try {
    context = JSON.parse(readText(file));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StartupError(`${file} is no JSON: ${error.message}`);
  }
  if (!isMapping(context as never)) throw new StartupError(`${file} holds no JSON object.`);
  return context as Context;
}

function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new StartupError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
