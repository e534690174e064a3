import { type LogContext, type LogLine, ownLogStore } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { invalid, notFound } from "#platform/errors.ts";
import { lineAt } from "../store/line-at.ts";
import { askSource, failureOfAll } from "./ask-source.ts";
import { listSources } from "./find-sources.ts";
import type { LogSource } from "./log-source.ts";
import { resolveQuestion, type SaidQuestion } from "./resolve-question.ts";

const usualLines = 10;
/** How far around a line its neighbours are looked for. */
const spanMs = 86_400_000;
/** Lines that are looked through for the one that is meant, of a backend that finds none by its id. */
const mostAtOnce = 500;

export interface SaidContext extends SaidQuestion {
  line: string;
  timestamp?: string | undefined;
  before?: number | undefined;
  after?: number | undefined;
}

/** What stands before and after a line, whatever was searched for: lines with the same labels, of any level. */
export async function readContext(ctx: Ctx, said: SaidContext): Promise<LogContext> {
  ctx.require("logging_backends", "read");
  const { backend = ownLogStore, before = usualLines, after = usualLines } = said;
  const sources = await listSources(ctx);
  const source = sources.find(({ id, name }) => id === backend || name === backend);
  if (!source) throw notFound("There is no such log backend.");
  const outcome = await askSource(ctx, source, (bounded) =>
    source.id === ownLogStore
      ? ofStore(bounded, source, { line: said.line, before, after })
      : ofBackend(bounded, source, { said, before, after }),
  );
  if ("error" in outcome) throw failureOfAll([outcome]);
  return outcome.answer;
}

async function ofStore(
  ctx: Ctx,
  source: LogSource,
  { line: id, before, after }: { line: string; before: number; after: number },
): Promise<LogContext> {
  const line = await lineAt(ctx, id);
  if (!line) throw notFound("The line is gone: it was too old, or there was no room for it.");
  const at = Date.parse(line.timestamp);
  // An error is understood by what was said before it, which was none.
  const { level: _level, ...labels } = line.labels;
  const question = {
    search: { terms: [] },
    labels,
    from: new Date(at - spanMs),
    to: new Date(at + spanMs),
    cursor: id,
  };
  const [back, on] = await Promise.all([
    before === 0
      ? undefined
      : source.read(ctx, { ...question, direction: "backward", limit: before }),
    after === 0 ? undefined : source.read(ctx, { ...question, direction: "forward", limit: after }),
  ]);
  return contextOf({
    back: back?.lines,
    line,
    on: on?.lines,
    notices: [back, on].flatMap((page) => [
      ...(page?.notices ?? []),
      ...(page?.reached === undefined
        ? []
        : [`Lines were looked for up to ${page.reached} in the time that there is.`]),
    ]),
    source,
  });
}

/** By its moment: forward from the millisecond it is in, and back from the one behind. */
async function ofBackend(
  ctx: Ctx,
  source: LogSource,
  { said, before, after }: { said: SaidContext; before: number; after: number },
): Promise<LogContext> {
  const at = Date.parse(said.timestamp ?? "");
  if (Number.isNaN(at)) {
    const message = "This backend finds a line by its moment: send its timestamp.";
    throw invalid(message, [{ path: "timestamp", message }]);
  }
  const { question } = await resolveQuestion(ctx, { ...said, query: "", backend: source.id });
  const around = { ...question, search: { terms: [] } };
  const read = (direction: "backward" | "forward", from: number, to: number, limit: number) =>
    source.read(ctx, { ...around, from: new Date(from), to: new Date(to), direction, limit });
  const [back, on] = await Promise.all([
    read("backward", at - spanMs, at + 1, Math.min(before + mostAtOnce, 1_000)),
    read("forward", at, at + spanMs, Math.min(after + mostAtOnce, 1_000)),
  ]);
  const inBack = back.lines.findIndex(({ id }) => id === said.line);
  const inOn = on.lines.findIndex(({ id }) => id === said.line);
  const line = back.lines[inBack] ?? on.lines[inOn];
  if (!line) throw notFound("The line is gone, or the backend does not tell it from others.");
  return contextOf({
    back: inBack < 0 ? [] : back.lines.slice(inBack + 1, inBack + 1 + before),
    line,
    on: inOn < 0 ? [] : on.lines.slice(inOn + 1, inOn + 1 + after),
    notices: [...new Set([...(back.notices ?? []), ...(on.notices ?? [])])],
    source,
  });
}

function contextOf(parts: {
  back: LogLine[] | undefined;
  line: LogLine;
  on: LogLine[] | undefined;
  notices: string[];
  source: LogSource;
}): LogContext {
  const { back = [], line, on = [], notices, source } = parts;
  const told = (one: LogLine): LogLine => ({ ...one, backend: source.id });
  return {
    before: back.toReversed().map(told),
    line: told(line),
    after: on.map(told),
    ...(notices.length > 0 && { notices }),
  };
}
