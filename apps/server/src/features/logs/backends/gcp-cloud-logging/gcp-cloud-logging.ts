import { type GcpBackend, lineLevelOf, type LogTerm } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { googleToken, readGoogleKey } from "#platform/outbound/google/google-token.ts";
import { ApiRefusal, below } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import { flatten, levelIn, lineOf } from "../line-of.ts";
import { parseLine } from "../lines/parse-line.ts";
import type { LinesPage, LinesPageQuestion, LogBackend } from "../log-backend.ts";
import { matchLines } from "../match-lines.ts";
import { printNanos, readNanos } from "../nanos.ts";
import { outbound } from "../outbound.ts";
import { type FoundLine, pageByTime, type TimeSpan } from "../page-by-time.ts";
import { loggingConditions, messageFields, unsaid } from "./logging-filter.ts";

const ownAddress = "https://logging.googleapis.com";
/** Entries that are given at once. */
const atOnce = 1000;
const mostBody = 64 * 1024 * 1024;
/** How long is waited for a place within the quota of a project, which is of requests a minute. */
const patienceMs = 5000;

type Ask = (body: object) => Promise<Readonly<Record<string, unknown>>>;

/** Asks for entries, as whom a document names. */
async function open(ctx: Ctx, spec: GcpBackend): Promise<Ask> {
  const { skipTLSVerify, endpoint } = spec;
  const credentials = spec.credentials?.value;
  const options = { signal: ctx.signal, connector: ctx.service(outbound) };
  const address = endpoint || ownAddress;
  const { url } = readConnection({ url: address.includes("://") ? address : `https://${address}` });
  const tokenOf = async (refused?: string) =>
    credentials ? googleToken(credentials, { ...options, skipTLSVerify, refused }) : undefined;
  let token = await tokenOf();
  const patience = new Patience(patienceMs);
  const askAs = (body: object) =>
    askPatiently(
      {
        url: below(url, "/v2/entries:list"),
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        maxRedirects: 0,
        mostBody,
        ...(token !== undefined && { auth: { kind: "bearer", token } }),
        ...(skipTLSVerify && { tls: { insecureSkipVerify: true } }),
      },
      { ...options, what: "Cloud Logging", patience },
    );
  return async (body) => {
    const { json } = await askAs(body)
      .catch(async (error: unknown) => {
        // One that was kept may have been taken back meanwhile.
        if (!(error instanceof ApiRefusal) || error.code !== 401 || token === undefined)
          throw error;
        token = await tokenOf(token);
        return askAs(body);
      })
      .catch((error: unknown) => {
        if (error instanceof ApiRefusal && error.code === 400 && error.reason !== undefined)
          throw new Error(`Cloud Logging cannot read the filter: ${error.reason}`);
        throw error;
      });
    const answer = asObject(json);
    // A page without entries may name the next one, and the last one be empty.
    const isOne = "entries" in answer || "nextPageToken" in answer;
    if (!isOne && (Object.keys(answer).length > 0 || json !== answer))
      throw new Error("what answered is no Cloud Logging");
    return answer;
  };
}

/** Whose lines are meant: the project of the key where nothing is said. */
function resourceNamesOf({ resourceNames = [], project, credentials }: GcpBackend): string[] {
  const own = project || asText(credentials?.value && readGoogleKey(credentials.value).project_id);
  const names = resourceNames.length > 0 ? resourceNames : own ? [own] : [];
  if (names.length === 0) throw new Error("project is missing: it says whose lines are meant");
  return names.map((name) => (name.includes("/") ? name : `projects/${name}`));
}

/** The message of an entry: its text, or what a payload calls one; the whole payload where there is none. */
function messageOf(entry: Readonly<Record<string, unknown>>): { message: string; field?: string } {
  if (typeof entry.textPayload === "string") return { message: entry.textPayload };
  const json = asObject(entry.jsonPayload);
  const field = messageFields.find((name) => typeof json[name] === "string");
  return field === undefined
    ? { message: JSON.stringify(entry.jsonPayload ?? entry.protoPayload ?? {}) }
    : { message: asPlain(json[field]), field: `jsonPayload.${field}` };
}

function lineIn(found: unknown, now: Date): FoundLine | undefined {
  const entry = asObject(found);
  const nanos = readNanos(asPlain(entry.timestamp));
  if (nanos === undefined) return undefined;
  const { logName, severity, resource, labels, trace, spanId, httpRequest } = entry;
  const { jsonPayload, protoPayload, operation, sourceLocation } = entry;
  const { message, field } = messageOf(entry);
  const text = message.replace(/\r?\n$/, "");
  // The first hundred count.
  const flat = flatten(
    {
      logName,
      severity,
      resource,
      labels,
      trace,
      spanId,
      httpRequest,
      jsonPayload,
      protoPayload,
      operation,
      sourceLocation,
    },
    (name) => name === field,
  );
  const word = asPlain(severity);
  const level =
    word === "" || word === unsaid
      ? (levelIn(flatten(asObject(jsonPayload))) ?? parseLine(text, { now }).level)
      : lineLevelOf(word);
  const id = `${nanos}-${asPlain(entry.insertId)}-${asPlain(logName)}`;
  return { line: lineOf({ id, nanos, message: text, labels: flat, level }), nanos, message: text };
}

/** Entries of a span, page by page: one may be empty and name the next. */
async function entriesOf(
  ask: Ask,
  body: object,
  { limit, now }: { limit: number; now: Date },
): Promise<FoundLine[]> {
  const found: FoundLine[] = [];
  let pageToken: string | undefined;
  do {
    const answer = await ask({
      ...body,
      pageSize: limit - found.length,
      ...(pageToken !== undefined && { pageToken }),
    });
    for (const entry of asList(answer.entries)) {
      const line = lineIn(entry, now);
      if (line && found.length < limit) found.push(line);
    }
    const next = asText(answer.nextPageToken);
    if (next !== undefined && next === pageToken)
      throw new Error("Cloud Logging gives the same page of entries again");
    pageToken = next;
  } while (pageToken !== undefined && found.length < limit);
  return found;
}

const isWithin = ({ from, to, isToIncluded }: TimeSpan) => [
  `timestamp>="${printNanos(from)}"`,
  `timestamp${isToIncluded ? "<=" : "<"}"${printNanos(to)}"`,
];

async function read(ctx: Ctx, spec: GcpBackend, question: LinesPageQuestion): Promise<LinesPage> {
  const { labels, search, direction } = question;
  const ofLabels = Object.entries(labels).map(([label, value]): LogTerm => ({
    kind: "label",
    label,
    values: [value],
    isNot: false,
  }));
  const terms = [...ofLabels, ...search.terms];
  const isMeant = matchLines(terms);
  const own = spec.filter?.trim();
  const conditions = [
    // A comment at its end would swallow the bracket.
    ...(own ? [`(${own}\n)`] : []),
    ...loggingConditions(terms),
  ];
  const resourceNames = resourceNamesOf(spec);
  const ask = await open(ctx, spec);
  return pageByTime({
    question,
    signal: ctx.signal,
    atOnce,
    isMeant: ({ line, message }) => isMeant({ ...line, message }),
    readSpan: (span) =>
      entriesOf(
        ask,
        {
          resourceNames,
          filter: [...isWithin(span), ...conditions].join("\nAND "),
          orderBy: direction === "backward" ? "timestamp desc" : "timestamp asc",
        },
        { limit: span.limit, now: ctx.clock.now() },
      ),
  });
}

/** Google Cloud Logging, whose entries are listed with filters of its own language. */
export const gcpCloudLogging: LogBackend<GcpBackend> = {
  type: "gcpCloudLogging",
  askEveryMs: 10_000,
  lateMs: 60_000,
  read,
};
