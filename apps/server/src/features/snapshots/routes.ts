import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { z } from "zod";
import { notFound } from "#platform/errors.ts";
import { attachment } from "#platform/http/attachment.ts";
import type { Http } from "#platform/http/route.ts";
import { createShares } from "#platform/http/shares.ts";
import { snapshotKinds } from "./kinds/kinds.ts";
import { readRange } from "./range.ts";
import { takeSnapshot } from "./take-snapshot.ts";

const params = z.object({ id: z.guid("This is not an id.") });
const yesOrNo = z.enum(["true", "false"], { error: "It is true or false." });
const Question = z.object({
  start: z.string().max(64).optional(),
  end: z.string().max(64).optional(),
  related: yesOrNo.optional(),
  logFormat: z.enum(["log", "json"], { error: "It is log or json." }).optional(),
});

/** One that is fetched slower than this is given up. */
const longestMs = 10 * 60_000;

/** A zip of what is known of one thing in a range of time. */
export function routes(http: Http): void {
  const share = createShares({
    asker: { atOnce: 1, waiting: 2, longestWaitMs: 10_000 },
    everybody: { atOnce: 4, waiting: 20, longestWaitMs: 10_000 },
    budget: { mostMs: 120_000, perMinuteMs: 60_000, askers: 10_000 },
  });

  for (const kind of snapshotKinds)
    http.get(
      `/api/snapshot/${kind.name}/:id`,
      {
        access: { resource: kind.read, action: "read" },
        params,
        query: Question,
        isSentAsIs: true,
      },
      async ({ ctx, params: { id }, query, request, reply }) => {
        const range = readRange(query, ctx.clock.now());
        // Its place is given back when all of it is sent, or nobody wants it any more.
        await share({ ctx, request }, async (spent) => {
          const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(longestMs)]);
          const withRelated = query.related === "true";
          const { logFormat } = query;
          const snapshot = await takeSnapshot(ctx, {
            kind,
            id,
            range,
            withRelated,
            logFormat,
            spent,
            signal,
          });
          reply
            .type("application/zip")
            .header("cache-control", "private, no-store")
            .header("content-disposition", attachment(`${snapshot.name}-snapshot.zip`));
          // Of a stream Fastify reads all, also where only its head is asked for.
          const content = request.method === "HEAD" ? Readable.from([]) : snapshot.content();
          const giveUp = () => content.destroy(signal.reason as Error);
          signal.addEventListener("abort", giveUp, { once: true });
          reply.send(content);
          // The answer is cut off where it stands.
          await finished(content).catch((error: Error) => {
            if (!signal.aborted) ctx.log.error({ err: error }, "a snapshot failed half-way");
          });
          signal.removeEventListener("abort", giveUp);
        });
        return reply;
      },
    );

  http.get(
    "/api/snapshot/:kind/:id",
    { access: "session", params: z.object({ kind: z.string(), id: z.string() }) },
    ({ params: { kind } }) => {
      const known = snapshotKinds.map(({ name }) => name).join(" and ");
      throw notFound(
        `There are no snapshots of "${kind.slice(0, 64)}": there are those of ${known}.`,
      );
    },
  );
}
