import { type LogSource as ToldSource, ownLogStore } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { AppError, unavailable } from "#platform/errors.ts";
import { toAppError } from "#platform/http/send-error.ts";
import type { LogSource } from "./log-source.ts";

/** A backend that has not answered by then has failed. */
const longestMs = 15_000;

export type Answered<T> = { source: LogSource; answer: T } | { source: LogSource; error: AppError };

/** Asks one backend; what fails of it is its outcome and not the others'. */
export async function askSource<T>(
  ctx: Ctx,
  source: LogSource,
  ask: (ctx: Ctx) => Promise<T>,
  timeoutMs = longestMs,
): Promise<Answered<T>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const late = new Promise<never>((_resolve, reject) => {
    timeout.addEventListener("abort", () =>
      reject(unavailable(`It did not answer within ${timeoutMs / 1000} seconds.`)),
    );
  });
  try {
    const bounded = ctx.with({ signal: AbortSignal.any([ctx.signal, timeout]) });
    return { source, answer: await Promise.race([ask(bounded), late]) };
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (timeout.aborted && !(error instanceof AppError))
      return {
        source,
        error: unavailable(`It did not answer within ${timeoutMs / 1000} seconds.`, error),
      };
    const known = toAppError(error);
    if (known) return { source, error: known };
    ctx.log.error({ err: error, backend: source.name }, "a log backend could not be asked");
    return {
      source,
      error: unavailable("Something went wrong on our side; the log has it.", error),
    };
  }
}

export const tellSource = ({ id, name, type }: LogSource, error?: string): ToldSource => ({
  id,
  name,
  type,
  ...(error !== undefined && { error }),
});

/** What all of them failed of, as one refusal: of one that was asked with its own code and words. */
export function failureOfAll(failed: readonly { source: LogSource; error: AppError }[]): AppError {
  const [first] = failed;
  const beside = { sources: failed.map(({ source, error }) => tellSource(source, error.message)) };
  if (first && failed.length === 1) {
    const { source, error } = first;
    // What is wrong with the question is not the backend's doing.
    const words =
      error.code === "unavailable" && source.id !== ownLogStore
        ? `${source.name}: ${error.message}`
        : error.message;
    const { issues, retryAfter, cause } = error;
    return new AppError(error.code, words, {
      issues,
      cause,
      beside,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
  return new AppError(
    "unavailable",
    `None of the log backends answered. ${failed.map(({ source, error }) => `${source.name}: ${error.message}`).join(" ")}`,
    { beside },
  );
}
