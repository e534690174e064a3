import {
  type AzureBackend,
  type LineLevel,
  lineLevelOf,
  type LogBucket,
  type LogTerm,
} from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { ApiRefusal, below } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import { asList, asObject, asPlain, asText, readJson } from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import { addTo, bucketStart, sorted } from "../count-by-reading.ts";
import { lineIds } from "../line-ids.ts";
import { flatten, lineOf } from "../line-of.ts";
import type { LinesPage, LinesPageQuestion, LinesQuestion, LogBackend } from "../log-backend.ts";
import { matchLines } from "../match-lines.ts";
import { nanosOf, printNanos, readNanos } from "../nanos.ts";
import { outbound } from "../outbound.ts";
import { type FoundLine, pageByTime } from "../page-by-time.ts";
import {
  columnsOf,
  conditionOf,
  levelColumn,
  levelNumbers,
  lineColumns,
  type LineColumns,
  messageColumn,
  named,
} from "./kql.ts";

const publicCloud = {
  endpoint: "https://api.loganalytics.io",
  login: "https://login.microsoftonline.com",
};
/** Lines of one query. */
const atOnce = 2000;
const mostBody = 64 * 1024 * 1024;
const patienceMs = 5000;

type Row = Readonly<Record<string, unknown>>;
interface Table {
  rows: Row[];
  /** Why there may be more. */
  notice?: string;
}

/** What is said innermost of an error: what is around it only says that there is one. */
function reasonOf(error: unknown, depth = 0): string | undefined {
  const { message, innererror, details } = asObject(error);
  const inner = [innererror, asList(details)[0]]
    .filter((one) => one !== undefined && depth < 5)
    .map((one) => reasonOf(one, depth + 1));
  return inner.find((one) => one !== undefined) ?? asText(message);
}

function authOf({ tenantID, clientID, clientSecret, loginEndpoint }: AzureBackend, base: URL) {
  const missing = [
    !tenantID && "tenantID",
    !clientID?.value && "clientID",
    !clientSecret?.value && "clientSecret",
  ].filter(Boolean);
  if (missing.length > 0)
    throw new Error(`Azure needs ${missing.join(", ")}, or a connection with it.`);
  const { url: login } = readConnection({ url: loginEndpoint || publicCloud.login });
  return {
    kind: "oauth2" as const,
    tokenUrl: below(login, `/${encodeURIComponent(tenantID!)}/oauth2/v2.0/token`),
    clientId: clientID!.value!,
    clientSecret: clientSecret!.value!,
    // Of the same cloud as what is asked.
    scopes: [`${base.origin}/.default`],
    params: {},
  };
}

/** Runs a query of the document with what is asked behind it. */
async function ask(ctx: Ctx, spec: AzureBackend, commands: readonly string[]): Promise<Table> {
  const options = { signal: ctx.signal, connector: ctx.service(outbound) };
  const { url: base } = readConnection({ url: spec.endpoint || publicCloud.endpoint });
  const { json } = await askPatiently(
    {
      url: below(base, `/v1/workspaces/${encodeURIComponent(spec.workspaceID)}/query`),
      method: "POST",
      auth: authOf(spec, base),
      headers: { "content-type": "application/json" },
      // A comment at the end of the document's own query ends with its line.
      body: JSON.stringify({
        query: [spec.query.trim().replace(/[;\s]+$/, ""), ...commands].join("\n| "),
      }),
      maxRedirects: 0,
      mostBody,
    },
    { ...options, what: "Log Analytics", patience: new Patience(patienceMs) },
  ).catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.code === 400 && error.reason !== undefined)
      throw new Error(`Log Analytics cannot read the query: ${error.reason}`);
    throw error;
  });
  const { tables, error } = asObject(json);
  const [table] = asList(tables).map(asObject);
  if (!table || !Array.isArray(table.columns)) throw new Error("what answered is no Log Analytics");
  const columns = table.columns.map(asObject);
  const reason = error === undefined ? undefined : (reasonOf(error) ?? "it does not say why");
  return {
    rows: asList(table.rows).map((row) =>
      Object.fromEntries(
        asList(row).map((value, at) => {
          const { name, type } = columns[at] ?? {};
          const isJson = type === "dynamic" && typeof value === "string";
          return [asPlain(name), isJson ? (readJson(value) ?? value) : value];
        }),
      ),
    ),
    ...(reason !== undefined && {
      notice: `Log Analytics answered in part: ${reason.slice(0, 300)}`,
    }),
  };
}

/** Moments are kept in tenths of a microsecond. */
const tick = 100n;
const datetime = (nanos: bigint) =>
  `datetime(${printNanos(nanos).replace(/(\.\d{7})\d+Z$/, "$1Z")})`;
const upward = (nanos: bigint) => ((nanos + tick - 1n) / tick) * tick;

const levelOf = (word: string): LineLevel | undefined =>
  lineLevelOf(word) ?? (/^[0-4]$/.test(word) ? levelNumbers[Number(word)] : undefined);

function linesOf(rows: readonly Row[], { timestamp, messages }: LineColumns): FoundLine[] {
  const idOf = lineIds();
  const left = new Set([timestamp, messageColumn, levelColumn, ...messages]);
  return rows.flatMap((row): FoundLine[] => {
    const nanos = readNanos(asPlain(row[timestamp]));
    if (nanos === undefined) return [];
    const flat = Object.entries(flatten(row, (name) => left.has(name)));
    const labels = Object.fromEntries(flat.filter(([, value]) => value !== ""));
    const message = (asText(row[messageColumn]) ?? JSON.stringify(labels)).replace(/\r?\n$/, "");
    const level = levelOf(asPlain(row[levelColumn]));
    const id = idOf(nanos, [row]);
    return [{ line: lineOf({ id, nanos, message, labels, level }), nanos, message }];
  });
}

const termsOf = ({ labels, search }: LinesQuestion): LogTerm[] => [
  ...Object.entries(labels).map(([label, value]): LogTerm => ({
    kind: "label",
    label,
    values: [value],
    isNot: false,
  })),
  ...search.terms,
];

function commandsOf(
  columns: LineColumns,
  question: LinesQuestion,
  { from, to, isToIncluded }: { from: bigint; to: bigint; isToIncluded: boolean },
): string[] {
  const time = named(columns.timestamp);
  const end = isToIncluded ? `<= ${datetime((to / tick) * tick)}` : `< ${datetime(upward(to))}`;
  return [
    `where ${time} >= ${datetime(upward(from))} and ${time} ${end}`,
    ...lineColumns(columns),
    ...termsOf(question).map((term) => `where ${conditionOf(term)}`),
  ];
}

async function read(ctx: Ctx, spec: AzureBackend, question: LinesPageQuestion): Promise<LinesPage> {
  const columns = columnsOf(spec);
  const isMeant = matchLines(termsOf(question));
  const order = question.direction === "backward" ? "desc" : "asc";
  const notices = new Set<string>();
  const page = await pageByTime({
    question,
    signal: ctx.signal,
    atOnce,
    isMeant: ({ line, message }) => isMeant({ ...line, message }),
    async readSpan(span) {
      const { rows, notice } = await ask(ctx, spec, [
        ...commandsOf(columns, question, span),
        `order by ${named(columns.timestamp)} ${order}`,
        `take ${span.limit}`,
      ]);
      if (notice !== undefined) notices.add(notice);
      return linesOf(rows, columns);
    },
  });
  const told = [...notices, ...(page.notices ?? [])];
  return { ...page, ...(told.length > 0 && { notices: told }) };
}

async function count(
  ctx: Ctx,
  spec: AzureBackend,
  question: LinesQuestion & { step: number },
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
  const { from, to, step } = question;
  const columns = columnsOf(spec);
  const start = nanosOf(from);
  const origin = nanosOf(new Date(bucketStart(+from, step)));
  const { rows, notice } = await ask(ctx, spec, [
    ...commandsOf(columns, question, { from: start, to: nanosOf(to), isToIncluded: false }),
    `summarize lines = count() by slot = bin_at(${named(columns.timestamp)}, ${step}ms, ${datetime(origin)}), ${levelColumn}`,
  ]);
  const buckets = new Map<number, LogBucket>();
  for (const row of rows) {
    const at = Date.parse(asPlain(row.slot));
    const lines = Number(row.lines);
    const level = levelOf(asPlain(row[levelColumn])) ?? "none";
    if (Number.isFinite(at) && lines > 0) addTo(buckets, { at, step, level, count: lines });
  }
  return { buckets: sorted(buckets), ...(notice !== undefined && { notices: [notice] }) };
}

/** Azure Log Analytics, which is asked in KQL. */
export const azureLogAnalytics: LogBackend<AzureBackend> = {
  type: "azureLogAnalytics",
  askEveryMs: 10_000,
  // It says itself that lines take between seconds and minutes until they are found.
  lateMs: 300_000,
  read,
  count,
};
