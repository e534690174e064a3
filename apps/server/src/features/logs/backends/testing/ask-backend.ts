import {
  type LogBackendType,
  type LogBucket,
  logBackendSpecs,
  parseLogSearch,
} from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import type { Ctx } from "#platform/context.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { createPrograms } from "#platform/outbound/programs.ts";
import { testConfig } from "../../../../testing/app.ts";
import { outbound } from "../outbound.ts";
import type { LinesPage, LinesPageQuestion, LogBackend } from "../log-backend.ts";

export interface AskOptions extends Partial<Omit<LinesPageQuestion, "search" | "from" | "to">> {
  query?: string;
  from?: string;
  to?: string;
  now?: string;
  signal?: AbortSignal;
  /** For what is a template. */
  evaluator?: Evaluator;
}

/** Asks a backend as the server does, without one: a spec as it is written, and a search as people write it. */
export const askBackend = <Spec>(
  backend: LogBackend<Spec>,
  spec: object,
  options: AskOptions = {},
): Promise<LinesPage> => {
  const { ctx, question } = asked(options);
  return backend.read(ctx, specOf(backend, spec), question);
};

export const specOf = <Spec>({ type }: LogBackend<Spec>, spec: object): Spec =>
  logBackendSpecs[type as LogBackendType].parse(spec) as Spec;

export function asked({
  query = "",
  from = "2026-06-15T00:00:00Z",
  to = "2026-06-16T00:00:00Z",
  now = "2026-06-15T12:00:00Z",
  signal = AbortSignal.timeout(30_000),
  limit = 100,
  direction = "backward",
  labels = {},
  evaluator,
  ...rest
}: AskOptions): { ctx: Ctx; question: LinesPageQuestion } {
  const connector = createConnector({
    allow: ["127.0.0.0/8"],
    programs: createPrograms(testConfig()),
  });
  const ctx = {
    signal,
    clock: { now: () => new Date(now) },
    service: (one: unknown) => (one === outbound ? connector : evaluator),
  };
  const question = {
    search: parseLogSearch(query),
    labels,
    from: new Date(from),
    to: new Date(to),
    limit,
    direction,
    ...rest,
  };
  // What backends use of it.
  return { ctx: ctx as unknown as Ctx, question };
}

/** `10:05`: when each bucket begins, which must be a whole minute. */
export const startsOf = (buckets: readonly LogBucket[]): string[] =>
  buckets.map(({ start }) => start.replace(/^.*T(\d\d:\d\d):00\.000Z$/, "$1"));
