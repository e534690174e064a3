import type { LogLine, LogTerm } from "@mainstay/contract";
import { RE2JS } from "re2js";

type Matched = Pick<LogLine, "message" | "labels" | "level">;
type Test = (line: Matched) => boolean;

const labelOf = ({ labels }: Matched, name: string): string =>
  Object.hasOwn(labels, name) ? (labels[name] ?? "") : "";

/** Whether a line is what terms and labels ask for: what a program cannot be asked is found out here. */
export function matchLines(
  terms: readonly LogTerm[],
  labels: Readonly<Record<string, string>> = {},
): Test {
  const tests = terms.map(testOf);
  const wanted = Object.entries(labels);
  return (line) =>
    wanted.every(([name, value]) => labelOf(line, name) === value) &&
    tests.every((test) => test(line));
}

function testOf(term: LogTerm): Test {
  switch (term.kind) {
    case "text": {
      const text = term.text.toLowerCase();
      return ({ message }) => message.toLowerCase().includes(text) !== term.isNot;
    }
    case "label": {
      const values = new Set(term.values);
      return (line) => values.has(labelOf(line, term.label)) !== term.isNot;
    }
    case "pattern": {
      const pattern = RE2JS.compile(term.pattern);
      return (line) =>
        pattern
          .matcher(term.label === "message" ? line.message : labelOf(line, term.label))
          .find() !== term.isNot;
    }
    case "level": {
      const levels = new Set(term.levels);
      return ({ level }) => (level !== undefined && levels.has(level)) !== term.isNot;
    }
  }
}
