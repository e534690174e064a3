import { hostname } from "node:os";
import type { LineLevel } from "@mainstay/contract";
import type { Services, Worker } from "#platform/feature.ts";
import { flatten } from "../backends/line-of.ts";
import { readNanos } from "../backends/nanos.ts";
import type { SaidLine } from "../store/incoming-line.ts";
import { lineWriter } from "../store/line-writer.ts";

/** Pino's numbers. */
const levels: Readonly<Record<number, LineLevel>> = {
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/**
 * What this server says of itself, from info on, is kept in its own store. It is written when it can be and dropped when
 * it cannot, without another word: a failure that is logged would be a line again. Secrets are out before it comes here.
 */
export function keepOwnLog({ ctx, config, logLines }: Services): Worker {
  const writer = ctx.service(lineWriter);
  const host = hostname();
  const leave = config.ownLog
    ? logLines.listen((text) => {
        const line = ownLine(text, host);
        if (line) writer.offer(line);
      })
    : () => undefined;
  return {
    async stop() {
      leave();
      await writer.stop();
    },
  };
}

/** A line of the log, as the store keeps it; nothing for what is below info. */
export function ownLine(text: string, host: string): SaidLine | undefined {
  let said: Record<string, unknown>;
  try {
    said = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { level, time, msg, err, ...rest } = said;
  const known = levels[Number(level)];
  if (!known) return undefined;
  const reason = (err as { message?: unknown } | undefined)?.message;
  // Whoever logs an error alone has its words twice.
  const message = [msg, reason === msg ? undefined : reason].filter(
    (part) => typeof part === "string" && part !== "",
  );
  const nanos = typeof time === "string" ? readNanos(time) : undefined;
  return {
    message: message.join(": "),
    level: known,
    labels: { ...flatten(rest), service: "mainstay", host },
    ...(nanos !== undefined && { nanos }),
  };
}
