import { levelOfSeverity, parseLine } from "../backends/lines/parse-line.ts";
import { readNanos } from "../backends/nanos.ts";
import type { SaidLine } from "../store/incoming-line.ts";

/** Facilities by their number. Source: RFC 5424, section 6.2.1. */
const facilities: readonly string[] =
  "kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 local2 local3 local4 local5 local6 local7".split(
    " ",
  );

const header = /^<(\d{1,3})>1 (\S{1,64}) (\S{1,255}) (\S{1,48}) (\S{1,128}) (\S{1,32}) (?=-|\[)/;
const parameter = /\s+([^\s="\]]{1,128})="((?:[^"\\\]]|\\.)*)"/y;

/** A message of syslog: RFC 5424, or else whatever is like RFC 3164. */
export function parseSyslog(text: string, now: Date): SaidLine {
  const found = header.exec(text);
  if (!found || Number(found[1]) > 191) return older(text, now);
  const [whole, priority = "", time = "", host = "", app = "", pid = "", msgId = ""] = found;
  const labels: Record<string, string> = {
    facility: facilities[Math.floor(Number(priority) / 8)] ?? "",
  };
  for (const [name, value] of Object.entries({ host, app, pid, msgid: msgId }))
    if (value !== "-") labels[name] = value;
  const rest = readData(text, whole.length, labels);
  if (rest === undefined) return older(text, now);
  const nanos = time === "-" ? undefined : readNanos(time);
  return {
    message: text.slice(rest).replace(/^ ?\uFEFF?/, ""),
    level: levelOfSeverity(Number(priority) % 8),
    labels,
    ...(nanos !== undefined && { nanos }),
  };
}

/** Structured data becomes labels, `<id>.<name>`. @returns where it ends; nothing where it is none */
function readData(text: string, start: number, labels: Record<string, string>): number | undefined {
  if (text[start] === "-") return start + 1;
  let at = start;
  while (text[at] === "[") {
    const id = /[^\s="\]]{1,128}/y;
    id.lastIndex = at + 1;
    const [name = ""] = id.exec(text) ?? [];
    at += 1 + name.length;
    for (;;) {
      parameter.lastIndex = at;
      const found = parameter.exec(text);
      if (!found) break;
      labels[`${name.split("@")[0]}.${found[1]}`] = (found[2] ?? "").replaceAll(
        /\\(["\\\]])/g,
        "$1",
      );
      at = parameter.lastIndex;
    }
    if (text[at] !== "]") return undefined;
    at += 1;
  }
  return at;
}

function older(text: string, now: Date): SaidLine {
  const line = parseLine(text, { format: "syslog", now });
  const [, priority] = /^<(\d{1,3})>/.exec(text) ?? [];
  const facility =
    priority === undefined ? undefined : facilities[Math.floor(Number(priority) / 8)];
  return {
    ...line,
    message: priority === undefined ? line.message : line.message.replace(/^<\d{1,3}>/, ""),
    level: priority === undefined ? line.level : levelOfSeverity(Number(priority) % 8),
    labels: { ...line.labels, ...(facility !== undefined && { facility }) },
  };
}
