import { Readable } from "node:stream";
import type { LogLine } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { eachLogPage, type SaidPage } from "./read-logs.ts";

const most = { lines: 100_000, characters: 64 * 1024 * 1024 };

export interface Download extends Omit<SaidPage, "cursor"> {
  format: "text" | "json";
}

/**
 * Lines as a file, as they are read: page by page, no faster than whoever reads it. What fails on the first page is
 * thrown; what fails later, or is cut, is told in the last line.
 */
export async function downloadLogs(
  ctx: Ctx,
  { format, limit = most.lines, ...said }: Download,
): Promise<Readable> {
  const pages = eachLogPage(ctx, said);
  const first = await pages.next();
  async function* written(): AsyncGenerator<string> {
    const write = format === "json" ? jsonWriter() : textWriter();
    let lines = 0;
    let characters = 0;
    let note: string | undefined;
    try {
      for (let page = first; !page.done; page = await pages.next()) {
        ctx.signal.throwIfAborted();
        const { results, notices = [], sources = [] } = page.value;
        const portion = results.slice(0, limit - lines);
        const text = portion.map(write.line).join("");
        lines += portion.length;
        characters += text.length;
        yield text;
        const failed = sources.flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : []));
        note = [...notices, ...failed].join(" ") || note;
        if (lines >= limit && limit < most.lines) break;
        if (lines >= limit || characters >= most.characters) {
          if (page.value.next !== undefined)
            note = `This file ends after ${lines} lines; there are more.`;
          break;
        }
      }
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      note = `This file is not whole: ${error instanceof Error ? error.message : String(error)}`;
    }
    yield write.end(note);
  }
  return Readable.from(written(), { highWaterMark: 1 });
}

const textWriter = () => ({
  line: ({ timestamp, level, message }: LogLine) =>
    `${timestamp}${level ? ` ${level.toUpperCase()}` : ""} ${message}\n`,
  end: (note: string | undefined) => (note === undefined ? "" : `# ${note}\n`),
});

function jsonWriter() {
  let isFirst = true;
  const item = (value: object) => {
    const text = `${isFirst ? "[" : ","}\n${JSON.stringify(value)}`;
    isFirst = false;
    return text;
  };
  return {
    line: item,
    end: (note: string | undefined) =>
      `${note === undefined ? "" : item({ notice: note })}${isFirst ? "[" : ""}\n]\n`,
  };
}
