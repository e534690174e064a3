import {
  ApiError,
  createDataApi,
  type DataApi,
  leanPool,
  type StatementSettings,
  respondToRefusal,
} from "@mainstay/data-api";
import { escapeIdentifier, type Pool } from "pg";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Resource } from "@mainstay/contract";
import type { Ctx, Tx } from "../context.ts";
import { type AppError, statusOf, unavailable } from "../errors.ts";
import type { RowFunction, Table, WriteContext } from "../table.ts";
import { sendDataApiDocument } from "./data-api-document.ts";
import { refusedSecrets } from "../sealing/sealing-refusal.ts";
import { networkOf } from "./network-of.ts";
import { refusePlaces } from "./refuse-places.ts";
import { loggedPath, toAppError } from "./send-error.ts";
import { createShares } from "./data-api-shares.ts";

/** Largest body of a write over the data API. */
const BODY_LIMIT = 16 * 1024 * 1024;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Of a statement that reads texts, counts, or nests lists. */
const COSTLY_TIMEOUT_MS = 5_000;
/** Length of one answer; making it costs PostgreSQL several times as much memory. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Rows in one answer; more are read page by page, and the answer's range says that there are more. */
const MAX_ROWS = 50_000;

export interface DataApiRouteParts {
  /** Used for nothing else: its connections are made read-only, so that a read is one round trip. */
  readPool: Pool;
  /** Used for nothing else: a write without hooks is one round trip. */
  writePool: Pool;
  /** The database role of a write's statement in a transaction; its hooks run as the program. */
  writeRole: string | undefined;
  tables: readonly Table[];
  functions: readonly RowFunction[];
  contextOf(request: FastifyRequest): Promise<Ctx>;
}

/** `/api/db/*`: the rows of the features' tables, in the dialect of PostgREST, under the role matrix. */
export function dataApiRoute(
  app: FastifyInstance,
  parts: DataApiRouteParts,
): DataApi<WriteContext> {
  const { readPool, writePool, writeRole, tables, functions, contextOf } = parts;
  const api = createDataApi<WriteContext>({
    pool: leanPool(readPool),
    ownPool: true,
    writePool: leanPool(writePool),
    schema: "public",
    tables,
    functions,
    maxRows: MAX_ROWS,
    maxBytes: MAX_BYTES,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    costlyTimeoutMs: COSTLY_TIMEOUT_MS,
  });
  const shares = createShares();

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The engine reads the body itself: line and column of what is wrong are places in this text.
    scope.addContentTypeParser(
      "*",
      { parseAs: "string", bodyLimit: BODY_LIMIT },
      (_request, body, done) => done(null, body),
    );
    // Before the body is read: a stranger's is not worth the memory.
    scope.addHook("onRequest", async (request, reply) => {
      const { actor } = await contextOf(request);
      if (actor.kind === "anonymous" && actor.resources.length === 0)
        return reply.status(401).type("text/plain").send("Not logged in");
    });
    scope.get("/api/db/", async (request, reply) =>
      sendDataApiDocument(api, await contextOf(request), request, reply),
    );
    scope.route({
      method: ["GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"],
      url: "/api/db/*",
      bodyLimit: BODY_LIMIT,
      handler: async (request, reply) => {
        const asker = await contextOf(request);
        const [path, query = ""] = splitOnce(request.raw.url!, "?");
        const body = typeof request.body === "string" ? request.body : undefined;
        const name = asker.actor.kind === "person" ? asker.actor.id : networkOf(request.ip);
        const spent = (ms: number) => shares.spend(name, ms);
        try {
          const answer = await api.handle({
            method: request.method,
            path: decodeURIComponent(path.slice("/api/db/".length)),
            query,
            headers: request.headers,
            body,
            can: (resource, action) => asker.can(resource as Resource, action),
            asker: asker.actor,
            write: (work, settings) =>
              asker.tx(
                (tx) =>
                  timed(spent, () =>
                    work(
                      { query: placingRefusals(underRole(tx, writeRole), body ?? "") },
                      { ctx: asker, tx, body: body ?? "", query },
                    ),
                  ),
                { settings: settingsOf(settings) },
              ),
            inTurn: (need, work) => shares.inTurn(name, need, work, asker.signal),
            spent,
            triggerSettings: asker.triggerSettings,
            failed: (cause) =>
              request.log.error(
                { err: cause, url: loggedPath(request) },
                "the data API could not answer",
              ),
          });
          // What can be told from its tag may be kept, and asked about every time.
          if (answer.headers["etag"] !== undefined)
            reply.header("cache-control", "private, no-cache");
          if (answer.headers["content-type"]?.startsWith("text/csv"))
            // A text that a spreadsheet takes for a formula is one there: it is saved, and not opened where it was asked.
            reply.header("content-disposition", `attachment; filename="${fileName(path)}.csv"`);
          return reply
            .status(answer.status)
            .headers(answer.headers)
            .send(answer.bytes ?? answer.body);
        } catch (error) {
          if (error instanceof ApiError) {
            const { status, headers, body: refusal } = respondToRefusal(error);
            return reply.status(status).headers(headers).send(refusal);
          }
          if (asker.signal.aborted && error === asker.signal.reason)
            throw unavailable("The request was given up while it waited.", error);
          const known = toAppError(error);
          if (!known) throw error;
          return reply.status(statusOf[known.code]).send(dialectError(known));
        }
      },
    });
  });
  return api;
}

const settingsOf = ({ timeoutMs, timezone }: StatementSettings): Record<string, string> => ({
  statement_timeout: String(timeoutMs),
  ...(timezone === undefined ? {} : { timezone }),
});

/** Statements of a transaction that run under a role; sent together with the change there and back. */
function underRole(tx: Tx, role: string | undefined): Tx["raw"] {
  if (role === undefined) return tx.raw;
  return async (text, values) => {
    const sent = [
      tx.raw(`set local role ${escapeIdentifier(role)}`),
      tx.raw(text, values),
      tx.raw("reset role"),
    ] as const;
    const [change] = await Promise.allSettled(sent);
    if (change.status === "rejected") throw change.reason;
    return sent[1];
  };
}

/** A placeholder that a row could not keep is a mistake in what was sent, with a place in it. */
const placingRefusals =
  (query: Tx["raw"], body: string): Tx["raw"] =>
  (text, values) =>
    query(text, values).catch((error: unknown) => {
      const refused = refusedSecrets(error);
      throw refused ? refusePlaces("Nothing was saved.", body, refused) : error;
    });

async function timed<T>(spent: (ms: number) => void, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    return await work();
  } finally {
    spent(performance.now() - begun);
  }
}

/** The last word of an address, as far as a header takes it. */
const fileName = (path: string) => /[\w-]*$/.exec(path)?.[0] || "rows";

/** What a hook refused, in the shape that PostgREST's clients read, with our places beside it. */
function dialectError(error: AppError): object {
  return {
    code: error.code,
    message: error.message,
    details: error.issues.length > 0 ? error.issues.map(describe).join("\n") : null,
    hint: null,
    error: error.message,
    ...(error.issues.length > 0 ? { issues: error.issues } : {}),
  };
}

function describe(issue: AppError["issues"][number]): string {
  const place = issue.line === undefined ? "" : `line ${issue.line}, column ${issue.column}: `;
  return `${place}${issue.path ? `${issue.path}: ` : ""}${issue.message}`;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
