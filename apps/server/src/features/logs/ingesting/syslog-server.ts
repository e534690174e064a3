import type { Services, Worker } from "#platform/feature.ts";
import { type IncomingTcp, listenDatagrams, listenTcp } from "#platform/inbound/listen.ts";
import { lineWriter } from "../store/line-writer.ts";
import { parseSyslog } from "./parse-syslog.ts";

/** Bytes of one message; what is longer is cut there. */
const longest = 64 * 1024;
const most = { connections: 200 };
/** Nobody is waited for for longer. */
const idleMs = 10 * 60_000;

/** Takes syslog over UDP and TCP, where the settings name a port. Nothing is answered: what does not fit is dropped. */
export async function startSyslog({ ctx, config }: Services): Promise<Worker & { port?: number }> {
  if (config.syslogPort === undefined) return { stop: async () => undefined };
  const writer = ctx.service(lineWriter);
  const take = (framed: string) => {
    // Of a counted message too: rsyslog's templates end with it.
    const text = framed.replace(/\r?\n$|\r$/, "");
    if (text.trim() !== "") writer.offer(parseSyslog(text, ctx.clock.now()));
  };
  const where = { host: config.syslogHost, log: ctx.log };
  const tcp = await listenTcp(
    { ...where, port: config.syslogPort, mostConnections: most.connections, idleMs },
    (connection) => readFrames(connection, take),
  );
  // The port that TCP was given where any would do.
  const udp = await listenDatagrams({ ...where, port: tcp.port }, (bytes) =>
    take(bytes.subarray(0, longest).toString("utf8")),
  );
  ctx.log.info({ host: config.syslogHost, port: tcp.port }, "taking syslog over UDP and TCP");
  return {
    port: tcp.port,
    async stop() {
      await Promise.all([tcp.close(), udp.close()]);
    },
  };
}

/** Messages of a connection, told apart by their counted lengths or by line ends. Source: RFC 6587, section 3.4. */
export async function readFrames(
  connection: IncomingTcp,
  take: (text: string) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  /** Of a message that is longer than what is kept. */
  let toSkip = 0;
  let skipsLine = false;
  for await (const chunk of connection) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      if (toSkip > 0) {
        const skipped = Math.min(toSkip, rest.length);
        toSkip -= skipped;
        rest = rest.subarray(skipped);
        if (toSkip > 0) break;
      }
      const counted = /^(\d{1,9}) (?=<)/.exec(rest.subarray(0, 16).toString("latin1"));
      if (counted && !skipsLine) {
        const start = counted[0].length;
        const length = Number(counted[1]);
        const kept = Math.min(length, longest);
        if (rest.length < start + kept) break;
        take(rest.subarray(start, start + kept).toString("utf8"));
        rest = rest.subarray(start + kept);
        toSkip = length - kept;
        continue;
      }
      const end = rest.indexOf(10);
      if (end < 0) {
        if (rest.length > longest) {
          if (!skipsLine) take(rest.subarray(0, longest).toString("utf8"));
          skipsLine = true;
          rest = Buffer.alloc(0);
        }
        break;
      }
      if (!skipsLine) take(rest.subarray(0, Math.min(end, longest)).toString("utf8"));
      skipsLine = false;
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0 && !skipsLine && toSkip === 0) take(rest.toString("utf8"));
}
