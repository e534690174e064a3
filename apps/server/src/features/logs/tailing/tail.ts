import { PassThrough } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { type LogLine, type LogTailEvents, logLimits, ownLogStore } from "@mainstay/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "#platform/context.ts";
import { tooMany } from "#platform/errors.ts";
import type { Services } from "#platform/feature.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";
import { matchLines } from "../backends/match-lines.ts";
import { askSource, tellSource } from "../searching/ask-source.ts";
import type { LogSource } from "../searching/log-source.ts";
import { resolveQuestion, type SaidQuestion } from "../searching/resolve-question.ts";
import { createLineFeed, type FedLine } from "./line-feed.ts";

const EVENT_STREAM = "text/event-stream; charset=utf-8";
const pingMs = 15_000;
/** Then the page comes again and is asked who it is: a session that has ended, or a right that is gone, ends here. */
const lifetimeMs = 60_000;
const reconnectMs = 500;
/** Open tails of one person, and of all. */
const tails = { each: 5, all: 500 };
/** What a page that does not read may leave waiting; what comes then is counted, and told when it reads again. */
const mostWaiting = 256 * 1024;
/** How often a backend is asked that tells nothing by itself, and does not say how often it may be. */
const askMs = 2_000;
/** Lines of the past that a tail begins with, at most. */
const mostPast = logLimits.lines;

type Tell = <Name extends keyof LogTailEvents>(
  name: Name,
  data: LogTailEvents[Name],
  id?: string,
) => void;

/** `GET /api/logs/tail`: lines as they come, as server-sent events (`LogTailEvents`). */
export function createTail({ ctx: program, listener, stopping }: Services) {
  const feed = createLineFeed({ ctx: program, listener });
  const open = new Map<string, number>();
  let all = 0;

  return async (
    asked: Ctx,
    said: Omit<SaidQuestion, "end">,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<FastifyReply> => {
    asked.require("logging_backends", "read");
    const since = sinceOf(request);
    const start = since?.moment ?? said.start;
    const { sources, question } = await resolveQuestion(asked, {
      ...said,
      start: start ?? "now",
      end: "now+1d",
    });
    if (request.method === "HEAD") return reply.type(EVENT_STREAM).send();
    await feed.listen();
    const name = asked.actor.kind === "person" ? asked.actor.id : networkOf(request.ip);
    const mine = open.get(name) ?? 0;
    if (mine >= tails.each || all >= tails.all)
      throw tooMany("Too many pages follow logs. Close some of them.");
    open.set(name, mine + 1);
    all += 1;

    const ending = new AbortController();
    const ctx = asked.with({ signal: AbortSignal.any([asked.signal, ending.signal, stopping]) });
    const body = new PassThrough();
    const end = () => body.end();
    let skipped = 0;
    const write = (text: string): boolean => {
      if (body.writableEnded || body.destroyed) return false;
      if (body.readableLength + body.writableLength > mostWaiting) return false;
      body.write(text);
      return true;
    };
    const tell: Tell = (event, data, id) => {
      const text = `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      if (skipped > 0 && write(eventOf("skipped", { count: skipped }))) skipped = 0;
      if (skipped > 0 || !write(text))
        skipped += "lines" in data ? data.lines.length : "count" in data ? data.count : 0;
    };
    const ping = setInterval(() => {
      if (skipped > 0 && write(eventOf("skipped", { count: skipped }))) skipped = 0;
      write(": here\n\n");
    }, pingMs);
    body.on("drain", () => {
      if (skipped > 0 && write(eventOf("skipped", { count: skipped }))) skipped = 0;
    });
    // Not all at the same moment.
    const lifetime = setTimeout(end, lifetimeMs * (0.9 + Math.random() * 0.2));
    stopping.addEventListener("abort", end);
    body.once("close", () => {
      ending.abort(new Error("The page has gone."));
      clearInterval(ping);
      clearTimeout(lifetime);
      stopping.removeEventListener("abort", end);
      const left = (open.get(name) ?? 1) - 1;
      if (left > 0) open.set(name, left);
      else open.delete(name);
      all -= 1;
    });
    body.write(`retry: ${reconnectMs}\n\n`);
    for (const source of sources) {
      const isPast = start !== undefined;
      const following =
        source.id === ownLogStore
          ? followStore(ctx, { feed, question, tell, source, isPast, number: since?.number })
          : followBackend(ctx, { source, question, tell });
      following.catch((error: unknown) => {
        if (ctx.signal.aborted) return;
        ctx.log.error({ err: error, backend: source.name }, "a log backend could not be followed");
        end();
      });
    }
    if (stopping.aborted) end();
    return reply
      .type(EVENT_STREAM)
      .header("cache-control", "no-store")
      .header("x-accel-buffering", "no")
      .send(body);
  };
}

const eventOf = <Name extends keyof LogTailEvents>(name: Name, data: LogTailEvents[Name]) =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Where a page that comes again was: the number of the last line of the store, and the moment of the last of any. */
const printId = (number: number, timestamp: string) => `${number}~${timestamp}`;

function sinceOf(request: FastifyRequest): { number: number; moment: string } | undefined {
  const id = request.headers["last-event-id"];
  const found =
    typeof id === "string" ? /^(\d{1,15})~(\d{4}-\d\d-\d\dT[\d:.]{8,18}Z)$/.exec(id) : undefined;
  return found ? { number: Number(found[1]), moment: found[2]! } : undefined;
}

/** The store's lines: those since a moment where one is said, then what comes. */
async function followStore(
  ctx: Ctx,
  {
    feed,
    question,
    tell,
    source,
    isPast,
    number = 0,
  }: {
    feed: ReturnType<typeof createLineFeed>;
    question: LinesQuestion;
    tell: Tell;
    source: LogSource;
    isPast: boolean;
    number: number | undefined;
  },
): Promise<void> {
  const matches = matchLines(question.search.terms, question.labels);
  let past: Set<string> | undefined = isPast ? new Set() : undefined;
  let held: { lines: readonly FedLine[]; skipped: number }[] | undefined = isPast ? [] : undefined;
  const pass = ({ lines, skipped }: { lines: readonly FedLine[]; skipped: number }) => {
    const wanted = lines.filter(({ line }) => past?.has(line.id) !== true && matches(line));
    if (skipped > 0) tell("skipped", { count: skipped });
    const last = wanted.at(-1);
    if (!last) return;
    tell(
      "lines",
      { lines: wanted.map(({ line }) => ({ ...line, backend: source.id })) },
      printId(last.number, last.line.timestamp),
    );
  };
  const leave = feed.subscribe((portion) => {
    if (held) held.push(portion);
    else pass(portion);
  });
  ctx.signal.addEventListener("abort", leave);
  if (ctx.signal.aborted) return leave();
  if (!isPast) return;
  const outcome = await askSource(ctx, source, (bounded) =>
    source.read(bounded, { ...question, direction: "backward", limit: mostPast + 1 }),
  );
  if ("error" in outcome)
    tell("notice", { notices: [], sources: [tellSource(source, outcome.error.message)] });
  else {
    const numberOf = ({ id }: LogLine) => Number(id.slice(id.lastIndexOf("-") + 1));
    const found = outcome.answer.lines.filter((line) => numberOf(line) > number);
    const lines = found.slice(0, mostPast).toReversed();
    past = new Set(outcome.answer.lines.map(({ id }) => id));
    // Whoever begins has not been told of any; whoever comes again would take what comes now for all of it.
    if (number > 0 && found.length > mostPast)
      tell("notice", {
        notices: [
          `More than ${mostPast} lines came meanwhile: the older ones are not among these.`,
        ],
      });
    const last = lines.at(-1);
    if (last)
      tell(
        "lines",
        { lines: lines.map((line) => ({ ...line, backend: source.id })) },
        printId(Math.max(...lines.map(numberOf)), last.timestamp),
      );
  }
  for (const portion of held ?? []) pass(portion);
  held = undefined;
  past = undefined;
}

/** Another backend's lines: as it tells them, or by asking again and again. A failure is told, and tried again. */
async function followBackend(
  ctx: Ctx,
  { source, question, tell }: { source: LogSource; question: LinesQuestion; tell: Tell },
): Promise<void> {
  let { from } = question;
  let told = new Set<string>();
  let failed: string | undefined;
  const pass = (lines: readonly LogLine[]) => {
    const fresh = lines.filter(({ id }) => !told.has(id));
    const last = fresh.at(-1);
    if (!last) return;
    tell(
      "lines",
      { lines: fresh.map((line) => ({ ...line, backend: source.id })) },
      printId(0, last.timestamp),
    );
    const moment = new Date(Date.parse(last.timestamp));
    if (moment > from) {
      from = moment;
      told = new Set(
        lines
          .filter(({ timestamp }) => Date.parse(timestamp) >= moment.getTime())
          .map(({ id }) => id),
      );
    } else for (const { id } of fresh) told.add(id);
  };
  while (!ctx.signal.aborted) {
    try {
      if (source.follow) {
        for await (const lines of source.follow(ctx, { ...question, from })) pass(lines);
      } else {
        const page = await source.read(ctx, {
          ...question,
          from,
          direction: "forward",
          limit: logLimits.lines,
        });
        pass(page.lines);
        if (page.notices && failed === undefined) tell("notice", { notices: page.notices });
      }
      failed = undefined;
    } catch (error) {
      if (ctx.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== failed)
        tell("notice", { notices: [], sources: [tellSource(source, message)] });
      failed = message;
    }
    await pause(source.askEveryMs ?? askMs, undefined, { signal: ctx.signal }).catch(
      () => undefined,
    );
  }
}
