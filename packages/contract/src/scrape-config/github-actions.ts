import { z } from "zod";
import { envVar } from "../canary/fields.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";
import { textList } from "./texts.ts";

export const githubActionsScraper = z
  .looseObject({
    ...baseShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with the token."),
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe(
        "Our addition: address of the API of a server of your own; https://api.github.com when absent.",
      ),
    owner: z.string().min(1).max(256).describe("Who the repository belongs to."),
    repository: z
      .string()
      .min(1)
      .max(256)
      .describe(
        "Name of the repository. Our addition: several of the owner by patterns, as in shop-*,!*-old.",
      ),
    personalAccessToken: secret(envVar)
      .optional()
      .describe("Token that may read actions; public repositories need none."),
    workflows: textList(1000, 1000)
      .optional()
      .describe("Names or files of workflows, with * and !; all when absent."),
    status: z
      .string()
      .max(4096)
      .optional()
      .describe("Only runs of this status or conclusion, for example success or in_progress."),
    actor: z.string().max(256).optional().describe("Only runs that this user has started."),
    branch: z.string().max(1024).optional().describe("Only runs of this branch."),
  })
  .describe("Workflows of GitHub Actions, with their runs as changes.");

export type GithubActionsScraper = z.output<typeof githubActionsScraper>;
