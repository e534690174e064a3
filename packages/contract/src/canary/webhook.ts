import { z } from "zod";
import { secret } from "../secrets/marks.ts";
import { commonShape, envVar } from "./fields.ts";
import { shortestToken } from "./heartbeat.ts";

/** One in a document, where other types are lists. */
export const webhookSpec = z
  .looseObject({
    ...commonShape,
    token: secret(envVar)
      .optional()
      .describe(
        `Secret that a call must bring, at least ${shortestToken} characters; one is generated when absent.`,
      ),
  })
  .describe("Something outside that calls, and what it says.");

export type WebhookSpec = z.output<typeof webhookSpec>;
