import { type LogLine, logLimits, type LogTailEvents } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";
import { matchLines } from "../backends/match-lines.ts";
import { askSource, tellSource } from "../searching/ask-source.ts";
import type { LogSource } from "../searching/log-source.ts";
import { conditionsOf } from "../store/conditions.ts";
import { columns, lineOf, type Row } from "../store/read-lines.ts";
import type { LineFeed, Portion } from "./line-feed.ts";

/** Lines of the past that a tail begins with, at most. */
const mostPast = logLimits.lines;

interface FollowingStore {
  feed: LineFeed;
  source: LogSource;
  question: LinesQuestion;
  /** Lines since the moment of the question are told, or those behind a number. */
  past: "none" | "moment" | { behind: number };
  /** `number` is that up to which all lines were looked at. */
  tellLines(lines: LogLine[], number: number): void;
  tellSlowly(lines: LogLine[], number: number): Promise<void>;
  tell<Name extends "skipped" | "notice">(name: Name, data: LogTailEvents[Name]): void;
}

/** The store's lines: those of the past that are asked for, then what comes, whenever it is dated. */
export async function followStore(ctx: Ctx, following: FollowingStore): Promise<void> {
  const { feed, source, question, past, tell, tellLines, tellSlowly } = following;
  const matches = matchLines(question.search.terms, question.labels);
  /** Lines of the past: some may be announced only after they were found. */
  let known = new Set<string>();
  let held: Portion[] | undefined = [];
  const pass = ({ lines, skipped, upTo }: Portion) => {
    const wanted = lines.filter(({ line }) => !known.has(line.id) && matches(line));
    if (skipped > 0) tell("skipped", { count: skipped });
    tellLines(
      wanted.map(({ line }) => line),
      upTo,
    );
  };
  const leave = feed.subscribe((portion) => {
    if (held) held.push(portion);
    else pass(portion);
  });
  ctx.signal.addEventListener("abort", leave);
  if (ctx.signal.aborted) return leave();
  const now = await feed.now();
  if (past === "none") tellLines([], now);
  else {
    const outcome = await askSource(ctx, source, async (bounded) =>
      past === "moment"
        ? (
            await source.read(bounded, {
              ...question,
              direction: "backward",
              limit: mostPast + 1,
            })
          ).lines
        : linesBehind(bounded, question, past.behind),
    );
    if ("error" in outcome) {
      tell("notice", { notices: [], sources: [tellSource(source, outcome.error.message)] });
    } else {
      const found = outcome.answer;
      known = new Set(found.map(({ id }) => id));
      // Whoever begins has not been told of any; whoever comes again would take what comes now for all of it.
      if (past !== "moment" && found.length > mostPast)
        tell("notice", {
          notices: [
            `More than ${mostPast} lines came meanwhile: the older ones are not among these.`,
          ],
        });
      await tellSlowly(found.slice(0, mostPast).toReversed(), now);
    }
  }
  // While those of the past were told others may have come.
  for (let portion = held.shift(); portion; portion = held.shift()) pass(portion);
  held = undefined;
}

/** What came behind a line, whenever it is dated: the last of it, the newest first. */
async function linesBehind(ctx: Ctx, question: LinesQuestion, number: number): Promise<LogLine[]> {
  const { where, rest } = conditionsOf(question);
  const matches = matchLines(rest);
  const rows = await ctx.db.transaction(
    (tx) =>
      tx.rows<Row>(sql`
        select ${columns} from log_lines where id > ${number}${where} order by id desc limit ${mostPast + 1}`),
    {
      signal: ctx.signal,
      settings: { statement_timeout: "10000", plan_cache_mode: "force_custom_plan" },
    },
  );
  return rows.map((row) => lineOf(row)).filter((line) => matches(line));
}
