import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { LogLine, LogTailEvents } from "@mainstay/contract";

/** What a page that does not read may leave waiting; what comes then is counted, and told when it reads again. */
const mostWaiting = 256 * 1024;
/** Characters of one event, beyond which lines are told in several. */
const mostOfEvent = 1024 * 1024;

/** The side of a tail on which events are written. */
export interface TailStream {
  readonly body: PassThrough;
  /** What has no room is left out; of lines it is told later how many. */
  tell<Name extends keyof LogTailEvents>(name: Name, data: LogTailEvents[Name], id?: string): void;
  /** Lines that can wait where they are: told as the page reads, none left out. */
  tellSlowly(lines: readonly LogLine[], idOf: () => string, signal: AbortSignal): Promise<void>;
}

export function createTailStream(): TailStream {
  const body = new PassThrough();
  let skipped = 0;
  const write = (text: string): boolean => {
    if (body.writableEnded || body.destroyed) return false;
    if (body.readableLength + body.writableLength > mostWaiting) return false;
    body.write(text);
    return true;
  };
  const tellSkipped = () => {
    if (skipped > 0 && write(eventOf("skipped", { count: skipped }))) skipped = 0;
  };
  body.on("drain", tellSkipped);
  return {
    body,
    tell(name, data, id) {
      tellSkipped();
      if (skipped > 0 || !write(eventOf(name, data, id)))
        skipped += "lines" in data ? data.lines.length : "count" in data ? data.count : 0;
    },
    async tellSlowly(lines, idOf, signal) {
      for (let at = 0; at < lines.length && !signal.aborted;) {
        const begun = at;
        for (let size = 0; at < lines.length && size < mostOfEvent; at += 1)
          size += lines[at]!.message.length;
        if (body.writableEnded || body.destroyed) return;
        // Only the last of them says where a page that comes again goes on.
        const id = at < lines.length ? undefined : idOf();
        if (!body.write(eventOf("lines", { lines: lines.slice(begun, at) }, id)))
          await once(body, "drain", { signal }).catch((error: unknown) => {
            if (!signal.aborted && !body.destroyed) throw error;
          });
      }
    },
  };
}

const eventOf = <Name extends keyof LogTailEvents>(
  name: Name,
  data: LogTailEvents[Name],
  id?: string,
) => `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
