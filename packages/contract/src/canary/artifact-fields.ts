import { z } from "zod";
import { artifactLimitText } from "../artifacts.ts";

const mostPatterns = 100;

/** Which files a run leaves to be kept; `path` says where a type looks for them. */
export const artifactsOf = (path: string) =>
  z
    .array(z.looseObject({ path: z.string().min(1).max(4096).describe(path) }))
    .max(mostPatterns)
    .optional()
    .describe(`Files to keep with the result: of a run at most ${artifactLimitText}.`);
