import { type LogLine, ownLogStore } from "@mainstay/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "#platform/context.ts";
import { tooMany } from "#platform/errors.ts";
import { changesAccess, streamLifetimeMs } from "#platform/events/access-changes.ts";
import type { Services } from "#platform/feature.ts";
import { networkOf } from "#platform/http/network-of.ts";
import { resolveQuestion, type SaidQuestion } from "../searching/resolve-question.ts";
import { followBackend, usualLateMs } from "./follow-backend.ts";
import { followStore } from "./follow-store.ts";
import { createLineFeed } from "./line-feed.ts";
import { printPosition, readPosition } from "./tail-position.ts";
import { createTailStream } from "./tail-stream.ts";

const EVENT_STREAM = "text/event-stream; charset=utf-8";
const pingMs = 15_000;
const reconnectMs = 500;
/** Open tails of one person, and of all, on this server. */
const tails = { each: 5, all: 500 };
/** `GET /api/logs/tail`: lines as they come, as server-sent events (`LogTailEvents`). */
export function createTail({ ctx: program, listener, stopping, changes, personal }: Services) {
  const feed = createLineFeed({ ctx: program, listener });
  const open = new Map<string, number>();
  let all = 0;

  return async (
    asked: Ctx,
    { since, ...said }: Omit<SaidQuestion, "end"> & { since?: string | undefined },
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<FastifyReply> => {
    asked.require("logging_backends", "read");
    const before = readPosition(request.headers["last-event-id"] ?? since);
    const { sources, question } = await resolveQuestion(asked, {
      ...said,
      start: said.start ?? "now",
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
    const { body, tell, tellSlowly } = createTailStream();
    const end = () => {
      ending.abort(new Error("The tail has ended."));
      body.end();
    };
    let number = before?.number ?? 0;
    const moments = new Map<string, Date>();
    const position = () => {
      const moment = Math.min(...[...moments.values()].map((one) => one.getTime()));
      return printPosition({
        number,
        moment: Number.isFinite(moment) ? new Date(moment) : asked.clock.now(),
      });
    };
    const isAccess = changesAccess(personal, asked.actor);
    const leave = changes.subscribe(undefined, (event) => {
      if (isAccess(event)) end();
    });
    const ping = setInterval(() => tell("here", {}, position()), pingMs);
    const lifetime = setTimeout(end, streamLifetimeMs(asked.actor, asked.clock.now()));
    stopping.addEventListener("abort", end);
    body.once("close", () => {
      ending.abort(new Error("The page has gone."));
      leave();
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
      const ofSource = (lines: readonly LogLine[]) =>
        lines.map((line) => ({ ...line, backend: source.id }));
      const follow = (): Promise<void> => {
        if (source.id === ownLogStore)
          return followStore(ctx, {
            feed,
            source,
            question,
            past: before ? { behind: before.number } : said.start === undefined ? "none" : "moment",
            tell,
            tellLines(lines, upTo) {
              const isBegun = number > 0;
              number = Math.max(number, upTo);
              if (lines.length > 0) tell("lines", { lines: ofSource(lines) }, position());
              else if (!isBegun) tell("here", {}, position());
            },
            tellSlowly(lines, upTo) {
              const at = Math.max(number, upTo);
              return tellSlowly(
                ofSource(lines),
                () => {
                  number = at;
                  return position();
                },
                ctx.signal,
              );
            },
          });
        const lateMs = source.lateMs ?? usualLateMs;
        const from = before ? new Date(before.moment.getTime() - lateMs) : question.from;
        moments.set(source.id, before?.moment ?? question.from);
        return followBackend(ctx, {
          source,
          question: { ...question, from },
          isPast: before !== undefined || said.start !== undefined,
          tellLines: (lines, upTo) =>
            tellSlowly(
              ofSource(lines),
              () => {
                moments.set(source.id, upTo);
                return position();
              },
              ctx.signal,
            ),
          tellNotice: (notice) => tell("notice", notice),
        });
      };
      follow().catch((error: unknown) => {
        if (ctx.signal.aborted) return;
        ctx.log.error({ err: error, backend: source.name }, "a log backend could not be followed");
        end();
      });
    }
    if (!sources.some(({ id }) => id === ownLogStore)) tell("here", {}, position());
    if (stopping.aborted) end();
    return reply
      .type(EVENT_STREAM)
      .header("cache-control", "no-store")
      .header("x-accel-buffering", "no")
      .send(body);
  };
}
