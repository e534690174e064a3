import { randomUUID } from "node:crypto";
import type { AwsScraper } from "@mainstay/contract";
import { type AwsClient, AwsRefusal } from "#platform/outbound/aws/aws-client.ts";
import { pause } from "#platform/outbound/aws/pause.ts";
import type { ScrapedItem } from "../../scraping/scraped.ts";
import { askJson, jsonPages } from "./apis.ts";
import { objectIn, objectsIn, textIn } from "./read-object.ts";

type ItemCosts = NonNullable<ScrapedItem["costs"]>;
export type Report = NonNullable<AwsScraper["costReporting"]>;

/** What things have cost, by the names that the bill has for them. */
export interface Costs {
  of(name: string): ItemCosts | undefined;
  /** The bill was read to its end: what is not in it has cost nothing. */
  isWhole: boolean;
  /** Lines of the bill whose costs are no numbers, and were left out. */
  unread: number;
}
export const noCosts: Costs = { of: () => undefined, isWhole: false, unread: 0 };

/** The last question that was asked, and when: its answer is kept by Athena, and reading it again costs nothing. */
export interface Asked {
  id: string;
  at: string;
}
/** Amazon writes a report up to three times a day. */
const askedEveryMs = 8 * 3600_000;

/** Things that cost anything, the dearest first; more are not read. */
const mostThings = 200_000;
/** How long the answer of a question is waited for, looking again after a while that becomes longer. */
const waiting = { longestMs: 15 * 60_000, firstMs: 500, mostMs: 5_000 };

const word = /^[\w.-]{1,256}$/;

/** A name that can stand in the SQL of Athena. */
function nameIn(name: string | undefined, what: string): string {
  if (name === undefined || !word.test(name))
    throw new Error(`costReporting.${what} is ${name ? "not the name of one" : "missing"}`);
  return name;
}

/** Days back from now that the newest hour of a report may be, and days that are summed from there on. */
const days = { newest: 40, summed: 30 };

interface Named {
  database: string;
  table: string;
}

const tableOf = ({ database, table }: Report): Named => ({
  database: nameIn(database, "database"),
  table: nameIn(table, "table"),
});

/**
 * What keeps Athena from reading more months than are asked for, by the columns by which the table is divided: `year` and
 * `month` where Amazon's own template made it, `billing_period` of exports. Nothing where it is divided otherwise, or by
 * nothing, or where it may not be asked.
 */
async function monthsIn(client: AwsClient, { database, table }: Named, now: Date): Promise<string> {
  let keys: { name: string; isNumber: boolean }[];
  try {
    const answer = await askJson(client, "athena", "GetTableMetadata", {
      CatalogName: "AwsDataCatalog",
      DatabaseName: database,
      TableName: table,
    });
    keys = objectsIn(objectIn(answer, "TableMetadata"), "PartitionKeys").map((key) => ({
      name: textIn(key, "Name").toLowerCase(),
      isNumber: /^(?:tiny|small|big)?int/i.test(textIn(key, "Type")),
    }));
  } catch (error) {
    if (!(error instanceof AwsRefusal)) throw error;
    return "";
  }
  const find = (name: string) => keys.find((key) => key.name === name);
  const [year, month, period] = [find("year"), find("month"), find("billing_period")];
  const months = monthsSince(now, days.newest + days.summed);
  const two = (one: number) => String(one).padStart(2, "0");
  if (period && !period.isNumber)
    return ` and billing_period in (${months.map((one) => `'${one.year}-${two(one.month)}'`).join(", ")})`;
  if (!year || !month) return "";
  const literal = ({ isNumber }: { isNumber: boolean }, values: readonly (number | string)[]) =>
    [...new Set(values.map((value) => (isNumber ? String(Number(value)) : `'${value}'`)))].join(
      ", ",
    );
  const each = months.map(
    (one) =>
      `year = ${literal(year, [one.year])} and month in (${literal(month, [one.month, two(one.month)])})`,
  );
  return ` and (${each.join(" or ")})`;
}

/** The months of the last days, the newest first. */
function monthsSince(now: Date, back: number): { year: number; month: number }[] {
  const oldest = new Date(now.getTime() - back * 86_400_000);
  const months: { year: number; month: number }[] = [];
  for (
    let at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
    at >= new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth()));
    at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1))
  )
    months.push({ year: at.getUTCFullYear(), month: at.getUTCMonth() + 1 });
  return months;
}

/**
 * Costs of the last hour, day, week and month by what is billed, and of the whole account. The report lags behind: time
 * runs back from the newest that it has.
 */
function question({ database, table }: Named, months: string): string {
  const from = `"${database}"."${table}"`;
  const since = (interval: string) =>
    `sum(case when r.line_item_usage_start_date >= n.newest - interval ${interval} then r.line_item_unblended_cost else 0 end)`;
  return `with newest as (select max(line_item_usage_start_date) as newest from ${from}
                           where line_item_usage_start_date >= current_timestamp - interval '${days.newest}' day${months})
select case when grouping(r.line_item_resource_id) = 1 then '' else r.line_item_resource_id end as name,
       r.line_item_usage_account_id as account,
       ${since("'1' hour")} as hour, ${since("'1' day")} as day, ${since("'7' day")} as week, ${since("'30' day")} as month
  from ${from} r cross join newest n
 where r.line_item_usage_start_date >= n.newest - interval '${days.summed}' day${months}
 group by grouping sets ((r.line_item_usage_account_id, r.line_item_resource_id), (r.line_item_usage_account_id))
having grouping(r.line_item_resource_id) = 1 or r.line_item_resource_id <> ''
 order by grouping(r.line_item_resource_id) desc, month desc
 limit ${mostThings + 1000}`;
}

interface CostParts {
  account: string;
  signal: AbortSignal;
  now: Date;
  /** The question before: while the report cannot have changed its answer is read again. */
  before: Asked | undefined;
}

/** Asks Athena over the cost and usage report. */
export async function readCosts(
  client: AwsClient,
  report: Report,
  { account, signal, now, before }: CostParts,
): Promise<{ costs: Costs; asked: Asked }> {
  const age = before === undefined ? Number.POSITIVE_INFINITY : +now - Date.parse(before.at);
  if (before && age >= 0 && age < askedEveryMs)
    try {
      return { costs: await readAnswer(client, before.id, account), asked: before };
    } catch (error) {
      // Somebody has deleted it.
      if (!(error instanceof AwsRefusal)) throw error;
    }
  const named = tableOf(report);
  const months = await monthsIn(client, named, now);
  const id = await ask(client, { report, text: question(named, months) }, signal);
  return { costs: await readAnswer(client, id, account), asked: { id, at: now.toISOString() } };
}

async function readAnswer(client: AwsClient, id: string, account: string): Promise<Costs> {
  const costs = new Map<string, ItemCosts>();
  let isHeader = true;
  let unread = 0;
  const pages = jsonPages(client, "athena", "GetQueryResults", {
    input: { QueryExecutionId: id, MaxResults: 1000 },
    asked: "NextToken",
  });
  for await (const page of pages)
    for (const row of objectsIn(objectIn(page, "ResultSet"), "Rows")) {
      const [name = "", owner, ...sums] = objectsIn(row, "Data").map((cell) =>
        textIn(cell, "VarCharValue"),
      );
      if (isHeader) {
        isHeader = false;
        continue;
      }
      if (owner !== account || costs.size >= mostThings) continue;
      // What is nothing was billed to nobody in that time.
      const [hour = 0, day = 0, week = 0, month = 0] = sums.map(Number);
      if (![hour, day, week, month].every(Number.isFinite)) unread += 1;
      else costs.set(name === "" ? account : name, { perMinute: hour / 60, day, week, month });
    }
  return {
    of: (name) => costs.get(name),
    isWhole: costs.has(account) && costs.size < mostThings && unread === 0,
    unread,
  };
}

/** The id of a question that has been answered. @throws Error when it cannot be */
async function ask(
  client: AwsClient,
  { report, text }: { report: Report; text: string },
  signal: AbortSignal,
): Promise<string> {
  const started = await askJson(client, "athena", "StartQueryExecution", {
    QueryString: text,
    // Sent again, it is the same question.
    ClientRequestToken: randomUUID(),
    ...(report.database && { QueryExecutionContext: { Database: report.database } }),
    ...(report.s3BucketPath && { ResultConfiguration: { OutputLocation: report.s3BucketPath } }),
  });
  const id = textIn(started, "QueryExecutionId");
  const until = performance.now() + waiting.longestMs;
  for (let wait = waiting.firstMs; ; wait = Math.min(wait * 2, waiting.mostMs)) {
    const answer = await askJson(client, "athena", "GetQueryExecution", { QueryExecutionId: id });
    const status = objectIn(objectIn(answer, "QueryExecution"), "Status");
    const state = textIn(status, "State");
    if (state === "SUCCEEDED") return id;
    if (state === "FAILED" || state === "CANCELLED")
      throw new Error(`Athena: ${textIn(status, "StateChangeReason") || state}`);
    if (performance.now() > until) throw new Error("Athena did not answer in time");
    await pause(wait, signal);
  }
}
