/** What a plan measured, from the log that JMeter writes as comma-separated values. */
export interface JmeterLog {
  samples: number;
  elapsedMs: number;
  failed: number;
  /** The first of those that failed. */
  failures: { label: string; code: string; message: string }[];
}

/** The log is none; the message says why. */
export class WrongLog extends Error {}

const mostFailures = 20;
const longestText = 300;
const mostColumns = 100;

/** The rows of comma-separated values; quoted ones may hold commas, quotes written twice, and ends of lines. */
export function* rowsOf(text: string): Generator<string[]> {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  let row: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const found = field.exec(text);
    if (!found || (found[0] === "" && at < text.length))
      throw new WrongLog(`it is broken at character ${at}`);
    const [, quoted, plain = "", end] = found;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (row.length > mostColumns) throw new WrongLog(`a row has more than ${mostColumns} columns`);
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") yield row;
    row = [];
  }
  if (row.length > 0) yield [...row, ""];
}

/** What was wanted of an answer says why it is wrong; where there was none, what went wrong on the way comes first. */
function whyFailed(code: string, [answered, wanted]: [answered: string, wanted: string]): string {
  if (wanted === "") return answered;
  return /^\d+$/.test(code) || answered === "" ? wanted : `${answered}: ${wanted}`;
}

/** @throws WrongLog */
export function readJmeterLog(text: string): JmeterLog {
  const rows = rowsOf(text);
  const names: string[] = rows.next().value ?? [];
  const [elapsed, success] = ["elapsed", "success"].map((name) => names.indexOf(name)) as [
    number,
    number,
  ];
  if (elapsed < 0 || success < 0)
    throw new WrongLog("its first line does not name the columns elapsed and success");
  const log: JmeterLog = { samples: 0, elapsedMs: 0, failed: 0, failures: [] };
  const shown = (row: readonly string[], name: string) =>
    (row[names.indexOf(name)] ?? "").slice(0, longestText);
  for (const row of rows) {
    const ms = Number(row[elapsed]);
    if (row.length !== names.length || !Number.isFinite(ms) || ms < 0)
      throw new WrongLog(`the line of its sample ${log.samples + 1} cannot be read`);
    log.samples += 1;
    log.elapsedMs += ms;
    if (row[success] === "true") continue;
    log.failed += 1;
    if (log.failures.length < mostFailures)
      log.failures.push({
        label: shown(row, "label"),
        code: shown(row, "responseCode"),
        message: whyFailed(shown(row, "responseCode"), [
          shown(row, "responseMessage"),
          shown(row, "failureMessage"),
        ]),
      });
  }
  return log;
}
