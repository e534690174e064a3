import { z } from "zod";
import { isDuration, parseDuration } from "../duration.ts";
import { secret, secretPlaceholder } from "../secrets/marks.ts";
import { commonShape, durationText, envVar } from "./fields.ts";

/** Characters of a token that is written in a document: whoever knows it can claim that all is well. */
export const shortestToken = 16;

/** Beyond the family: something outside reports in time, or the check fails. */
export const heartbeatSpec = z
  .looseObject({
    ...commonShape,
    every: durationText
      .refine((text) => !isDuration(text) || parseDuration(text) >= 1000, {
        error: "The shortest interval is 1s.",
      })
      .describe("How often a beat is expected."),
    grace: durationText
      .optional()
      .describe(
        "How late a beat may be before the check fails; a tenth of the interval when absent.",
      ),
    token: secret(envVar)
      .optional()
      .describe(
        `Secret that a beat must bring, at least ${shortestToken} characters; one is generated when absent.`,
      ),
  })
  .describe("Something outside that must report in time.");

export type HeartbeatSpec = z.output<typeof heartbeatSpec>;

/** Of documents: what is stored with a shorter token goes on running. */
export function heartbeatRules({
  token,
}: Pick<HeartbeatSpec, "token">): { path: string[]; message: string }[] {
  const { value } = token ?? {};
  if (!value || value === secretPlaceholder || value.length >= shortestToken) return [];
  return [
    {
      path: ["token"],
      message: `The token has ${value.length} characters, at least ${shortestToken} are needed: whoever guesses it can claim that all is well.`,
    },
  ];
}
