import type { ResourceSelector } from "@mainstay/contract";
import type { LookUp } from "@mainstay/data-api/declare.ts";
import { lookUpAll } from "@mainstay/data-api/look-up.ts";
import sql, { empty } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { defineService } from "#platform/service.ts";
import { searchable, selectorCondition } from "#features/search/index.ts";
import { configItem } from "./resources.ts";

/** Values of one tag that are told. */
const mostValues = 1000;
const longestMs = 5000;

/** The values that items have under a tag, in order; of the items that a selector selects. */
export const tagValues = defineService(
  "values of tags",
  ({ db, clock }: Pick<Ctx, "db" | "clock">) =>
    (tag: string, selector?: ResourceSelector): Promise<string[]> => {
      const lookUps: LookUp[] = [];
      const options = { now: clock.now(), path: "selector", lookUps };
      const where = selector
        ? sql`and ${selectorCondition(searchable(configItem), [selector], options)}`
        : empty;
      return db.transaction(
        async (tx) => {
          await lookUpAll(lookUps, (asked) => tx.rows(asked));
          const rows = await tx.rows<{ value: string }>(sql`
            select distinct config_items.tags ->> ${tag} as value from config_items
             where config_items.deleted_at is null and config_items.tags ? ${tag} ${where}
             order by 1 limit ${mostValues}`);
          return rows.map(({ value }) => value).filter((value) => value !== "");
        },
        { settings: { statement_timeout: String(longestMs) } },
      );
    },
);
