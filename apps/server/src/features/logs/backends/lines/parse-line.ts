import { type LineFormat, type LineLevel, lineLevelOf } from "@mainstay/contract";
import { flatten, levelIn } from "../line-of.ts";
import { readEpoch, readNanos } from "../nanos.ts";

/** What a line says of itself. */
export interface ParsedLine {
  nanos?: bigint;
  message: string;
  labels: Record<string, string>;
  level?: LineLevel;
}

export interface LineOptions {
  /** What each line looks like, when absent. */
  format?: LineFormat | undefined;
  fields?: { timestamp?: string; message?: string; level?: string } | undefined;
  /** How far a zone was from UTC at a moment of its own clocks, for times that name none. */
  offsetMs?: ((atMs: number) => number) | undefined;
  /** Now: of times without a year it is the last one. */
  now: Date;
}

type Reader = (line: string, options: LineOptions) => ParsedLine | undefined;

/** Fields with the time and the message, the most usual first. */
const timeFields = ["@timestamp", "timestamp", "time", "ts", "t", "date", "datetime", "eventTime"];
const messageFields = ["message", "msg", "log", "text", "event", "@message"];

const readTime = (text: string, { offsetMs }: LineOptions) =>
  readNanos(text, offsetMs) ?? readEpoch(text);

function fromFields(
  fields: Record<string, string>,
  line: string,
  options: LineOptions,
): ParsedLine {
  const { timestamp, message, level } = options.fields ?? {};
  const left = { ...fields };
  const take = (
    names: readonly string[],
    isRight: (text: string) => boolean,
  ): string | undefined => {
    const name = names.find((one) => Object.hasOwn(left, one) && isRight(left[one] ?? ""));
    if (name === undefined) return undefined;
    const value = left[name];
    delete left[name];
    return value;
  };
  const time = take(
    timestamp === undefined ? timeFields : [timestamp],
    (text) => readTime(text, options) !== undefined,
  );
  const said = take(message === undefined ? messageFields : [message], () => true);
  const found = levelIn(left, level);
  const nanos = time === undefined ? undefined : readTime(time, options);
  return {
    message: said ?? line,
    labels: left,
    ...(nanos !== undefined && { nanos }),
    ...(found && { level: found }),
  };
}

const json: Reader = (line, options) => {
  if (!line.startsWith("{")) return undefined;
  try {
    return fromFields(flatten(JSON.parse(line) as object), line, options);
  } catch {
    return undefined;
  }
};

const pair = /([A-Za-z_][\w.@/-]*)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))(?:\s+|$)/y;
const unquoted = (text: string) =>
  text.replaceAll(/\\(.)/g, (_all, char: string) =>
    char === "n" ? "\n" : char === "t" ? "\t" : char,
  );

const logfmt: Reader = (line, options) => {
  const text = line.trim();
  const fields: Record<string, string> = {};
  let count = 0;
  for (pair.lastIndex = 0; pair.lastIndex < text.length; count += 1) {
    const found = pair.exec(text);
    if (!found) return undefined;
    fields[found[1]!] = found[2] === undefined ? (found[3] ?? "") : unquoted(found[2]);
  }
  return count < 2 ? undefined : fromFields(fields, line, options);
};

const months = "JanFebMarAprMayJunJulAugSepOctNovDec";
const monthOf = (name: string) => months.indexOf(name) / 3 + 1;
const two = (value: number | string) => String(value).padStart(2, "0");

/** A time without a year: the last one that has been, and a day of grace. */
function inLastYear(monthDay: string, time: string, options: LineOptions): bigint | undefined {
  const year = options.now.getUTCFullYear();
  const of = (one: number) => readNanos(`${one}-${monthDay} ${time}`, options.offsetMs);
  const latest = BigInt(options.now.getTime() + 86_400_000) * 1_000_000n;
  const found = of(year);
  return found === undefined || found > latest ? of(year - 1) : found;
}

/** Severities of syslog by their number. Source: RFC 5424, section 6.2.1. */
const severities: readonly LineLevel[] = [
  "fatal",
  "fatal",
  "fatal",
  "error",
  "warn",
  "info",
  "info",
  "debug",
];
export const levelOfSeverity = (severity: number): LineLevel | undefined => severities[severity];
const ofPriority = (priority: string | undefined) =>
  priority === undefined ? undefined : levelOfSeverity(Number(priority) % 8);

const bsd =
  /^(?:<(\d{1,3})>)?([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?) (\S{1,255}) ([^\s:[\]]{1,128})(?:\[(\d{1,10})\])?: ?(.*)$/s;
const iso =
  /^(?:<(\d{1,3})>)?(\d{4}-\d\d-\d\dT\S{8,30}) (\S{1,255}) ([^\s:[\]]{1,128})(?:\[(\d{1,10})\])?: (.*)$/s;
const rfc5424 =
  /^<(\d{1,3})>1 (\S{1,40}) (\S{1,255}) (\S{1,48}) (\S{1,128}) (\S{1,32}) (-|\[.*?\]) ?(.*)$/s;

const syslogLabels = (host: string, app: string, pid: string | undefined) => ({
  host,
  app,
  ...(pid !== undefined && pid !== "-" && { pid }),
});

const syslog: Reader = (line, options) => {
  const modern = rfc5424.exec(line);
  if (modern) {
    const [, priority, time, host = "", app = "", pid, , , message = ""] = modern;
    return made(
      readTime(time ?? "", options),
      message,
      syslogLabels(host, app, pid),
      ofPriority(priority),
    );
  }
  const dated = iso.exec(line);
  if (dated) {
    const [, priority, time = "", host = "", app = "", pid, message = ""] = dated;
    const nanos = readNanos(time, options.offsetMs);
    return nanos === undefined
      ? undefined
      : made(nanos, message, syslogLabels(host, app, pid), ofPriority(priority));
  }
  const old = bsd.exec(line);
  if (!old) return undefined;
  const [, priority, month = "", day = "", time = "", host = "", app = "", pid, message = ""] = old;
  const number = monthOf(month);
  if (!Number.isInteger(number)) return undefined;
  const nanos = inLastYear(`${two(number)}-${two(day.trim())}`, time, options);
  return made(nanos, message, syslogLabels(host, app, pid), ofPriority(priority));
};

const common =
  /^(\S{1,255}) (\S{1,255}) (\S{1,255}) \[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})\] "([^"]*)" (\d{3}) (\d+|-)(?: "([^"]*)" "([^"]*)")?/;

const commonLog: Reader = (line, options) => {
  const found = common.exec(line);
  if (!found) return undefined;
  const [
    ,
    client = "",
    ,
    user = "",
    day,
    month = "",
    year,
    time,
    zone,
    request = "",
    status = "",
    bytes = "",
    referer,
    agent,
  ] = found;
  const nanos = readNanos(`${year}-${two(monthOf(month))}-${day}T${time}${zone}`, options.offsetMs);
  const [method = "", path = ""] = request.split(" ");
  const labels = {
    client,
    ...(user !== "-" && { user }),
    method,
    path,
    status,
    ...(bytes !== "-" && { bytes }),
    ...(referer !== undefined && referer !== "-" && { referer }),
    ...(agent !== undefined && agent !== "-" && { agent }),
  };
  return made(nanos, line, labels, status >= "500" ? "error" : status >= "400" ? "warn" : "info");
};

function made(
  nanos: bigint | undefined,
  message: string,
  labels: Record<string, string>,
  level: LineLevel | undefined,
): ParsedLine {
  const found = level ?? levelInText(message);
  return { message, labels, ...(nanos !== undefined && { nanos }), ...(found && { level: found }) };
}

/** A time at the beginning of a line, in brackets or not; each with how it is read. */
const beginnings: readonly [
  RegExp,
  (found: RegExpExecArray, options: LineOptions) => bigint | undefined,
][] = [
  [
    /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\s?(?:Z|[+-]\d\d:?\d\d)?)(?=[\s\]|:-]|$)\]?/,
    ([, text = ""], { offsetMs }) => readNanos(text, offsetMs),
  ],
  [
    /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?)/,
    ([, year, month, day, time], { offsetMs }) =>
      readNanos(`${year}-${month}-${day} ${time}`, offsetMs),
  ],
  [
    /^\[?[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?) (\d{4})\]?/,
    ([, month = "", day = "", time, year], { offsetMs }) =>
      readNanos(`${year}-${two(monthOf(month))}-${two(day.trim())} ${time}`, offsetMs),
  ],
  [
    // As Kubernetes' own programs write: level, month and day.
    /^[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{1,9}) /,
    ([, month, day, time = ""], options) => inLastYear(`${month}-${day}`, time, options),
  ],
  [
    /^([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?) /,
    ([, month = "", day = "", time = ""], options) =>
      Number.isInteger(monthOf(month))
        ? inLastYear(`${two(monthOf(month))}-${two(day.trim())}`, time, options)
        : undefined,
  ],
];

const levelWord =
  /\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|FATAL|CRITICAL|CRIT|PANIC|ALERT|EMERG)\b|[[<(=](trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|panic|alert|emerg)[\]>)]/;
const klog = /^([IWEF])\d{4} \d\d:/;
const klogLevels: Readonly<Record<string, LineLevel>> = {
  I: "info",
  W: "warn",
  E: "error",
  F: "fatal",
};

/** What a text says of how much it matters, near its beginning. */
function levelInText(text: string): LineLevel | undefined {
  const start = text.slice(0, 200);
  const [, short] = klog.exec(start) ?? [];
  if (short !== undefined) return klogLevels[short];
  const [, upper, lower] = levelWord.exec(start) ?? [];
  const word = upper ?? lower;
  return word === undefined ? undefined : lineLevelOf(word);
}

const plain: Reader = (line, options) => {
  for (const [pattern, read] of beginnings) {
    const found = pattern.exec(line);
    const nanos = found ? read(found, options) : undefined;
    if (nanos !== undefined) return made(nanos, line, {}, undefined);
  }
  return made(undefined, line, {}, undefined);
};

const readers: Readonly<Record<Exclude<LineFormat, "auto">, Reader>> = {
  json,
  logfmt,
  syslog,
  common: commonLog,
  plain,
};

/** Reads one line, without its end. What is not of the format that is said is a plain one. */
export function parseLine(line: string, options: LineOptions): ParsedLine {
  const { format = "auto" } = options;
  if (format !== "auto") return readers[format](line, options) ?? plain(line, options)!;
  return (
    json(line, options) ??
    commonLog(line, options) ??
    syslog(line, options) ??
    logfmt(line, options) ??
    plain(line, options)!
  );
}

/** How far a zone was from UTC, at a moment of its own clocks. */
export function zoneOffset(timeZone: string | undefined): ((atMs: number) => number) | undefined {
  if (timeZone === undefined) return undefined;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const offsetAt = (ms: number) => {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, value]),
    );
    const { year, month, day, hour, minute, second } = parts;
    return (
      Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) -
      Math.floor(ms / 1000) * 1000
    );
  };
  // What the clocks show is not yet the moment: around a change of them the second guess is right.
  return (atMs) => offsetAt(atMs - offsetAt(atMs));
}
