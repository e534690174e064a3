import { type JournaldBackend, type LogLine, type LogTerm, lineLevels } from "@mainstay/contract";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import { asObject, asPlain, readJson } from "#platform/outbound/http/read-json.ts";
import { runProgram } from "#platform/outbound/run-program.ts";
import { trustedPath } from "#platform/outbound/run-as.ts";
import { runOverSsh } from "#platform/outbound/ssh/run-over-ssh.ts";
import { printCursor, readCursor } from "../cursors.ts";
import { lineOf } from "../line-of.ts";
import { levelOfSeverity } from "../lines/parse-line.ts";
import type { LinesPage, LinesPageQuestion, LogBackend } from "../log-backend.ts";
import { machineOf } from "../machine.ts";
import { matchLines } from "../match-lines.ts";
import { nanosOf } from "../nanos.ts";
import { outbound } from "../outbound.ts";

/** Entries that are read at once, and those that are looked through for one question. */
const batch = 2000;
const mostEntries = 20_000;
const mostOutput = 64 * 1024 * 1024;

/** Fields of the journal that lines have as labels. Source: systemd.journal-fields(7). */
const labelFields: Readonly<Record<string, string>> = {
  _SYSTEMD_UNIT: "unit",
  SYSLOG_IDENTIFIER: "app",
  _HOSTNAME: "host",
  _PID: "pid",
  _TRANSPORT: "transport",
  _COMM: "command",
  CONTAINER_NAME: "container",
  _BOOT_ID: "boot",
};
const fieldOf = Object.fromEntries(
  Object.entries(labelFields).map(([field, label]) => [label, field]),
);

const position = z.object({ cursor: z.string().regex(/^[\w=;-]{1,512}$/) });

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Seconds with all digits, as journalctl takes moments. */
const moment = (date: Date) => `@${(date.getTime() / 1000).toFixed(3)}`;

/** What the journal is asked of a search itself: labels that are fields of it, and levels. */
function matchesOf(
  { units = [], matches = {} }: JournaldBackend,
  { labels, search }: LinesPageQuestion,
): string[] {
  const terms: LogTerm[] = [
    ...search.terms,
    ...Object.entries(labels).map(([label, value]): LogTerm => ({
      kind: "label",
      label,
      values: [value],
      isNot: false,
    })),
  ];
  const asked = terms.flatMap((term) => {
    if (term.isNot) return [];
    if (term.kind === "level") {
      // The journal numbers levels from 0 (emerg) to 7 (debug).
      const numbers = [0, 1, 2, 3, 4, 5, 6, 7].filter((number) =>
        term.levels.includes(levelOfSeverity(number) ?? "trace"),
      );
      return numbers.length === 0 || term.levels.length === lineLevels.length
        ? []
        : [numbers.map((number) => `PRIORITY=${number}`)];
    }
    if (term.kind !== "label" || !Object.hasOwn(fieldOf, term.label)) return [];
    // An empty value means lines without the field as well.
    return term.values.includes("")
      ? []
      : [term.values.map((value) => `${fieldOf[term.label]}=${value}`)];
  });
  // Values of one field are alternatives to the journal, and fields are not: two terms of one field cannot be both asked.
  const fields = new Set<string>();
  const own = Object.entries(matches).map(([field, value]) => [`${field}=${value}`]);
  const kept = [...own, ...asked].filter(([first = ""]) => {
    const field = first.slice(0, first.indexOf("="));
    return !fields.has(field) && fields.add(field);
  });
  return [...units.map((unit) => `--unit=${unit}`), ...kept.flat()];
}

function commandOf(
  spec: JournaldBackend,
  question: LinesPageQuestion,
  { cursor, count }: { cursor: string | undefined; count: number },
): string {
  const { from, to, direction } = question;
  const args = [
    "--output=json",
    "--all",
    "--no-pager",
    "--quiet",
    `--output-fields=MESSAGE,PRIORITY,${Object.keys(labelFields).join(",")}`,
    ...(spec.directory === undefined ? [] : [`--directory=${spec.directory}`]),
    ...(direction === "backward" ? ["--reverse"] : []),
    // A place to begin at, or a moment: journalctl takes one of them.
    ...(cursor === undefined ? [`--since=${moment(from)}`] : [`--after-cursor=${cursor}`]),
    ...(cursor !== undefined && direction === "backward" ? [] : [`--until=${moment(to)}`]),
    ...matchesOf(spec, question),
  ];
  return `LC_ALL=C; export LC_ALL; journalctl ${args.map(quoted).join(" ")} | head -n ${count}`;
}

async function run(ctx: Ctx, spec: JournaldBackend, script: string) {
  const { signal } = ctx;
  const target = machineOf(spec);
  if (target)
    return runOverSsh(target, script, { signal, connector: ctx.service(outbound), mostOutput });
  const { stdout, stderr } = await runProgram({
    program: "sh",
    args: ["-c", script],
    env: { PATH: trustedPath },
    signal,
    keptOutput: mostOutput,
  });
  signal.throwIfAborted();
  if (stdout.isCut) throw new Error(`the journal gave more than ${mostOutput} bytes at once`);
  return { stdout: stdout.text, stderr: stderr.text };
}

/** A text, or its bytes where it is none. */
function textOf(message: unknown): string {
  return Array.isArray(message)
    ? Buffer.from(message as number[]).toString("utf8")
    : asPlain(message);
}

function entryOf(
  text: string,
): { line: LogLine; message: string; cursor: string; nanos: bigint } | undefined {
  const entry = asObject(readJson(text));
  const { __CURSOR: cursor, __REALTIME_TIMESTAMP: time, MESSAGE, PRIORITY } = entry;
  if (typeof cursor !== "string" || !/^\d{1,19}$/.test(asPlain(time))) return undefined;
  const nanos = BigInt(asPlain(time)) * 1000n;
  const message = textOf(MESSAGE);
  const labels = Object.fromEntries(
    Object.entries(labelFields).flatMap(([field, label]) => {
      const value = asPlain(entry[field]);
      return value === "" ? [] : [[label, value]];
    }),
  );
  const level = /^[0-7]$/.test(asPlain(PRIORITY)) ? levelOfSeverity(Number(PRIORITY)) : undefined;
  return { line: lineOf({ id: cursor, nanos, message, labels, level }), message, cursor, nanos };
}

async function read(
  ctx: Ctx,
  spec: JournaldBackend,
  question: LinesPageQuestion,
): Promise<LinesPage> {
  const { search, labels, from, to, limit, direction } = question;
  const [first, last] = [nanosOf(from), nanosOf(to)];
  const isMeant = matchLines(search.terms, labels);
  const lines: LogLine[] = [];
  let cursor = readCursor(question.cursor, position)?.cursor;
  for (let looked = 0; looked < mostEntries; looked += batch) {
    const { stdout, stderr } = await run(
      ctx,
      spec,
      commandOf(spec, question, { cursor, count: batch }),
    );
    const entries = stdout.split("\n").filter((text) => text !== "");
    if (entries.length === 0 && stderr.trim() !== "") throw new Error(saidOf(stderr));
    for (const text of entries) {
      const entry = entryOf(text);
      if (!entry) throw new Error("journalctl answered something that is no journal");
      if (direction === "backward" && entry.nanos < first) return { lines };
      ({ cursor } = entry);
      if (
        entry.nanos < first ||
        entry.nanos >= last ||
        !isMeant({ ...entry.line, message: entry.message })
      )
        continue;
      lines.push(entry.line);
      if (lines.length >= limit) return { lines, next: printCursor({ cursor }) };
    }
    if (entries.length < batch) return { lines };
  }
  return {
    lines,
    notices: [
      `${mostEntries} entries of the journal were looked through; what is further away was not. The next page goes on there.`,
    ],
    next: printCursor({ cursor: cursor! }),
  };
}

function saidOf(stderr: string): string {
  const [first = ""] = stderr.trim().split("\n");
  return /not found/.test(first)
    ? "journalctl is not there: the machine has no journal of systemd"
    : `the journal cannot be read: ${first.slice(0, 300)}`;
}

/** The journal of systemd, of this machine or of another one. */
export const journald: LogBackend<JournaldBackend> = { type: "journald", read };
