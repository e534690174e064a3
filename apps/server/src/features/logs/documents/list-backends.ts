import {
  type BackendRoute,
  type LogLine,
  logBackendSpecs,
  logBackendsOf,
  codeInLogBackend,
  type WrittenLogBackend,
  type WrittenSpec,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { AppError, unavailable } from "#platform/errors.ts";
import { codeOff } from "#platform/require-code.ts";
import type { Hider } from "#platform/sealing/hide-secrets.ts";
import type { Sealed } from "#platform/sealing/sealed.ts";
import type { Opened } from "#platform/sealing/sealer.ts";
import { findLogBackend } from "../backends/index.ts";
import type {
  CountedLines,
  LinesPage,
  LinesPageQuestion,
  LinesQuestion,
  LogBackend,
} from "../backends/log-backend.ts";
import { loggingBackendSealer } from "./logging-backend-kind.ts";
import { prepareBackend } from "./prepare-backend.ts";

/** A backend of a document, set up: whoever asks it needs no spec. */
export interface ListedBackend {
  /** Of its document; of several in one with their place behind it. */
  id: string;
  name: string;
  type: string;
  /** As the backend says (`LogBackend`). */
  askEveryMs?: number;
  lateMs?: number;
  routes: readonly BackendRoute[];
  read(ctx: Ctx, question: LinesPageQuestion): Promise<LinesPage>;
  count?(ctx: Ctx, question: LinesQuestion & { step: number }): Promise<CountedLines>;
}

/** A document, as its connections and values are found. */
interface DocumentPlace {
  id: string;
  name: string;
  namespace: string;
}

interface Row extends DocumentPlace {
  spec: WrittenSpec;
  sealed: Sealed;
}

/** Documents that are read at once, at most. */
const mostDocuments = 200;

/** Every backend of every document, in the order in which questions are offered to them: by name. */
export async function listBackends(ctx: Ctx): Promise<ListedBackend[]> {
  const rows = await ctx.db.rows<Row>(sql`
    select id, name, namespace, spec, sealed from logging_backends
     where deleted_at is null order by name, namespace, id limit ${mostDocuments}`);
  return rows.flatMap((row) =>
    backendsIn(row, loggingBackendSealer(ctx.config).open(row.spec, row.sealed)),
  );
}

/** The backends of one document, whose secrets are in place. */
export function backendsIn(row: DocumentPlace, opened: Opened): ListedBackend[] {
  const written = logBackendsOf(opened.document);
  return written.map((one) => {
    const isOnly = written.length === 1;
    return listed(row, opened, one, {
      id: isOnly ? row.id : `${row.id}.${one.index}`,
      name: isOnly ? row.name : `${row.name}/${one.type}-${one.index}`,
    });
  });
}

function listed(
  row: DocumentPlace,
  opened: Opened,
  written: WrittenLogBackend,
  { id, name }: { id: string; name: string },
): ListedBackend {
  const { type, spec } = written;
  const backend = findLogBackend(type);
  const open = (ctx: Ctx) => openBackend(ctx, { row, opened, written, backend });
  const parsed = logBackendSpecs[type].safeParse(spec);
  const attached = labelsOf(parsed.data);
  return {
    id,
    name,
    type,
    ...(backend.askEveryMs !== undefined && { askEveryMs: backend.askEveryMs }),
    ...(backend.lateMs !== undefined && { lateMs: backend.lateMs }),
    routes: (parsed.data?.routes as readonly BackendRoute[] | undefined) ?? [],
    read: async (ctx, question) => {
      const asked = without(attached, question);
      if (asked === undefined) return { lines: [] };
      const { backend: found, spec: ready, hider } = await open(ctx);
      return attempt(ctx, hider, async () => {
        const { lines, notices, ...page } = await found.read(ctx, ready, asked);
        return {
          ...page,
          lines: lines.map((line) => shown(line, { id, attached, hider })),
          ...(notices && { notices: notices.map((text) => hider?.message(text) ?? text) }),
        };
      });
    },
    ...(backend.count && {
      count: async (ctx, question) => {
        const asked = without(attached, question);
        if (asked === undefined) return { buckets: [] };
        const { backend: found, spec: ready, hider } = await open(ctx);
        return attempt(ctx, hider, async () => {
          const { notices, ...counted } = await found.count!(ctx, ready, asked);
          return {
            ...counted,
            ...(notices && { notices: notices.map((text) => hider?.message(text) ?? text) }),
          };
        });
      },
    }),
  };
}

const labelsOf = (spec: unknown): Readonly<Record<string, string>> =>
  (spec as { labels?: Record<string, string> } | undefined)?.labels ?? {};

/** What a backend is asked of labels that all of its lines get; nothing where none of its lines can be meant. */
function without<Question extends LinesQuestion>(
  attached: Readonly<Record<string, string>>,
  question: Question,
): Question | undefined {
  const entries = Object.entries(question.labels);
  const isOther = entries.some(
    ([name, value]) => Object.hasOwn(attached, name) && attached[name] !== value,
  );
  if (isOther) return undefined;
  const labels = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(attached, name)));
  return { ...question, labels };
}

const shown = (
  line: LogLine,
  {
    id,
    attached,
    hider,
  }: { id: string; attached: Readonly<Record<string, string>>; hider: Hider | undefined },
): LogLine => ({
  ...line,
  message: hider?.message(line.message) ?? line.message,
  labels: {
    ...(hider ? (hider.value(line.labels) as typeof line.labels) : line.labels),
    ...attached,
  },
  backend: id,
});

interface Ready {
  backend: LogBackend<object>;
  spec: object;
  hider: Hider | undefined;
}

async function openBackend(
  ctx: Ctx,
  {
    row,
    opened: { failures },
    written,
    backend,
  }: {
    row: DocumentPlace;
    opened: Opened;
    written: WrittenLogBackend;
    backend: LogBackend<object>;
  },
): Promise<Ready> {
  const { type, spec, path } = written;
  const off = codeOff(ctx.config);
  if (off !== undefined && codeInLogBackend(type, spec) !== undefined) throw unavailable(off);
  const failure = failures.find(({ place: { keys } }) =>
    path.every((key, index) => keys[index] === key),
  );
  if (failure)
    throw unavailable(
      `The stored value of ${failure.place.path} cannot be used: ${failure.message}`,
    );
  const prepared = await prepareBackend(ctx, { type, spec }, row).catch((error: unknown) => {
    throw failed(ctx, undefined, error);
  });
  if (!prepared.ok) throw unavailable(prepared.error);
  return { backend, spec: prepared.spec, hider: prepared.hider };
}

async function attempt<T>(ctx: Ctx, hider: Hider | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failed(ctx, hider, error);
  }
}

/** What goes wrong of a backend is its answer, fit to be shown; only who asked can end it otherwise. */
function failed(ctx: Ctx, hider: Hider | undefined, error: unknown): unknown {
  if (ctx.signal.aborted || !(error instanceof Error)) return error;
  const message = hider?.message(error.message) ?? error.message;
  if (error instanceof AppError)
    return new AppError(error.code, message, { issues: error.issues, cause: error.cause });
  return unavailable(`${message.slice(0, 1).toUpperCase()}${message.slice(1)}`, error);
}
