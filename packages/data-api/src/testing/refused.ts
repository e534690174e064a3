import { ApiError } from "../errors.ts";

/** The refusal that some work ends in; that it is done is a failure. */
export function refused(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}
