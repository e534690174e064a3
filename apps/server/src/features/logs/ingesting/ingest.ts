import type { LogIngested } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { SaidLine } from "../store/incoming-line.ts";
import { lineWriter } from "../store/line-writer.ts";
import { readOtlpJson, readOtlpProtobuf } from "./otlp.ts";
import { bodyTypeOf, readLines } from "./read-lines.ts";

/** Bytes of a body, unpacked where it was packed. */
export const longestBody = 16 * 1024 * 1024;
/** Lines of one request. */
const mostLines = 50_000;
/** Mistakes that are told one by one. */
const mostErrors = 100;

export interface SentLines {
  body: unknown;
  contentType: string | undefined;
}

/** `POST /api/logs/ingest`: keeps the lines of a body, and says which it does not keep. */
export async function ingestLines(
  ctx: Ctx,
  { body, contentType }: SentLines,
): Promise<LogIngested> {
  ctx.require("logging_backends", "write");
  const bytes = bytesOf(body);
  const { lines, wrong } = readLines(
    bytes.toString("utf8"),
    bodyTypeOf(contentType),
    ctx.clock.now(),
  );
  requireFew(lines.length);
  const { accepted, refused, cut } = await ctx
    .service(lineWriter)
    .write(lines.map(({ line }) => line));
  const errors = [
    ...wrong,
    ...refused.map(({ at, why }) => ({ line: lines[at]!.number, message: why })),
  ];
  return {
    accepted,
    refused: errors.length,
    cut,
    errors: errors.toSorted((one, other) => one.line - other.line).slice(0, mostErrors),
  };
}

/** `POST /api/logs/ingest/v1/logs`: what exporters of OpenTelemetry send. */
export async function ingestOtlp(
  ctx: Ctx,
  { body, contentType = "" }: SentLines,
): Promise<{ as: "json" | "protobuf"; refused: { count: number; message: string } }> {
  ctx.require("logging_backends", "write");
  const bytes = bytesOf(body);
  const as = /^application\/json\b/i.test(contentType) ? "json" : "protobuf";
  const lines: SaidLine[] =
    as === "json" ? readOtlpJson(bytes.toString("utf8")) : readOtlpProtobuf(bytes);
  requireFew(lines.length);
  const { refused } = await ctx.service(lineWriter).write(lines);
  const why = [...new Set(refused.map((one) => one.why))].slice(0, 3).join("; ");
  return { as, refused: { count: refused.length, message: why } };
}

/** An empty body comes as none. */
const bytesOf = (body: unknown): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

function requireFew(count: number): void {
  if (count > mostLines)
    throw new AppError(
      "tooLarge",
      `At most ${mostLines} lines are sent at once; these are ${count}.`,
    );
}
