import { type LogTerm, lineLevels, type LogLine } from "@mainstay/contract";
import { amount } from "@mainstay/testkit/sample.ts";
import fc from "fast-check";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { countLines } from "./count-lines.ts";
import type { SaidLine } from "./incoming-line.ts";
import { lineWriter } from "./line-writer.ts";
import { readLines, type ReadLimits } from "./read-lines.ts";
import { tidyCounts } from "./tidy-counts.ts";

/** The store against PostgreSQL, and against a matcher that is slow and obviously right. */

let app: TestApp;
let said: Required<SaidLine>[];

const now = Date.now();
const from = new Date(now - 3_000_000);
const to = new Date(now + 1_000);

const messages = [
  "GET /health 200",
  "GET /orders/17 500 in 30ms",
  "connection refused: db:5432",
  "Connection REFUSED by peer",
  "100% of _disk_ used",
  "100 of xdiskx used",
  String.raw`C:\temp\new.txt`,
  "Ünïcödé wörter und ÄÖÜ",
  "größe ß straße",
  "line one\nline two",
  "tab\there",
  "a+b=c (d) [e] {f}",
  "",
  "kKK sſS \u212A",
  "emoji 🎉 done",
  "x".repeat(300),
];
const apps = ["web", "api", "", "a b", 'q"uote', "%", "Ä"];

const random = (() => {
  let state = 42;
  return (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
})();

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  said = Array.from({ length: 1_200 }, (_, at) => {
    const level = lineLevels[random(lineLevels.length + 2)];
    const app = apps[random(apps.length + 2)];
    return {
      // Several of a moment, and nanoseconds.
      nanos: BigInt(from.getTime() + random(600) * 1_000) * 1_000_000n + BigInt(random(3)),
      message: `${messages[random(messages.length)]!}${random(3) === 0 ? ` #${at}` : ""}`,
      level: level as Required<SaidLine>["level"],
      labels: {
        ...(app === undefined ? {} : { app }),
        ...(random(2) === 0 ? { pod: `web-${random(5)}` } : {}),
      },
    };
  });
  await app.app.ctx.service(lineWriter).write(said);
});
afterAll(() => app.stop());

/** Word by word what the contract says of a search. */
function isMeant(line: Required<SaidLine>, terms: readonly LogTerm[]): boolean {
  return terms.every((term) => {
    switch (term.kind) {
      case "text":
        return line.message.toLowerCase().includes(term.text.toLowerCase()) !== term.isNot;
      case "label":
        return term.values.includes(labelOf(line, term.label)) !== term.isNot;
      case "level":
        return (line.level !== undefined && term.levels.includes(line.level)) !== term.isNot;
      case "pattern": {
        const text = term.label === "message" ? line.message : labelOf(line, term.label);
        return new RegExp(nativeOf(term.pattern), "u").test(text) !== term.isNot;
      }
    }
  });
}
const labelOf = ({ labels }: Required<SaidLine>, name: string) =>
  (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? "";
/** RE2 as JavaScript writes it, for the few patterns below. */
const natives: Readonly<Record<string, string>> = {
  "(?i)connection": "[cC][oO][nN][nN][eE][cC][tT][iI][oO][nN]",
  "(?i)kk": "[kK\u212A][kK\u212A]",
  "(?s)one.line": "one[^]line",
  [String.raw`\pL{4}`]: String.raw`\p{L}{4}`,
  "[[:digit:]]{3}": "[0-9]{3}",
  [String.raw`(?i)\brefused\b`]: String.raw`\b[rR][eE][fF][uU][sS\u017F][eE][dD]\b`,
};
const nativeOf = (pattern: string) => natives[pattern] ?? pattern;

const isNot = fc.boolean();
const words = fc.constantFrom(
  "get",
  "REFUSED",
  "refused: db",
  "%",
  "_disk_",
  "100%",
  "\\",
  "\\temp",
  "ö",
  "ÄÖÜ",
  "ß",
  "line",
  "one\nline",
  "#1",
  "17",
  "x".repeat(40),
  "🎉",
  "zzz",
  "[e]",
  "a+b=c",
  "e",
);
const patterns = fc.constantFrom(
  "GET|POST",
  "^GET",
  "ms$",
  "^$",
  "one.line",
  "a\\+b=c",
  "[0-9]{3}",
  "x{3,200}",
  "(re)+f",
  "(?i)connection",
  "(?i)kk",
  "(?s)one.line",
  String.raw`\d+ms`,
  String.raw`\w:\\temp`,
  String.raw`\pL{4}`,
  String.raw`\bdb\b`,
  "[[:digit:]]{3}",
  "[^a-z ]+$",
  "",
  "(|x)y?",
  "(refused|REFUSED) by",
  "(orders|health)/? ?[0-9]*",
  "(?:GET|POST) /(hea(lth)|ord.rs)",
  String.raw`\b(orders|refused)\b`,
  String.raw`(?i)\brefused\b`,
  "🎉.d",
);
const term: fc.Arbitrary<LogTerm> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text: words, isNot }),
  fc.record({
    kind: fc.constant("label" as const),
    label: fc.constantFrom("app", "pod", "none", "constructor"),
    values: fc.array(fc.constantFrom(...apps, "web-1", "web-2"), { minLength: 1, maxLength: 3 }),
    isNot,
  }),
  fc.record({
    kind: fc.constant("pattern" as const),
    label: fc.constantFrom("message", "message", "app", "pod"),
    pattern: patterns,
    isNot,
  }),
  fc.record({
    kind: fc.constant("level" as const),
    levels: fc.subarray([...lineLevels], { minLength: 1 }),
    isNot,
  }),
);
const key = (line: Required<SaidLine>) => `${line.nanos} ${line.message}`;
const keyOf = ({ timestamp, message }: LogLine) => {
  const [, fraction = ""] = timestamp.replace("Z", "").split(".");
  return `${BigInt(Math.floor(Date.parse(timestamp) / 1000)) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"))} ${message}`;
};

async function readAll(
  terms: readonly LogTerm[],
  parts: { direction?: "backward" | "forward"; limit?: number; limits?: Partial<ReadLimits> } = {},
): Promise<LogLine[]> {
  const { direction = "backward", limit = 2_000, limits } = parts;
  const lines: LogLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await readLines(
      app.app.ctx,
      {
        search: { terms },
        labels: {},
        from,
        to,
        limit,
        direction,
        ...(cursor !== undefined && { cursor }),
      },
      limits,
    );
    lines.push(...page.lines);
    cursor = page.next;
  } while (cursor !== undefined);
  return lines;
}

describe("reading", () => {
  // Takes long: hundreds of searches, each a few statements.
  test("finds what a slow, obviously right matcher finds, in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(term, { maxLength: 3 }),
        fc.constantFrom("backward" as const, "forward" as const),
        // As if there were far more lines than are looked at first, so that every way of finding is gone.
        fc.constantFrom(20_000, 50),
        async (terms, direction, stretch) => {
          const lines = await readAll(terms, { direction, limits: { stretch } });
          const wanted = said.filter((line) => isMeant(line, terms));
          expect(lines.map(keyOf).toSorted()).toEqual(wanted.map(key).toSorted());
          const moments = lines.map(({ timestamp }) => timestamp.replace("Z", "").padEnd(29, "0"));
          expect(moments).toEqual(
            direction === "forward" ? moments.toSorted() : moments.toSorted().toReversed(),
          );
        },
      ),
      { numRuns: Number(process.env.SEARCHES ?? amount(300, 100)) },
    );
  }, 600_000);

  test.each(["backward", "forward"] as const)(
    "pages %s without a gap or a repetition",
    async (direction) => {
      const whole = await readAll([], { direction });
      expect(whole).toHaveLength(said.length);
      expect(await readAll([], { direction, limit: 7, limits: { stretch: 5 } })).toEqual(whole);
      const levels: LogTerm[] = [{ kind: "level", levels: ["warn", "error"], isNot: false }];
      expect(await readAll(levels, { direction, limit: 7, limits: { stretch: 5 } })).toEqual(
        await readAll(levels, { direction }),
      );
    },
  );

  test("counts what it finds, by level", async () => {
    const step = 60_000;
    for (const terms of [
      [],
      [{ kind: "text", text: "get", isNot: false }],
      [{ kind: "pattern", label: "message", pattern: String.raw`\bdb\b`, isNot: false }],
    ] as LogTerm[][]) {
      const { buckets } = await countLines(app.app.ctx, {
        search: { terms },
        labels: {},
        from,
        to,
        step,
      });
      const wanted = new Map<string, Record<string, number>>();
      for (const line of said.filter((one) => isMeant(one, terms))) {
        const start = new Date(
          Math.floor(Number(line.nanos / 1_000_000n) / step) * step,
        ).toISOString();
        const counts = wanted.get(start) ?? {};
        wanted.set(start, counts);
        counts[line.level ?? "none"] = (counts[line.level ?? "none"] ?? 0) + 1;
      }
      expect(Object.fromEntries(buckets.map(({ start, counts }) => [start, counts]))).toEqual(
        Object.fromEntries(wanted),
      );
    }
  });

  test("counts lines by whomever they are written: a server of an earlier version knows of no counts", async () => {
    const minute = "2026-01-02T03:04:00.000Z";
    await app.db.run(
      sql`insert into log_lines (time, level, message) values ('2026-01-02T03:04:05Z', 5, 'written by another version')`,
    );
    expect(
      await app.db.rows(sql`select level, lines from log_counts where minute = ${minute}`),
    ).toEqual([{ level: 5, lines: 1 }]);
    await app.db.run(sql`delete from log_lines where time = '2026-01-02T03:04:05Z'`);
    await app.db.run(sql`delete from log_counts where minute = ${minute}`);
  });

  test("counts by level what was kept counted, from anywhere to anywhere, before and after it is tidied", async () => {
    const isBad = ({ level }: { level?: string }) => level === "warn" || level === "error";
    for (const isTidy of [false, true]) {
      if (isTidy)
        await tidyCounts({ ...app.app.ctx, clock: { now: () => new Date(now + 600_000) } });
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 700_000 }),
          fc.integer({ min: 1, max: 700_000 }),
          fc.constantFrom(60_000, 120_000, 300_000),
          fc.boolean(),
          async (after, length, step, areBad) => {
            const begin = new Date(from.getTime() + after);
            const end = new Date(begin.getTime() + length);
            const levels = {
              kind: "level" as const,
              levels: ["warn", "error"] as const,
              isNot: false,
            };
            const { buckets } = await countLines(app.app.ctx, {
              search: { terms: areBad ? [{ ...levels, levels: [...levels.levels] }] : [] },
              labels: {},
              from: begin,
              to: end,
              step,
            });
            const wanted = new Map<string, number>();
            for (const { nanos, level } of said) {
              const at = Number(nanos / 1_000_000n);
              if (at < begin.getTime() || at >= end.getTime() || (areBad && !isBad({ level })))
                continue;
              const key = `${Math.floor(at / step) * step} ${level ?? "none"}`;
              wanted.set(key, (wanted.get(key) ?? 0) + 1);
            }
            const found = buckets.flatMap(({ start, counts }) =>
              Object.entries(counts).map(([level, count]) => [
                `${Date.parse(start)} ${level}`,
                count,
              ]),
            );
            expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
          },
        ),
        { numRuns: 60 },
      );
    }
    // Each minute has each level once now.
    const twice = sql`select from log_counts group by minute, level having count(*) > 1`;
    expect(await app.db.rows(twice)).toEqual([]);
  });

  test("stops when its time is over, says so, and goes on from there", async () => {
    const question = {
      search: { terms: [{ kind: "text", text: "nobody says this", isNot: false }] as LogTerm[] },
      labels: {},
      from,
      to,
      limit: 10,
      direction: "backward" as const,
    };
    const page = await readLines(app.app.ctx, question, { budgetMs: 0 });
    expect(page.lines).toEqual([]);
    expect(page.reached).toBe(to.toISOString());
    expect(page.next).toBeDefined();
    const rest = await readLines(app.app.ctx, { ...question, cursor: page.next! });
    expect(rest).toEqual({ lines: [] });
  });

  test("what is cut short in the middle of a microsecond has reached all that it tells", async () => {
    const question = {
      search: { terms: [] },
      labels: {},
      from,
      to,
      limit: 500,
      direction: "forward" as const,
    };
    let told = 0;
    for (let stretch = 1; stretch <= 30; stretch += 1) {
      const page = await readLines(app.app.ctx, question, { stretch, enoughMs: -1 });
      const last = page.lines.at(-1);
      if (page.reached === undefined || last === undefined) continue;
      told += 1;
      const padded = (moment: string) => moment.replace("Z", "").padEnd(29, "0");
      expect(padded(page.reached) >= padded(last.timestamp)).toBe(true);
    }
    expect(told).toBeGreaterThan(0);
  });

  test("a cursor that nobody printed is refused", async () => {
    for (const cursor of ["", "x", "1-2'; drop table log_lines", "9".repeat(40)])
      await expect(
        readLines(app.app.ctx, {
          search: { terms: [] },
          labels: {},
          from,
          to,
          limit: 1,
          direction: "backward",
          cursor,
        }),
      ).rejects.toMatchObject({ code: "invalid" });
  });
});
