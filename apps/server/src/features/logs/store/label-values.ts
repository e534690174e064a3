import type { LogLabels } from "@mainstay/contract";
import sql from "sql-template-tag";
import { defineService } from "#platform/service.ts";

/** The newest lines, whose labels are looked at. */
const lines = 20_000;
const most = { names: 100, values: 50 };
/** How old an answer may be: labels hardly change, and whoever types asks again and again. */
const freshMs = 15_000;
const longestMs = 5_000;

/** Names and values of labels, for whoever writes a search: of lines that came lately, the most frequent first. */
export const labelValues = defineService("log labels", ({ db }) => {
  let known: { at: number; labels: Promise<LogLabels["labels"]> } | undefined;

  async function look(): Promise<LogLabels["labels"]> {
    const rows = await db.transaction(
      (tx) =>
        tx.rows<{ name: string; value: string }>(sql`
          select key as name, value from (
            select key, value, count(*) as uses, row_number() over (partition by key order by count(*) desc, value) as place
              from (select labels from log_lines order by time desc, nanos desc, id desc limit ${lines}) l,
                   jsonb_each_text(labels)
             group by 1, 2) v
           where place <= ${most.values} and value <> '' order by key, place limit ${most.names * most.values}`),
      { settings: { statement_timeout: String(longestMs) } },
    );
    const byName = new Map<string, string[]>();
    for (const { name, value } of rows) {
      const values = byName.get(name);
      if (values) values.push(value);
      else if (byName.size < most.names) byName.set(name, [value]);
    }
    return [...byName].map(([name, values]) => ({ name, values }));
  }

  return {
    get(): Promise<LogLabels["labels"]> {
      if (!known || performance.now() - known.at > freshMs) {
        const labels = look();
        const fresh = { at: performance.now(), labels };
        known = fresh;
        labels.catch(() => {
          if (known === fresh) known = undefined;
        });
      }
      return known.labels;
    },
  };
});
