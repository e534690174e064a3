import { type LineLevel, type LogTerm } from "@mainstay/contract";

/** The language of filters of Cloud Logging, as far as searches for lines use it. */

const quote = (text: string) => JSON.stringify(text);
const literal = (text: string) => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
/** A part of a path: what is no name stands in quotes. */
const part = (name: string) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : quote(name));

/** Fields of JSON that hold the message where there is no text. */
export const messageFields = ["message", "msg"] as const;
const message = ["textPayload", ...messageFields.map((name) => `jsonPayload.${name}`)];
const hasNone = `NOT (${message.map((path) => `${path}:*`).join(" OR ")})`;

/** Severities by our levels. Source: LogSeverity of the API. */
const severities: Readonly<Record<LineLevel, readonly string[]>> = {
  trace: [],
  debug: ["DEBUG"],
  info: ["INFO", "NOTICE"],
  warn: ["WARNING"],
  error: ["ERROR"],
  fatal: ["CRITICAL", "ALERT", "EMERGENCY"],
};
/** Of an entry that does not say it. */
export const unsaid = "DEFAULT";

/** Where the value of a label stands; several where its name may mean several fields, none where it can mean none. */
function pathsOf(label: string): string[] {
  if (["logName", "resource.type", "trace", "spanId"].includes(label)) return [label];
  const [, group, rest = ""] =
    /^(labels|resource\.labels|jsonPayload|protoPayload|httpRequest)\.(.+)$/s.exec(label) ?? [];
  if (group === undefined) return [];
  // Labels are flat, and their names may hold points; names of payloads may as well.
  const whole = `${group}.${part(rest)}`;
  if (group === "labels" || group === "resource.labels" || !rest.includes(".")) return [whole];
  const nested = `${group}.${rest.split(".").map(part).join(".")}`;
  return group === "jsonPayload" ? [nested, whole] : [nested];
}
/** Fields that may be numbers, which no pattern can be asked of. */
const isTyped = (label: string) => /^(?:httpRequest|protoPayload)\./.test(label);

const any = (conditions: readonly string[]) =>
  conditions.length === 1 ? conditions[0]! : `(${conditions.join(" OR ")})`;
const said = (values: readonly string[]) => any(values.map(quote));

/** What every line that a term means fulfils, and perhaps others; nothing where that cannot be said. */
function conditionOf(term: LogTerm): string | undefined {
  switch (term.kind) {
    case "text": {
      const holds = message.map((path) => `${path}:${quote(term.text)}`);
      // The second message of an entry is shown only where there is no first.
      if (term.isNot) return `NOT (${holds.slice(0, 2).join(" OR ")})`;
      // What stands in the JSON of the whole may be more than one value of it.
      const within = /["{}[\]:,\\]/.test(term.text)
        ? hasNone
        : `(${hasNone} AND ${quote(term.text)})`;
      return any([...holds, within]);
    }
    case "pattern": {
      const paths = term.label === "message" ? message : pathsOf(term.label);
      if (paths.length === 0 || isTyped(term.label)) return undefined;
      const holds = paths.map((path) => `${path}=~${quote(term.pattern)}`);
      if (term.label === "message")
        return term.isNot ? `NOT (${holds.slice(0, 2).join(" OR ")})` : any([...holds, hasNone]);
      if (!term.isNot) return mayBeNumber(term.label) ? undefined : any(holds);
      return `NOT ${any(holds)}`;
    }
    case "label": {
      const paths = pathsOf(term.label);
      if (paths.length === 0) return undefined;
      if (!term.isNot) {
        if (term.values.includes("")) return undefined;
        return any(paths.map((path) => `${path}=${said(term.values)}`));
      }
      if (isTyped(term.label)) return undefined;
      const values = term.values.filter((value) => value !== "").map(literal);
      return values.length === 0
        ? undefined
        : `NOT ${any(paths.map((path) => `${path}=~${quote(`^(?:${values.join("|")})$`)}`))}`;
    }
    case "level": {
      const words = term.levels.flatMap((level) => severities[level]);
      if (!term.isNot) return `severity=${said([...words, unsaid])}`;
      return words.length === 0 ? undefined : `NOT severity=${said(words)}`;
    }
  }
}
const mayBeNumber = (label: string) => label.startsWith("jsonPayload.");

/**
 * A search as conditions, all of which must hold. They let through all lines that are meant; as Cloud Logging compares in
 * any case, and patterns with texts alone, others are sorted out of them here.
 */
export const loggingConditions = (terms: readonly LogTerm[]): string[] =>
  terms.flatMap((term) => conditionOf(term) ?? []);
