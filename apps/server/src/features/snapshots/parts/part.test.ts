import sql from "sql-template-tag";
import { expect, test } from "vitest";
import { testDatabase } from "../../../testing/app.ts";
import { createReader } from "../reader.ts";
import { byOwners, type OwnedRows, type PartSource } from "./part.ts";

/** Owners with so many rows each; the rows of `generate_series` stand for a table. */
const owners = [120, 0, 3, 60].map(
  (count) => `0190a0b4-0000-7000-8000-${String(count).padStart(12, "0")}`,
);

test.each<{ most: number; portion: number; told: number[]; notices: string[] }>([
  { most: 1_000, portion: 1_000, told: [120, 3, 60], notices: [] },
  { most: 1_000, portion: 50, told: [120, 3, 60], notices: [] },
  {
    most: 10,
    portion: 1_000,
    told: [50, 3, 50],
    notices: ["Of 2 items with more, the newest 50 are told."],
  },
  {
    most: 180,
    portion: 1_000,
    told: [60, 3, 60],
    notices: ["Of 1 item with more, the newest 60 are told."],
  },
  {
    most: 180,
    portion: 7,
    told: [60, 3, 60],
    notices: ["Of 1 item with more, the newest 60 are told."],
  },
])(
  "of $most rows in portions of $portion each owner has its share",
  async ({ most, portion, told, notices }) => {
    const { db, drop } = await testDatabase();
    try {
      const said: string[] = [];
      let largest = 0;
      const source: PartSource = {
        ask: createReader({ db, signal: new AbortController().signal, spent: () => undefined }),
        scope: {
          name: "",
          type: undefined,
          componentIds: [],
          itemIds: [],
          checkIds: [],
          notices: [],
        },
        range: { start: new Date(), end: new Date() },
        notice: (text) => said.push(text),
      };
      const wanted: OwnedRows = {
        owners,
        owner: "item",
        most,
        portion,
        matching: sql`from generate_series(1, right(owner.id::text, 12)::int) n`,
        columns: sql`owner.id as of, n`,
        time: sql`n`,
      };
      const found = new Map<unknown, unknown[]>();
      for await (const rows of byOwners(source, wanted)) {
        largest = Math.max(largest, rows.length);
        for (const { of, n } of rows) found.set(of, [...(found.get(of) ?? []), n]);
      }
      expect([...found.values()].map((each) => each.length)).toEqual(told);
      expect(said).toEqual(notices);
      expect(largest).toBeLessThanOrEqual(portion);
      // The newest first, none twice.
      for (const [of, each] of found) {
        const count = Number(String(of).slice(-12));
        expect(each).toEqual(Array.from(each, (_, place) => count - place));
      }
    } finally {
      await drop();
    }
  },
);
