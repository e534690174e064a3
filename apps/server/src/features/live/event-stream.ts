import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "#platform/context.ts";
import { tooMany } from "#platform/errors.ts";
import { changesAccess, streamLifetimeMs } from "#platform/events/access-changes.ts";
import type { Change, ChangeEvent, Since } from "#platform/events/changes.ts";
import type { Services } from "#platform/feature.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { Table } from "#platform/table.ts";

const EVENT_STREAM = "text/event-stream; charset=utf-8";
/** A comment now and then, so that nobody on the way takes the connection for dead. */
const PING_MS = 15_000;
const RECONNECT_MS = 1_000;
/** Open streams of one person, and of all. */
const STREAMS = { each: 32, all: 2_000 };
/** What a client that does not read may leave waiting. */
const MOST_WAITING = 256 * 1024;

export type StreamParts = Pick<Services, "changes" | "tables" | "personal" | "stopping">;

/** `GET /api/events`: what changes, as server-sent events, of the tables that the asker may read. */
export function createEventStream({ changes, tables, personal, stopping }: StreamParts) {
  const shown = new Map(tables.map((one) => [one.name, one]));
  const owned = new Map(personal.flatMap(({ table, others }) => (others ? [[table, others]] : [])));
  const open = new Map<string, number>();
  let all = 0;

  return (ctx: Ctx, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { actor } = ctx;
    // Asked about, not for: nobody would read the stream, and it would keep its place.
    if (request.method === "HEAD") return reply.type(EVENT_STREAM).send();
    const name = actor.kind === "person" ? actor.id : networkOf(request.ip);
    const mine = open.get(name) ?? 0;
    if (mine >= STREAMS.each || all >= STREAMS.all)
      throw tooMany("Too many pages are listening for changes. Close some of them.");
    open.set(name, mine + 1);
    all += 1;

    const body = new PassThrough();
    const end = () => body.end();
    const write = (text: string) => {
      if (body.writableEnded || body.destroyed) return;
      body.write(text);
      // Beyond a first part it waits on the side where it was written.
      if (body.readableLength + body.writableLength > MOST_WAITING) body.destroy();
    };
    const isOwn = changesAccess(personal, actor);
    // A browser that comes again may have been signed in as somebody else meanwhile.
    const asker = JSON.stringify({ person: actor.kind === "person" ? actor.id : null });
    write(`retry: ${RECONNECT_MS}\n\n`);
    const leave = changes.subscribe(sinceOf(request), (event) => {
      const data = dataOf(event);
      if (data !== undefined) write(`id: ${event.id}\nevent: ${event.kind}\ndata: ${data}\n\n`);
      if (isOwn(event)) end();
    });
    function dataOf(event: ChangeEvent): string | undefined {
      if (event.kind !== "change") return asker;
      const { change } = event;
      const others = owned.get(change.table);
      if (others !== undefined && actor.kind === "person" && !ctx.can(others, "read"))
        return change.ids?.includes(actor.id) === false
          ? undefined
          : JSON.stringify({ table: change.table, ids: [actor.id] });
      const table = shown.get(change.table);
      const resource = others ?? table?.read;
      return resource !== undefined && ctx.can(resource, "read")
        ? JSON.stringify(table ? withoutHidden(change, table) : change)
        : undefined;
    }
    const ping = setInterval(() => write(": here\n\n"), PING_MS);
    const lifetime = setTimeout(end, streamLifetimeMs(actor, ctx.clock.now()));
    stopping.addEventListener("abort", end);
    body.once("close", () => {
      leave();
      clearInterval(ping);
      clearTimeout(lifetime);
      stopping.removeEventListener("abort", end);
      const left = (open.get(name) ?? 1) - 1;
      if (left > 0) open.set(name, left);
      else open.delete(name);
      all -= 1;
    });
    if (stopping.aborted) end();
    return reply
      .type(EVENT_STREAM)
      .header("cache-control", "no-store")
      .header("x-accel-buffering", "no")
      .send(body);
  };
}

/** Columns that nobody outside knows are not named. */
function withoutHidden(change: Change, { columns, hidden }: Table): Change {
  if (!change.columns) return change;
  const isShown = (name: string) =>
    (columns?.includes(name) ?? true) && hidden?.includes(name) !== true;
  return { ...change, columns: change.columns.filter(isShown) };
}

/**
 * Where the asker's knowledge ends. A browser that comes again names the last event by itself, a page that opens a new
 * stream says it in its address; one that has heard none yet says how old the oldest of what it shows may be.
 */
function sinceOf(request: FastifyRequest): Since | undefined {
  const { since, ago } = request.query as Record<string, unknown>;
  const id = request.headers["last-event-id"] ?? since;
  if (typeof id === "string" && id.length > 0 && id.length <= 64) return id;
  return typeof ago === "string" && /^\d{1,12}$/.test(ago) ? { agoMs: Number(ago) } : undefined;
}
