import { randomUUID } from "node:crypto";
import type { AwsScraper } from "@mainstay/contract";
import type { AwsClient } from "#platform/outbound/aws/aws-client.ts";
import { pause } from "#platform/outbound/aws/pause.ts";
import type { ScrapedItem } from "../../scraping/scraped.ts";
import { askJson, jsonPages } from "./apis.ts";
import { objectIn, objectsIn, textIn } from "./read-object.ts";

type ItemCosts = NonNullable<ScrapedItem["costs"]>;
export type Report = NonNullable<AwsScraper["costReporting"]>;

/** What things have cost, by the names that the bill has for them. */
export interface Costs {
  of(name: string): ItemCosts | undefined;
}
export const noCosts: Costs = { of: () => undefined };

/** Things that cost anything, the dearest first; more are not read. */
const mostThings = 200_000;
/** How long the answer of a question is waited for, looking again after a while that becomes longer. */
const waiting = { longestMs: 15 * 60_000, firstMs: 500, mostMs: 5_000 };

const word = /^[\w.-]{1,256}$/;

/** A name in the SQL of Athena. */
function quoted(name: string | undefined, what: string): string {
  if (name === undefined || !word.test(name))
    throw new Error(`costReporting.${what} is ${name ? "not the name of one" : "missing"}`);
  return `"${name}"`;
}

/**
 * Costs of the last hour, day, week and month by what is billed, and of the whole account. The report lags behind: time
 * runs back from the newest that it has.
 */
function question({ database, table }: Report): string {
  const from = `${quoted(database, "database")}.${quoted(table, "table")}`;
  const since = (interval: string) =>
    `sum(case when r.line_item_usage_start_date >= n.newest - interval ${interval} then r.line_item_unblended_cost else 0 end)`;
  return `with newest as (select max(line_item_usage_start_date) as newest from ${from}
                           where line_item_usage_start_date >= current_timestamp - interval '40' day)
select case when grouping(r.line_item_resource_id) = 1 then '' else r.line_item_resource_id end as name,
       r.line_item_usage_account_id as account,
       ${since("'1' hour")} as hour, ${since("'1' day")} as day, ${since("'7' day")} as week, ${since("'30' day")} as month
  from ${from} r cross join newest n
 where r.line_item_usage_start_date >= n.newest - interval '30' day
 group by grouping sets ((r.line_item_usage_account_id, r.line_item_resource_id), (r.line_item_usage_account_id))
having grouping(r.line_item_resource_id) = 1 or r.line_item_resource_id <> ''
 order by grouping(r.line_item_resource_id) desc, month desc
 limit ${mostThings + 1000}`;
}

/** Asks Athena over the cost and usage report. */
export async function readCosts(
  client: AwsClient,
  report: Report,
  { account, signal }: { account: string; signal: AbortSignal },
): Promise<Costs> {
  const id = await ask(client, report, signal);
  const costs = new Map<string, ItemCosts>();
  let isHeader = true;
  const pages = jsonPages(client, "athena", "GetQueryResults", {
    input: { QueryExecutionId: id, MaxResults: 1000 },
    asked: "NextToken",
  });
  for await (const page of pages)
    for (const row of objectsIn(objectIn(page, "ResultSet"), "Rows")) {
      const [name = "", owner, hour, day, week, month] = objectsIn(row, "Data").map((cell) =>
        textIn(cell, "VarCharValue"),
      );
      if (isHeader) {
        isHeader = false;
        continue;
      }
      if (owner !== account || costs.size >= mostThings) continue;
      costs.set(name === "" ? account : name, {
        perMinute: Number(hour) / 60,
        day: Number(day),
        week: Number(week),
        month: Number(month),
      });
    }
  return { of: (name) => costs.get(name) };
}

/** The id of a question that has been answered. @throws Error when it cannot be */
async function ask(client: AwsClient, report: Report, signal: AbortSignal): Promise<string> {
  const started = await askJson(client, "athena", "StartQueryExecution", {
    QueryString: question(report),
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
