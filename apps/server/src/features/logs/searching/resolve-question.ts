import { type LogSearch, LogSearchError, parseLogSearch } from "@mainstay/contract";
import { evaluateDateMath } from "@mainstay/data-api/parse/date-math.ts";
import type { Ctx } from "#platform/context.ts";
import { AppError, invalid } from "#platform/errors.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";
import { resolveSelector } from "./component-selector.ts";
import { findSources } from "./find-sources.ts";
import type { LogSource } from "./log-source.ts";

/** What every question for lines says (`logSourceFields` of the contract). */
export interface SaidQuestion {
  id?: string | undefined;
  name?: string | undefined;
  backend?: string | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
  query?: string | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

export interface ResolvedQuestion {
  sources: LogSource[];
  question: LinesQuestion;
}

/** From words to what backends are asked: the component's selector, the search, the range, and who is asked. */
export async function resolveQuestion(ctx: Ctx, said: SaidQuestion): Promise<ResolvedQuestion> {
  const { id, name, backend } = said;
  if (id === undefined && name !== undefined)
    throw new AppError("invalid", "Component ID is required", {
      beside: { error: "ID field is required" },
    });
  const { after, before, ...search } = readSearch(said.query ?? "");
  const now = ctx.clock.now();
  const from = later(readMoment("start", said.start ?? "now-1h", now), after, now);
  const to = earlier(readMoment("end", said.end ?? "now", now), before, now);
  const selected = id === undefined ? { labels: {} } : await resolveSelector(ctx, { id, name });
  const asked = { ...selected, labels: { ...selected.labels, ...said.labels } };
  const sources = await findSources(ctx, { backend, isOfComponent: id !== undefined, asked });
  return { sources, question: { search, ...asked, from, to } };
}

function readSearch(text: string): LogSearch {
  try {
    return parseLogSearch(text);
  } catch (error) {
    if (!(error instanceof LogSearchError)) throw error;
    throw invalid(`The search cannot be read: ${error.message}.`, [
      { path: "query", message: error.message, line: 1, column: error.at + 1 },
    ]);
  }
}

function readMoment(path: string, text: string, now: Date): Date {
  const moment = evaluateDateMath(text.trim(), now);
  if (moment) return moment;
  const message = `"${text.slice(0, 64)}" is no moment: write 2026-01-31T10:00:00Z, 2026-01-31 or now-2h.`;
  throw invalid(message, [{ path, message }]);
}

const later = (date: Date, text: string | undefined, now: Date): Date => {
  const other = text === undefined ? date : readMoment("query", text, now);
  return other > date ? other : date;
};
const earlier = (date: Date, text: string | undefined, now: Date): Date => {
  const other = text === undefined ? date : readMoment("query", text, now);
  return other < date ? other : date;
};
