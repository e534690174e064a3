import { z } from "zod";
import { logSearchLimits } from "./log-search.ts";

/** The id under which the server's own store of lines is asked; backends that people set up have a UUID. */
export const ownLogStore = "store";

export const logLimits = {
  /** Lines of one answer. */
  lines: 1000,
  /** Lines of an answer, unless said. */
  usualLines: 200,
  /** Buckets of a histogram. */
  buckets: 300,
  /** Labels by which lines are chosen. */
  labels: 50,
  /** Characters of a message that lists and answers hold; the whole line is asked by its id. */
  message: 32_768,
  /** Lines before and after one. */
  context: 200,
} as const;

const short = z.string().max(2048);

const labels = z
  .record(z.string().min(1).max(256), short)
  .refine((map) => Object.keys(map).length <= logLimits.labels, {
    message: `at most ${logLimits.labels} labels`,
  });

/** Which lines: of a component, of a backend, or of the server's own store where neither is said. */
export const logSourceFields = {
  id: z.guid().optional().describe("Id of the component that the lines are of."),
  name: short.optional().describe("Which of the component's log selectors; the first unless said."),
  backend: short
    .optional()
    .describe(`Id or name of a log backend, or "${ownLogStore}" for the server's own.`),
  labels: labels.optional().describe("Labels that the lines have, beside those of the selector."),
  query: z.string().max(logSearchLimits.length).optional().describe("A search for lines."),
  start: short.optional().describe("A moment or date math (`now-1h`, which it is unless said)."),
  end: short.optional().describe("A moment or date math (`now`, which it is unless said)."),
};

export const logQuestion = z.object({
  ...logSourceFields,
  limit: z.int().min(1).max(logLimits.lines).optional(),
  direction: z
    .enum(["backward", "forward"])
    .optional()
    .describe("From the newest back (unless said), or from the oldest on."),
  cursor: z.string().max(8192).optional().describe("`next` of the page before."),
});
export type LogQuestion = z.input<typeof logQuestion>;

export const logHistogramQuestion = z.object({
  ...logSourceFields,
  buckets: z.int().min(1).max(logLimits.buckets).optional(),
});
export type LogHistogramQuestion = z.input<typeof logHistogramQuestion>;

export const logContextQuestion = z.object({
  ...logSourceFields,
  line: z.string().max(8192).describe("Id of a line (`LogLine.id`)."),
  timestamp: short
    .optional()
    .describe("When the line is of; backends other than the server's own find it by that."),
  before: z.int().min(0).max(logLimits.context).optional(),
  after: z.int().min(0).max(logLimits.context).optional(),
});
export type LogContextQuestion = z.input<typeof logContextQuestion>;

/** A mapping in an address is JSON. */
const labelsInAddress = z
  .string()
  .max(8192)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be JSON" });
      return z.NEVER;
    }
  })
  .pipe(labels)
  .optional();
const fieldsInAddress = { ...logSourceFields, labels: labelsInAddress };

/** The query of `GET /api/logs/download`. */
export const logDownloadQuestion = z.object({
  ...fieldsInAddress,
  direction: z.enum(["backward", "forward"]).optional(),
  format: z.enum(["text", "json"]).optional().describe("Text unless said."),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("All of them unless said."),
});
export type LogDownloadQuestion = z.input<typeof logDownloadQuestion>;

/** The query of `GET /api/logs/tail`; a tail has no end, and begins now unless `start` says otherwise. */
export const logTailQuestion = z.object({
  id: fieldsInAddress.id,
  name: fieldsInAddress.name,
  backend: fieldsInAddress.backend,
  labels: fieldsInAddress.labels,
  query: fieldsInAddress.query,
  start: fieldsInAddress.start,
  since: short
    .optional()
    .describe("The id of the last event that was heard, for who cannot send `Last-Event-ID`."),
});
export type LogTailQuestion = z.input<typeof logTailQuestion>;
