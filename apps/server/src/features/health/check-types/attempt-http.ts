import { WrongConnection } from "#platform/outbound/http/read-request.ts";
import { attempt, type CheckOutcome, failed } from "./check-type.ts";

/** Something in the document cannot be meant; the message says what. */
export class WrongSpec extends Error {
  override name = "WrongSpec";
}

/** As `attempt`; a document that cannot be meant is an invalid result. */
export const attemptHttp = (
  input: { signal: AbortSignal; timeoutMs: number },
  work: () => Promise<CheckOutcome>,
): Promise<CheckOutcome> =>
  attempt(input, async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof WrongConnection || error instanceof WrongSpec)
        return failed(error.message, { invalid: true });
      throw error;
    }
  });
